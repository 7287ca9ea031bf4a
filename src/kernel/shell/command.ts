import type { CommandPurpose } from '../checkpoint.ts'
import { clip } from '../text/text.ts'
import { splitChain } from './command-chain.ts'
import { pathFrom, relativePath } from '../paths/paths.ts'

export interface RunContext {
  readonly worktree?: string
  /** The session's working directory. */
  readonly cwd?: string
  /** The folder that the call named, as in `ToolCall.cwd`. */
  readonly ranIn?: string
}

export interface LocatedCommand {
  /** Relative to the worktree; empty at its root. */
  readonly folder: string
  readonly part: string
  /** Which segment of the line it is. */
  readonly index: number
}

const GOES_TO = /^(?:cd|pushd)(?:\s+(?:--\s+)?("[^"]*"|'[^']*'|[^\s<>]+))?(?:\s|$)/

export function isOutside(folder: string): boolean {
  return folder.startsWith('/') || /^[A-Za-z]:\//.test(folder)
}

/** Relative to the worktree's root; a path outside stays absolute. */
function fromRoot(path: string, { worktree, cwd }: RunContext): string {
  if (path === '/') return path
  const inside = relativePath(path, { worktree }) ?? ''
  // The session's own folder by another path, such as a symlink.
  const base = cwd === undefined || !isOutside(relativePath(cwd, { worktree }) ?? '') ? undefined : cwd
  if (base === undefined || !isOutside(inside)) return inside
  return relativePath(path, { worktree: base }) ?? ''
}

/** Where a `cd` leads. A hook after the command may report the folder that the command changed to already. */
function wentTo(target: string, from: string, where: RunContext): string {
  const bare = target.replace(/^(["'])(.*)\1$/, '$2').replace(/(?<=.)\/+$/, '')
  if (bare === '.' || (!/^[./~$]/.test(bare) && (from === bare || from.endsWith(`/${bare}`)))) return from
  const root = where.worktree ?? ''
  const base = from === '' ? root : pathFrom(root, from)
  return fromRoot(base === '' ? bare : pathFrom(base, bare), where)
}

function beginning(where: RunContext): string {
  const { worktree, cwd, ranIn } = where
  const base = cwd ?? worktree
  if (ranIn !== undefined) return fromRoot(base === undefined ? ranIn : pathFrom(base, ranIn), where)
  const folder = cwd === undefined ? '' : fromRoot(cwd, where)
  // A session outside the worktree is treated as being at its root.
  return isOutside(folder) ? '' : folder
}

/** The commands of a line that could be run again, each with its folder: `npm test` of one package is not that of another. */
export function locateCommands(segments: readonly string[], where: RunContext): readonly LocatedCommand[] {
  const placed: LocatedCommand[] = []
  let folder = beginning(where)
  for (const [index, segment] of segments.entries()) {
    const goes = GOES_TO.exec(segment)
    if (goes === null) for (const part of listRunnableCommands(segment)) placed.push({ folder, part, index })
    else if (index > 0 || where.ranIn === undefined)
      folder = goes[1] === undefined ? '~' : wentTo(goes[1], folder, where)
  }
  return placed
}

/** The same commands as they are run from the worktree's root. */
export function listCommands(line: string, where: RunContext): readonly string[] {
  const commands = locateCommands(splitCommandLine(line), where).map(({ folder, part }) =>
    runsFromAnywhere(part) && !isOutside(folder) ? part : withCommandFolder(folder, part),
  )
  return [...new Set(commands)]
}

const MAX_COMMAND_CHARS = 240
/** Not a command substitution that continues after the space: `ID=$(curl -s …)`. */
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=(?!\S*(?:\$\([^)\s]*|`[^`\s]*)$)\S*$/
/** The value may have spaces in it: `NODE_OPTIONS="--a --b" npm test`. */
const QUOTED_ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=(?:'[^']*'|"(?:[^"\\]|\\[\s\S])*")(?:\s+|$)/
const WRAPPERS: ReadonlySet<string> = new Set('sudo time env nohup exec command nice ! ( {'.split(' '))

/** Navigation, inspection and clean-up: not how the project is built or tested. */
const LOOKING: ReadonlySet<string> = new Set(
  'cd ls cat head tail less more grep egrep rg ag fd find sed awk cut tr sort uniq wc pwd echo printf which type whoami date sleep true false test [ [[ mkdir rm rmdir cp mv ln touch chmod chown tree stat file diff cmp jq xargs tee export unset set source . kill pkill ps lsof open clear history for while if then else fi do done case esac read return exit wait break continue elif until shift trap local declare eval pushd popd EOF tmux'.split(
    ' ',
  ),
)

/** The commands of a line, without what joins them. */
export function splitCommandLine(command: string): readonly string[] {
  return splitChain(command).map(({ text }) => text)
}

const WORD = /(?:[^\s"']|"[^"]*"|'[^']*')+/g
const WORD_OR_REDIRECTION = /(?:[^\s"'<>]|"[^"]*"|'[^']*')+|[<>]+/g

/** The words of a segment as they are written, quotes included; with `splitsRedirections`, `<` and `>` are words of their own. */
export function splitQuotedWords(segment: string, { splitsRedirections = false } = {}): readonly string[] {
  return segment.match(splitsRedirections ? WORD_OR_REDIRECTION : WORD) ?? []
}

function splitWords(segment: string): readonly string[] {
  let rest = segment
  for (let value = QUOTED_ASSIGNMENT.exec(rest); value !== null; value = QUOTED_ASSIGNMENT.exec(rest))
    rest = rest.slice(value[0].length)
  const words = rest.split(/\s+/)
  let start = 0
  while (start < words.length) {
    const word = words[start] ?? ''
    if (/^g?timeout$/.test(word)) start += 1 + countOptions(words.slice(start + 1)) + 1
    else if (TAKES_OPTIONS.has(word)) start += 1 + countOptions(words.slice(start + 1))
    else if (WRAPPERS.has(word) || ASSIGNMENT.test(word)) start += 1
    else break
  }
  return words.slice(start)
}

/** Wrappers whose options come before the program. */
const TAKES_OPTIONS: ReadonlySet<string> = new Set('env time nice stdbuf xvfb-run'.split(' '))
const OPTION_WITH_VALUE = /^(?:-[ksnu]|--(?:kill-after|signal|adjustment|unset))$/

function countOptions(words: readonly string[]): number {
  let count = 0
  while (words[count]?.startsWith('-') === true) count += OPTION_WITH_VALUE.test(words[count] ?? '') ? 2 : 1
  return count
}

/** With an inline script they are a one-off, not a command of the project. */
const INTERPRETERS: ReadonlySet<string> = new Set('node python python3 ruby perl php bash sh deno bun'.split(' '))

const REDIRECTION = /\s*(?:\d?>>?\s*&?\s*\S+|<\s*\S+)/g

const IN_FOLDER = /^\(cd ("[^"]*"|\S+) && (.+)\)$/s

/** A shell splits at these; `~` and `$HOME` are left for it to expand. */
const BREAKS_A_WORD = /[\s'()[\]{}<>&|;*?]/

/** A command of a folder below the root, as it is run from the root. */
export function withCommandFolder(folder: string, part: string): string {
  return folder === '' ? part : `(cd ${BREAKS_A_WORD.test(folder) ? `"${folder}"` : folder} && ${part})`
}

/** The folder of a command; empty at the root. */
export function getCommandFolder(command: string): string {
  return IN_FOLDER.exec(command)?.[1]?.replaceAll('"', '') ?? ''
}

/** The command without its folder. */
export function stripCommandFolder(command: string): string {
  return IN_FOLDER.exec(command)?.[2] ?? command
}

/** They find the project's root by themselves. */
const FROM_ANYWHERE = /^(?:mise|just|task|nx|turbo|bazel|git|gh)(?:\s|$)/

export function runsFromAnywhere(part: string): boolean {
  return FROM_ANYWHERE.test(part)
}

/** The commands a person would run again, without navigation, environment, pagers and redirections. */
export function listRunnableCommands(command: string): readonly string[] {
  const parts: string[] = []
  for (const segment of splitCommandLine(stripCommandFolder(command))) {
    const words = splitWords(segment)
    const program = (words[0] ?? '').replace(/^["'(]+|["')]+$/g, '')
    const isOneOff = INTERPRETERS.has(program) && /^-(?:e|c|p|-eval|-)$/.test(words[1] ?? '')
    // What is left of `command -v x` is an option, not a program.
    if (isOneOff || program === '' || LOOKING.has(program) || !/^(?!-)[\w@./~+-]+$/.test(program)) continue
    const text = words.join(' ').replace(REDIRECTION, '').trim()
    if (text.length >= 2 && !parts.includes(text)) parts.push(clip(text, MAX_COMMAND_CHARS))
  }
  return parts
}

const RUNS_SCRIPTS: ReadonlySet<string> = new Set(
  'npm pnpm yarn bun mise deno composer poetry uv hatch pdm just task'.split(' '),
)
const TAKES_FILE: ReadonlySet<string> = new Set('python python3 node ruby php bash sh perl tsx deno'.split(' '))
const HAS_SUBCOMMANDS: ReadonlySet<string> = new Set(
  'go cargo make docker kubectl terraform npx bunx pnpx gradle mvn dotnet swift mix bundle rails git gh gradlew mvnw bazel nx turbo'.split(
    ' ',
  ),
)

/** What identifies a command: `go test`, `npm run build`, `python scripts/x.py`; without flags and targets. */
export function getCommandHead(part: string): string {
  const words = stripCommandFolder(part).split(' ')
  const program = words[0] ?? ''
  const name =
    program.includes('/') && !program.startsWith('./') ? program.slice(program.lastIndexOf('/') + 1) : program
  const bare = name.replace(/^\.\//, '')
  const rest = words.slice(1).filter((word) => /^[\w:./@-]+$/.test(word) && !word.startsWith('-'))
  if (RUNS_SCRIPTS.has(bare)) return [name, ...rest.slice(0, rest[0] === 'run' ? 2 : 1)].join(' ')
  if (bare === 'gh' || bare === 'git') return [name, ...rest.slice(0, bare === 'gh' ? 2 : 1)].join(' ')
  if (HAS_SUBCOMMANDS.has(bare) || TAKES_FILE.has(bare)) return [name, ...rest.slice(0, 1)].join(' ')
  return name
}

/** They run a command in a container or with another environment. */
const RUNS_ELSEWHERE =
  /^(?:(?:docker(?:-| )compose|docker|podman(?:-| )compose|podman|nerdctl|kubectl|oc)(?: -\S+)* (?:exec|run)|nix(?:-shell| develop| shell)|devbox run|direnv exec|aws-vault exec|doppler run|op run|infisical run|vagrant ssh|ssh|ddev exec|lando|dotenv|\S+ .*\s--(?=\s))\s/
const RUNS_CHECKS =
  /(?<![^\s"'(])(?:\S*\/)?(?:npm|pnpm|yarn|bunx?|npx|deno|python3?|pytest|tox|nox|uv|poetry|go|cargo|make|just|mvnw?|gradlew?|bundle|rspec|rake|rails|phpunit|pest|composer|artisan|dotnet|mix|ctest|bats|vitest|jest|mocha|tsc|eslint|ruff|mypy|playwright|cypress)(?=\s|$).*$/s

/** What a container or an environment runs: `pytest` of `docker compose exec api pytest`. */
function unwrapCommand(part: string): string {
  if (!RUNS_ELSEWHERE.test(part)) return part
  const found = RUNS_CHECKS.exec(part.slice(part.search(/\s/)))
  return found === null ? part : found[0].replace(/["']+$/, '').trim()
}

const TEST =
  /(?:^|[\s:/._-])(?:tests?|spec|pytest|vitest|jest|mocha|rspec|phpunit|ava|playwright|cypress|e2e|nextest|tox|nox|ctest|unittest|cucumber|behave)(?:$|[\s:._-])|^(?:npx |bunx |pnpm exec |yarn |\S*\/)?(?:tape?|bats|karma|pest|nose2|prove|minitest)(?:\s|$)/
const LINT =
  /(?:^|[\s:/])(?:lint|eslint|oxlint|biome|prettier|gofmt|golangci-lint|ruff|flake8|mypy|pyright|clippy|fmt|format|typecheck|tsc|vet|check|shellcheck|black)(?:$|[\s:])/
const BUILD =
  /(?:^|[\s:/])(?:build|compile|bundle|webpack|rollup|esbuild|make|gradlew?|mvnw?|assemble|install|ci)(?:$|[\s:])/
const VCS = /^(?:git|gh|hg|svn|jj|glab)(?:$|\s)/

/** The words that show the purpose: `golangci-lint run --build-tags=e2e ./e2e_test/...` is not a test, `bash scripts/test.sh` is. */
function namingWords(part: string): readonly string[] {
  const [program = '', ...rest] = part.split(' ')
  const isOption = (word: string) => word.startsWith('-')
  const first = rest.findIndex((word) => !isOption(word))
  const takesFile = TAKES_FILE.has(program.slice(program.lastIndexOf('/') + 1))
  return [program, ...rest.filter((word, at) => !isOption(word) && ((takesFile && at === first) || !/[/.]/.test(word)))]
}

/** Whatever their arguments are called. */
const OWN_PURPOSE: readonly { readonly pattern: RegExp; readonly purpose: CommandPurpose }[] = [
  { pattern: /^(?:node|tsx)\s(?:.*\s)?--test(?:\s|=|$)/, purpose: 'test' },
  { pattern: /^(?:go|cargo|swift|dotnet|zig) build(?:\s|$)/, purpose: 'build' },
  { pattern: /^(?:go vet|cargo (?:clippy|check|fmt))(?:\s|$)/, purpose: 'lint' },
  { pattern: /^(?:\.\/)?(?:gradlew?|mvnw?)\s.*(?:\bbootRun|:run|:bootRun|exec:java)\b/, purpose: 'run' },
  { pattern: /^(?:\.\/)?gradlew?\s(?:\S+\s)*\S*?\bcheck(?:\s|$)/, purpose: 'build' },
]

export function classifyCommand(command: string): CommandPurpose {
  const part = unwrapCommand(stripCommandFolder(command))
  if (VCS.test(part)) return 'vcs'
  const own = OWN_PURPOSE.find(({ pattern }) => pattern.test(part))
  if (own !== undefined) return own.purpose
  const head = namingWords(part).slice(0, 4).join(' ')
  if (TEST.test(head)) return 'test'
  if (LINT.test(head)) return 'lint'
  if (BUILD.test(head)) return 'build'
  return /^(?:\.\/|node |python3? |npm |pnpm |yarn |bun |go run|cargo run|docker|npx )/.test(part) ? 'run' : 'other'
}

/** `git checkout -- x`, `git restore`, `git reset --hard`, `git revert`, `git stash`. */
export function isDiscardingWork(part: string): boolean {
  return /^git (?:checkout (?:\S+ )?-- |restore (?!--staged)|reset --hard|revert |stash(?: push)?$|clean -)/.test(part)
}

const SEARCHERS: ReadonlySet<string> = new Set(['rg', 'grep', 'egrep', 'fgrep', 'ag', 'ack', 'fd', 'find'])

function isSearch(segment: string): boolean {
  const [program = '', subcommand] = splitWords(segment)
  return SEARCHERS.has(program) || (program === 'git' && subcommand === 'grep')
}

export function isSearchCommand(command: string): boolean {
  return splitCommandLine(command).some(isSearch)
}

/** Whether the line only searches the file, if it names it at all. */
export function isOnlySearched(command: string, name: string): boolean {
  return splitCommandLine(command).every((segment) => !segment.includes(name) || isSearch(segment))
}
