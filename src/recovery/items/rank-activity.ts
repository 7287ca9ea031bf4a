import type { CommandRun, ErrorRecord } from '../../kernel/checkpoint.ts'
import { bareOf, folderOf, headOf, inFolder } from '../../kernel/shell/command.ts'
import { clip, counted } from '../../kernel/text/text.ts'
import type { Item } from './item.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { redRunsIn } from './failing-runs.ts'
import { shareOf } from './share.ts'
import { WEIGHTS } from '../../checkpoint/work/weights.ts'

const MAX_COMMAND_CHARS = 90
const MAX_RED_RUNS = 2
const MAX_FAILING_NAMES = 6

/** Whoever goes on looks at the repository unasked. */
const OF_GIT = /^git(?:\s|$)/

/** One command per folder and head (`go test`, `npm run build`): the newest way it was run. */
export function commandItems({ view, commands }: CheckedView): readonly Item[] {
  const seen = new Map<string, number>()
  const likely: { readonly run: CommandRun; readonly chance: number }[] = []
  for (const run of view.work.commands.toSorted((a, b) => b.lastOrder - a.lastOrder)) {
    if (OF_GIT.test(bareOf(run.command))) continue
    const head = inFolder(folderOf(run.command), headOf(run.command))
    if (seen.has(head)) continue
    const rank = seen.size
    seen.set(head, rank)
    const chance = WEIGHTS.command[run.purpose] * 0.5 ** (rank / WEIGHTS.commandHalfLife)
    if (chance >= WEIGHTS.leastChance.commands) likely.push({ run, chance })
  }
  const share = shareOf(likely.map(({ chance }) => chance))
  return likely.map(({ run, chance }) => ({
    section: 'commands',
    text: `\`${run.command.length <= MAX_COMMAND_CHARS ? run.command : clip(run.command, MAX_COMMAND_CHARS)}\`${run.ok ? '' : ' (failed)'}`,
    value: WEIGHTS.section.commands * WEIGHTS.need.commands * share(chance),
    origin: 'commands',
    reason: `${run.purpose}, ${counted(run.runs, 'run')}, ${run.failures} failed`,
    verdict: commands.get(run.command),
  }))
}

export function identifierItems({ view }: CheckedView): readonly Item[] {
  const fileOf = new Map(view.work.files.flatMap(({ path, names = [] }) => names.map((name) => [name, path])))
  const share = shareOf(view.work.identifiers.map(({ weight }) => weight))
  const likeliest = Math.max(0, ...view.work.identifiers.map(({ weight }) => weight))
  return view.work.identifiers.flatMap(({ name, weight: chance }, rank): readonly Item[] => {
    if (chance < likeliest * WEIGHTS.name.leastShare) return []
    const file = fileOf.get(name)
    return [
      {
        section: 'identifiers',
        text: name,
        value: WEIGHTS.section.identifiers * WEIGHTS.need.names * share(chance),
        origin: 'identifiers',
        reason: `chance ${chance}, place ${rank + 1}`,
        ...(file === undefined ? {} : { file }),
      },
    ]
  })
}

/** One item per red run: the command and the tests it named. */
export function failingItems({ view, testRuns }: CheckedView): readonly Item[] {
  return redRunsIn(view.work.tests)
    .slice(0, MAX_RED_RUNS)
    .map(({ command, totals, names }, rank) => {
      const told = totals === undefined ? names : [totals, ...names]
      const shown = told.slice(0, MAX_FAILING_NAMES).join(', ')
      return {
        section: 'failing',
        text: `\`${clip(command, MAX_COMMAND_CHARS)}\`${shown === '' ? '' : ` (${clip(shown, 200)})`}`,
        value: WEIGHTS.section.failing * 0.5 ** rank,
        origin: 'tests',
        reason: 'failed when it last ran',
        verdict: testRuns.get(command),
      }
    })
}

const MAX_SOLVED = 4

/** Open ones first, newest and most frequent before others; what was solved comes back often enough to be told after them. */
export function errorItems({ view }: CheckedView): readonly Item[] {
  const newest = view.work.errors.toSorted((a, b) => b.lastOrder - a.lastOrder)
  const items = (errors: readonly ErrorRecord[], share: number) =>
    errors.map(
      (error, rank): Item => ({
        section: 'errors',
        text: `${clip(error.text, 150)}${error.count > 1 ? ` ×${error.count}` : ''}${error.resolution === undefined ? '' : ' (solved)'}`,
        value: share * WEIGHTS.section.errors * 0.5 ** (rank / 2) * (error.count > 1 ? 1.5 : 1),
        origin: 'errors',
        reason: `seen ${counted(error.count, 'time')}${error.resolution === undefined ? '' : ', then solved'}`,
      }),
    )
  const isOpen = ({ resolution }: ErrorRecord) => resolution === undefined
  const solved = newest.filter((error) => !isOpen(error)).slice(0, MAX_SOLVED)
  return [...items(newest.filter(isOpen), 1), ...items(solved, WEIGHTS.solvedErrorShare)]
}
