import type { CommandPurpose } from '../checkpoint.ts'
import type { ToolCall } from '../event.ts'
import {
  withCommandFolder,
  classifyCommand,
  runsFromAnywhere,
  getCommandFolder,
  getCommandHead,
  isOutside,
  type LocatedCommand,
  locateCommands,
  splitCommandLine,
  type RunContext,
} from './command.ts'
import { relativePath } from '../paths/paths.ts'

/** Arguments that mean a whole project or package. */
const ALL_OF_IT: ReadonlySet<string> = new Set(['.', './...', '...'])

/** What a run was about, without output options. */
function listTargets(command: string): readonly string[] {
  const keys = keyedCommands(command).flatMap(({ key }) => key.split(' '))
  return keys.filter((word) => !ALL_OF_IT.has(word))
}

/** `a/b.test.ts` of `a`, `a/b` of `a/...`. */
function isInside(path: string, folder: string): boolean {
  return folder.includes('/') && path.startsWith(`${folder.replace(/\/(?:\.\.\.)?$/, '')}/`)
}

/** Whether a run of one command includes everything that a run of the other is about. */
export function coversCommand(wider: string, narrower: string): boolean {
  if (wider === narrower) return true
  if (getCommandHead(wider) !== getCommandHead(narrower) || getCommandFolder(wider) !== getCommandFolder(narrower))
    return false
  const about = listTargets(narrower)
  return listTargets(wider).every((word) => about.some((other) => other === word || isInside(other, word)))
}

export interface KeyedCommand {
  /** Equal for two commands that do the same: folder, program, script and targets, without output options. */
  readonly key: string
  /** As typed, with its folder if that is not the worktree's root. */
  readonly command: string
  readonly purpose: CommandPurpose
}

const MAX_KEY_CHARS = 260
const CHECKS: ReadonlySet<CommandPurpose> = new Set<CommandPurpose>(['test', 'build', 'lint'])

/** Polling: it is expected to fail until it succeeds. */
const POLLS =
  /^(?:curl|wget|nc|ncat|ping|telnet|ssh|pgrep|lsof|ss|netstat|pg_isready|redis-cli|timeout|watch|until|gh (?:run|pr|api)|kubectl (?:get|wait|logs|describe)|docker(?:-compose| compose)? (?:ps|logs|inspect|wait)|systemctl (?:status|is-active)|git (?:status|diff|log|show|branch|fetch|ls-files|rev-parse|merge-base|grep|check-ignore|config))\b/

/** Wrappers around the same program. */
const RUNNERS: readonly RegExp[] = [
  /^(?:npx|bunx|pnpx)(?: -(?:y|-yes|-no-install|-no))* (?!-)/,
  /^(?:pnpm|yarn) (?:exec|dlx) /,
  /^(?:uv|poetry|pdm|hatch|rye|pipenv) run (?!-)/,
  /^bundle exec /,
  /^python3? -m (?=pytest|unittest|mypy|ruff|black|tox)/,
]
const SCRIPT_RUNNER = /^(npm|pnpm|yarn|bun) (?:run|run-script|--silent|-s) (?=[\w:.@/-]+)/

/** Which part of a project or of its tests a check is about. */
const SELECTING: ReadonlySet<string> = new Set(
  '-k -t -m -g -w -p --grep --filter -run --run --test --testnamepattern --testpathpattern --package --project --workspace --prefix --bin --example --features --only -tags --tags -f -d -c --cwd'.split(
    ' ',
  ),
)
/** Options with a value that only affect how it runs or prints. */
const TAKES_WORD: ReadonlySet<string> = new Set(
  '--reporter --tb -n --numprocesses --timeout -timeout --maxworkers --workers -j --jobs --color --format --config --loglevel --retries --pool --output -o -count --testtimeout --hooktimeout'.split(
    ' ',
  ),
)

/** Options that change what a check does: a linter that fixes, a clean build. */
const CHANGING: ReadonlySet<string> = new Set(
  '--fix --write --apply --update -u --updatesnapshot --update-snapshots --force --no-cache --clean --release'.split(
    ' ',
  ),
)
/** Package installations, whose flags matter. */
const FETCHES =
  /^(?:npm|pnpm|yarn|bun|pip3?|poetry|uv|bundle|composer|cargo|go|brew|apt(?:-get)?)\b.* (?:install|ci|add)(?: |$)/

const INTERPRETER = /^(?:python|node|ruby|perl|php|bash|sh|deno|bun|tsx)$/

function withoutRunner(part: string): string {
  let text = part.replace(/^(?:\S*\/)?node_modules\/\.bin\//, '').replace(/^(?:\S*\/)?\.?venv\/bin\//, '')
  for (const runner of RUNNERS) text = text.replace(runner, '')
  return text.replace(SCRIPT_RUNNER, '$1 ').replace(/^(npm|pnpm|yarn) t(?= |$)/, '$1 test')
}

function plainWord(word: string, where: RunContext): string {
  const bare = word.replace(/^(["'])(.*)\1$/, '$2')
  if (!/[/\\]/.test(bare) || /^\w+:\/\//.test(bare) || bare.startsWith('-')) return bare
  return relativePath(bare, { worktree: where.worktree }) ?? '.'
}

/** A check's targets and selecting options, sorted; other flags are left out. */
function listSelectors(words: readonly string[], where: RunContext): readonly string[] {
  const targets: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (!word.startsWith('-')) {
      targets.push(plainWord(word, where))
      continue
    }
    const [flag = '', given] = word.split('=', 2)
    const isSelecting = SELECTING.has(flag.toLowerCase())
    const next = words[at + 1]
    const hasNext = given === undefined && next !== undefined && !next.startsWith('-')
    if (hasNext && (isSelecting || TAKES_WORD.has(flag.toLowerCase()))) at += 1
    if (isSelecting) targets.push(`${flag}=${plainWord(given ?? (hasNext ? next : ''), where)}`)
    else if (CHANGING.has(flag.toLowerCase())) targets.push(flag)
  }
  return targets.toSorted()
}

function toKeyedCommand({ part, folder: ranIn }: LocatedCommand, where: RunContext): KeyedCommand | undefined {
  const text = withoutRunner(part)
  if (POLLS.test(text)) return undefined
  const [program = '', ...rest] = text.split(/\s+/)
  const name = program.replace(/^python3(?:\.\d+)?$/, 'python').replace(/^\.\//, '')
  // An inline script: the next one is another.
  const purpose = classifyCommand(text)
  const hasTarget = rest.some((word) => /^[\w@./~+-]*\w$/.test(word) && !word.startsWith('-'))
  if (INTERPRETER.test(name) && !hasTarget && purpose !== 'test') return undefined
  const folder = runsFromAnywhere(name) && !isOutside(ranIn) ? '' : ranIn
  const isLooking = CHECKS.has(purpose) && !FETCHES.test(text)
  const words = isLooking ? listSelectors(rest, where) : rest.map((word) => plainWord(word, where))
  const key = [...(folder === '' ? [] : [`${folder}:`]), name, ...words]
    .join(' ')
    .slice(0, MAX_KEY_CHARS)
    .toWellFormed()
  return { key, command: withCommandFolder(folder, part), purpose }
}

/** The commands of a line that could fail again when run again: no navigation, inspection or polling. */
export function keyedCommands(line: string, where: RunContext = {}): readonly KeyedCommand[] {
  const keyed = locateCommands(splitCommandLine(line), where).flatMap((placed) => toKeyedCommand(placed, where) ?? [])
  return keyed.filter(({ key }, index) => keyed.findIndex((other) => other.key === key) === index)
}

export interface CheckCommand extends KeyedCommand {
  readonly purpose: 'test' | 'build' | 'lint'
  /** Which segment of the line it is. */
  readonly index: number
}

/** They only print: a dry run, or a list. */
const LISTS_ONLY =
  /\s(?:--help|--version|--collect-only|--co|-list|--list|--listTests|--dry-run|--showConfig|--print-config|--init|--no-run)(?:\s|=|$)|^go test\b.*\s-c(?:\s|$)/
/** They rewrite files and judge nothing. */
const FORMATS =
  /^(?:\S+ )*?(?:gofmt|goimports|prettier|black|rustfmt|\S*(?:fmt|format))(?=\s|$)(?!.*\s(?:--check|-c|-l|--list-different|-d|--diff|--verify-no-changes)(?:\s|$)(?!.*\s(?:-w|--write)))/
const SETS_UP = /\b(?:install|playwright install|init|add)\b/

/** Its `install` builds and tests. */
const IS_MAVEN = /^(?:\S*\/)?mvnw?\s/

/** The tests, builds and lints among the commands. */
export function listChecks(segments: readonly string[], where: RunContext): readonly CheckCommand[] {
  return locateCommands(segments, where).flatMap((placed) => {
    const keyed = toKeyedCommand(placed, where)
    if (keyed === undefined) return []
    const { key, command, purpose } = keyed
    const { part, index } = placed
    if (purpose !== 'test' && purpose !== 'build' && purpose !== 'lint') return []
    if (LISTS_ONLY.test(part) || FETCHES.test(part) || (purpose === 'lint' && FORMATS.test(part))) return []
    if (purpose === 'build' && SETS_UP.test(part) && !IS_MAVEN.test(part)) return []
    return [{ key, command, purpose, index }]
  })
}

export function isCheck({ purpose }: Pick<KeyedCommand, 'purpose'>): boolean {
  return CHECKS.has(purpose)
}

const EDIT = 'edit '

/** Edits, keyed by file: an edit that the harness keeps refusing loops like a command. */
export function keyedEdits({ files }: Pick<ToolCall, 'files'>, where: RunContext = {}): readonly KeyedCommand[] {
  return files.flatMap(({ path, action }) => {
    const relative = action === 'read' ? undefined : relativePath(path, where)
    return relative === undefined ? [] : [{ key: `${EDIT}${relative}`, command: `edit ${relative}`, purpose: 'other' }]
  })
}

export function isEdit({ key }: Pick<KeyedCommand, 'key'>): boolean {
  return key.startsWith(EDIT)
}
