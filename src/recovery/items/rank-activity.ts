import type { CommandRun, ErrorRecord, TestResult } from '../../kernel/checkpoint.ts'
import { stripCommandFolder, getCommandFolder, getCommandHead, withCommandFolder } from '../../kernel/shell/command.ts'
import { clip, pluralize } from '../../kernel/text/text.ts'
import { type Item, createShare } from './item.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { WEIGHTS } from '../../checkpoint/work/weights.ts'
import { coversCommand } from '../../kernel/shell/command-key.ts'

export interface FailingRun {
  readonly command: string
  /** The runner's totals: `11 passed, 1 failed`. */
  readonly totals?: string
  readonly names: readonly string[]
}

/** Whether a newer passing run includes everything that the failing run was about. */
function isOvertaken(run: TestResult, tests: readonly TestResult[]): boolean {
  return tests.some(
    (other) =>
      other.status === 'passing' && other.lastOrder > run.lastOrder && coversCommand(other.command, run.command),
  )
}

const TOTALS = /^\d+ (?:passed|failed|pending)(?:, \d+ (?:failed|pending))*$/

/** The newest first, without those that a newer passing run has superseded. */
export function findFailingRuns(tests: readonly TestResult[]): readonly FailingRun[] {
  const red = tests.filter((test) => test.status === 'failing' && !isOvertaken(test, tests))
  const commands = [...new Set(red.toSorted((a, b) => b.lastOrder - a.lastOrder).map((test) => test.command))]
  return commands.map((command) => {
    const listed = red.filter((test) => test.command === command && test.name !== command).map((test) => test.name)
    return {
      command,
      totals: listed.find((name) => TOTALS.test(name)),
      names: listed.filter((name) => !TOTALS.test(name)),
    }
  })
}

const MAX_COMMAND_CHARS = 90
const MAX_RED_RUNS = 2
const MAX_FAILING_NAMES = 6

/** An agent looks at the repository anyway. */
const OF_GIT = /^git(?:\s|$)/

/** One command per folder and head (`go test`, `npm run build`): the newest way it was run. */
export function commandItems({ view, commands }: CheckedView): readonly Item[] {
  const seen = new Map<string, number>()
  const likely: { readonly run: CommandRun; readonly chance: number }[] = []
  for (const run of view.work.commands.toSorted((a, b) => b.lastOrder - a.lastOrder)) {
    if (OF_GIT.test(stripCommandFolder(run.command))) continue
    const head = withCommandFolder(getCommandFolder(run.command), getCommandHead(run.command))
    if (seen.has(head)) continue
    const rank = seen.size
    seen.set(head, rank)
    const chance = WEIGHTS.command[run.purpose] * 0.5 ** (rank / WEIGHTS.commandHalfLife)
    if (chance >= WEIGHTS.leastChance.commands) likely.push({ run, chance })
  }
  const share = createShare(likely.map(({ chance }) => chance))
  return likely.map(({ run, chance }) => ({
    section: 'commands',
    subject: { kind: 'command', command: run.command, status: run.ok ? 'passed' : 'failed' },
    text: `\`${run.command.length <= MAX_COMMAND_CHARS ? run.command : clip(run.command, MAX_COMMAND_CHARS)}\`${run.ok ? '' : ' (failed)'}`,
    value: WEIGHTS.section.commands * WEIGHTS.need.commands * share(chance),
    origin: 'commands',
    reason: `${run.purpose}, ${pluralize(run.runs, 'run')}, ${run.failures} failed`,
    verdict: commands.get(run.command),
  }))
}

export function identifierItems({ view }: CheckedView): readonly Item[] {
  const fileOf = new Map(view.work.files.flatMap(({ path, names = [] }) => names.map((name) => [name, path])))
  const share = createShare(view.work.identifiers.map(({ weight }) => weight))
  const likeliest = Math.max(0, ...view.work.identifiers.map(({ weight }) => weight))
  return view.work.identifiers.flatMap(({ name, weight: chance }, rank): readonly Item[] => {
    if (chance < likeliest * WEIGHTS.name.leastShare) return []
    return [
      {
        section: 'identifiers',
        subject: { kind: 'identifier', name, file: fileOf.get(name) },
        text: name,
        value: WEIGHTS.section.identifiers * WEIGHTS.need.names * share(chance),
        origin: 'identifiers',
        reason: `chance ${chance}, place ${rank + 1}`,
      },
    ]
  })
}

/** One item per failing run: the command and the failing tests. */
export function failingItems({ view, testRuns }: CheckedView): readonly Item[] {
  return findFailingRuns(view.work.tests)
    .slice(0, MAX_RED_RUNS)
    .map(({ command, totals, names }, rank) => {
      const listed = totals === undefined ? names : [totals, ...names]
      const shown = listed.slice(0, MAX_FAILING_NAMES).join(', ')
      return {
        section: 'failing',
        subject: { kind: 'test-run', command, names },
        text: `\`${clip(command, MAX_COMMAND_CHARS)}\`${shown === '' ? '' : ` (${clip(shown, 200)})`}`,
        value: WEIGHTS.section.failing * 0.5 ** rank,
        origin: 'tests',
        reason: 'failed when it last ran',
        verdict: testRuns.get(command),
      }
    })
}

const MAX_SOLVED = 4

/** Open errors first, newest and most frequent before others, then solved ones, which often come back. */
export function errorItems({ view }: CheckedView): readonly Item[] {
  const newest = view.work.errors.toSorted((a, b) => b.lastOrder - a.lastOrder)
  const items = (errors: readonly ErrorRecord[], share: number) =>
    errors.map(
      (error, rank): Item => ({
        section: 'errors',
        subject: { kind: 'error', error },
        text: `${clip(error.text, 150)}${error.count > 1 ? ` ×${error.count}` : ''}${error.resolution === undefined ? '' : ' (solved)'}`,
        value: share * WEIGHTS.section.errors * 0.5 ** (rank / 2) * (error.count > 1 ? 1.5 : 1),
        origin: 'errors',
        reason: `seen ${pluralize(error.count, 'time')}${error.resolution === undefined ? '' : ', then solved'}`,
      }),
    )
  const isOpen = ({ resolution }: ErrorRecord) => resolution === undefined
  const solved = newest.filter((error) => !isOpen(error)).slice(0, MAX_SOLVED)
  return [...items(newest.filter(isOpen), 1), ...items(solved, WEIGHTS.solvedErrorShare)]
}
