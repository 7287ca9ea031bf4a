import type { CommandRun, ErrorRecord, TestResult } from '../checkpoint.ts'
import { keyedCommands } from '../negative/command-key.ts'
import { bareOf, folderOf, headOf, inFolder } from '../work/command.ts'
import { clip, counted } from '../work/text.ts'
import type { Item } from './item.ts'
import type { CheckedView } from './recheck.ts'
import { shareOf } from './share.ts'
import { WEIGHTS } from './weights.ts'

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
  const homes = new Map(view.work.files.flatMap(({ path, names = [] }) => names.map((name) => [name, path])))
  const share = shareOf(view.work.identifiers.map(({ weight }) => weight))
  const likeliest = Math.max(0, ...view.work.identifiers.map(({ weight }) => weight))
  return view.work.identifiers.flatMap(({ name, weight: chance }, rank): readonly Item[] => {
    if (chance < likeliest * WEIGHTS.name.leastShare) return []
    const file = homes.get(name)
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

/** The whole of a project or package. */
const ALL_OF_IT: ReadonlySet<string> = new Set(['.', './...', '...'])

/** The words that say what a test run was about, whatever it printed. */
function aboutOf(command: string): readonly string[] {
  const keys = keyedCommands(command).flatMap(({ key }) => key.split(' '))
  return keys.filter((word) => !ALL_OF_IT.has(word))
}

/** A newer green run has overtaken a red one when it left out nothing that the red one was about. */
function isOvertaken(run: TestResult, tests: readonly TestResult[]): boolean {
  const about = new Set(aboutOf(run.command))
  return tests.some(
    (other) =>
      other.status === 'passing' &&
      other.lastOrder > run.lastOrder &&
      headOf(other.command) === headOf(run.command) &&
      folderOf(other.command) === folderOf(run.command) &&
      aboutOf(other.command).every((word) => about.has(word)),
  )
}

/** One item per red run: the command and the tests it named. */
export function failingItems({ view, testRuns }: CheckedView): readonly Item[] {
  const { tests } = view.work
  const red = tests.filter((test) => test.status === 'failing' && !isOvertaken(test, tests))
  const commands = [...new Set(red.toSorted((a, b) => b.lastOrder - a.lastOrder).map((test) => test.command))]
  return commands.slice(0, MAX_RED_RUNS).map((command, rank) => {
    const names = red.filter((test) => test.command === command && test.name !== command).map((test) => test.name)
    const shown = names.slice(0, MAX_FAILING_NAMES).join(', ')
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
