import { headOf } from '../work/command.ts'
import { clip } from '../work/text.ts'
import type { Item } from './item.ts'
import type { CheckedView } from './recheck.ts'
import { WEIGHTS } from './weights.ts'

const MAX_COMMAND_CHARS = 90

/** One command per head (`go test`, `npm run build`): the newest way it was run. */
export function commandItems({ view, commands }: CheckedView): readonly Item[] {
  const seen = new Map<string, number>()
  const items: Item[] = []
  for (const run of view.work.commands.toSorted((a, b) => b.lastOrder - a.lastOrder)) {
    const head = headOf(run.command)
    if (seen.has(head)) continue
    const rank = seen.size
    seen.set(head, rank)
    const worth = WEIGHTS.command[run.purpose] * 0.5 ** (rank / WEIGHTS.commandHalfLife)
    const outcome = run.ok ? '' : ' (failed)'
    items.push({
      section: 'commands',
      text: `\`${run.command.length <= MAX_COMMAND_CHARS ? run.command : clip(run.command, MAX_COMMAND_CHARS)}\`${outcome}`,
      value: worth * WEIGHTS.section.commands,
      origin: 'commands',
      reason: `${run.purpose}, ${run.runs} runs, ${run.failures} failed`,
      verdict: commands.get(run.command),
    })
  }
  return items
}

export function identifierItems({ view }: CheckedView): readonly Item[] {
  const top = view.work.identifiers[0]?.weight ?? 1
  return view.work.identifiers.map(({ name, weight }, rank) => ({
    section: 'identifiers',
    text: name,
    value: (weight / top) ** 0.5 * 0.5 ** (rank / WEIGHTS.identifierRankHalfLife) * WEIGHTS.section.identifiers,
    origin: 'identifiers',
    reason: `weight ${weight}, place ${rank + 1}`,
  }))
}

export function failingItems({ view, tests }: CheckedView): readonly Item[] {
  const failing = view.work.tests.filter((test) => test.status === 'failing').toReversed()
  return failing.map((test, rank) => ({
    section: 'failing',
    text: test.name === test.command ? `\`${test.command}\`` : `${test.name} (\`${clip(test.command, 60)}\`)`,
    value: WEIGHTS.section.failing * 0.5 ** (rank / 3),
    origin: 'tests',
    reason: 'failed when it last ran',
    verdict: tests,
  }))
}

/** Open ones, newest and most frequent first; what was solved needs no retelling. */
export function errorItems({ view }: CheckedView): readonly Item[] {
  const open = view.work.errors.filter((error) => error.resolution === undefined)
  return open
    .toSorted((a, b) => b.lastOrder - a.lastOrder)
    .map((error, rank) => ({
      section: 'errors',
      text: `${clip(error.text, 150)}${error.count > 1 ? ` (${error.count} times)` : ''}`,
      value: WEIGHTS.section.errors * 0.5 ** (rank / 2) * (error.count > 1 ? 1.5 : 1),
      origin: 'errors',
      reason: `seen ${error.count} times`,
    }))
}
