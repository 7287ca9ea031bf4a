import type { CommandPurpose } from '../checkpoint.ts'
import { coversCommand, keyedCommands } from './command-key.ts'
import { classifyCommand, getCommandFolder, stripCommandFolder } from './command.ts'

/** Scripts that run all tests or lints of a project, by their keys: without output options, with no choice of tests. */
const TASKS =
  /^(?:tox|nox|(?:mise(?: run)?|make|just|task|rake|turbo(?: run)?) (?:tests?|lint|check|ci|tests?[:-](?:all|ci)))$/
const SCRIPTS = /^(?:npm|pnpm|yarn|bun) (tests?|lint|check|ci|tests?[:-](?:all|ci))$/
/** Runners without a choice of tests, each with what begins another run of it. */
const RUNNERS: readonly { readonly whole: RegExp; readonly part: RegExp }[] = [
  { whole: /^go \.\.\. test$/, part: /^go test\b/ },
  { whole: /^pytest$/, part: /^(?:\S+ )*pytest\b/ },
  { whole: /^cargo (?:nextest run|test)$/, part: /^cargo (?:nextest|test)\b/ },
  { whole: /^(?:mvnw?|gradlew?|dotnet|mix|swift) test$/, part: /^(?:\.\/)?(?:mvnw?|gradlew?|dotnet|mix|swift) .*test/ },
]
const OF_SCRIPTS =
  /^(?:(?:npx|bunx|pnpm|yarn|npm|bun)\s|(?:\S*\/)?(?:vitest|jest|mocha|ava|node|tsx|eslint|biome|oxlint|prettier)\b)/
/** Other checks than those that a project runs by default, unless a script says so in its name. */
const OF_A_KIND =
  /e2e|integration|smoke|acceptance|slow|playwright|cypress|tags?[= ]|--features|--workspace|--filter|\s(?:-c|--config)[= ]|\btsc\b|type-?check|mypy|pyright|prettier|\bfmt\b|format/i
const SAYS_ALL = /\b(?:all|ci)\b/

function isBelow(folder: string, root: string): boolean {
  return root === '' || folder === root || folder.startsWith(`${root}/`)
}

const RUNNER = /\b(?:go|pytest|cargo|mvnw?|gradlew?|dotnet|mix|swift)\b/

function getRunner(command: string): string | undefined {
  return RUNNER.exec(command)?.[0].replace(/w$/, '')
}

/** Whether a run of everything that the project has includes what another run was about. */
function isWholeOf(whole: string, part: string, purpose: CommandPurpose): boolean {
  const [only, ...others] = keyedCommands(stripCommandFolder(whole))
  if (only === undefined || others.length > 0) return false
  const bare = stripCommandFolder(part)
  if (OF_A_KIND.test(bare) && !SAYS_ALL.test(only.key)) return false
  const isHere = isBelow(getCommandFolder(part), getCommandFolder(whole))
  if (TASKS.test(only.key)) return isHere && classifyCommand(whole) === purpose
  if (SCRIPTS.test(only.key)) return getCommandFolder(part) === getCommandFolder(whole) && OF_SCRIPTS.test(bare)
  const isSameRunner = getRunner(bare) === getRunner(stripCommandFolder(whole))
  return isHere && isSameRunner && RUNNERS.some((runner) => runner.whole.test(only.key) && runner.part.test(bare))
}

/** Whether a later green run of one command settles that a run of the other failed. */
export function settlesCommand(later: string, failed: string): boolean {
  if (coversCommand(later, failed)) return true
  const purpose = classifyCommand(failed)
  return (
    (purpose === 'test' || purpose === 'lint') &&
    classifyCommand(later) === purpose &&
    isWholeOf(later, failed, purpose)
  )
}
