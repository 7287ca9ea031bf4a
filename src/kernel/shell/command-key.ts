import type { CommandPurpose } from '../checkpoint.ts'
import type { ToolCall } from '../event.ts'
import { inFolder, purposeOf, runsFromAnywhere } from './command.ts'
import { relativePath } from '../paths/paths.ts'
import { isOutside, type PlacedPart, placedParts, type Where } from './run-folder.ts'

export interface KeyedCommand {
  /** The same for two commands that do the same: folder, program, script and targets, without how much is printed. */
  readonly key: string
  /** As it was typed, and where when that is not the worktree's root. */
  readonly command: string
  readonly purpose: CommandPurpose
}

const MAX_KEY_CHARS = 200
const CHECKS: ReadonlySet<CommandPurpose> = new Set<CommandPurpose>(['test', 'build', 'lint'])

/** What is asked again and again until it answers; that it fails meanwhile says nothing. */
const POLLS =
  /^(?:curl|wget|nc|ncat|ping|telnet|ssh|pgrep|lsof|ss|netstat|pg_isready|redis-cli|timeout|watch|until|gh (?:run|pr|api)|kubectl (?:get|wait|logs|describe)|docker(?:-compose| compose)? (?:ps|logs|inspect|wait)|systemctl (?:status|is-active)|git (?:status|diff|log|show|branch|fetch|ls-files|rev-parse|merge-base|grep|check-ignore|config))\b/

/** Another way to the same program. */
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
/** Takes a word after it, and says how to run or what to print. */
const TAKES_WORD: ReadonlySet<string> = new Set(
  '--reporter --tb -n --numprocesses --timeout -timeout --maxworkers --workers -j --jobs --color --format --config --loglevel --retries --pool --output -o -count --testtimeout --hooktimeout'.split(
    ' ',
  ),
)

/** Does something else than looking: a linter that mends, a build that begins anew. */
const CHANGING: ReadonlySet<string> = new Set(
  '--fix --write --apply --update -u --updatesnapshot --update-snapshots --force --no-cache --clean --release'.split(
    ' ',
  ),
)
/** How packages are fetched is in the flags. */
const FETCHES =
  /^(?:npm|pnpm|yarn|bun|pip3?|poetry|uv|bundle|composer|cargo|go|brew|apt(?:-get)?)\b.* (?:install|ci|add)(?: |$)/

const INTERPRETER = /^(?:python|node|ruby|perl|php|bash|sh|deno|bun|tsx)$/

function withoutRunner(part: string): string {
  let text = part.replace(/^(?:\S*\/)?node_modules\/\.bin\//, '').replace(/^(?:\S*\/)?\.?venv\/bin\//, '')
  for (const runner of RUNNERS) text = text.replace(runner, '')
  return text.replace(SCRIPT_RUNNER, '$1 ').replace(/^(npm|pnpm|yarn) t(?= |$)/, '$1 test')
}

function plainWord(word: string, where: Where): string {
  const bare = word.replace(/^(["'])(.*)\1$/, '$2')
  if (!/[/\\]/.test(bare) || /^\w+:\/\//.test(bare) || bare.startsWith('-')) return bare
  return relativePath(bare, { worktree: where.worktree }) ?? '.'
}

/** A check's targets and what selects among them, in any order; flags that say how are left out. */
function targetsOf(words: readonly string[], where: Where): readonly string[] {
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

function keyOfPart({ part, folder: ranIn }: PlacedPart, where: Where): KeyedCommand | undefined {
  const text = withoutRunner(part)
  if (POLLS.test(text)) return undefined
  const [program = '', ...rest] = text.split(/\s+/)
  const name = program.replace(/^python3(?:\.\d+)?$/, 'python').replace(/^\.\//, '')
  // A script from standard input or the command line: the next one is another.
  if (INTERPRETER.test(name) && !rest.some((word) => /^[\w@./~+-]*\w$/.test(word) && !word.startsWith('-')))
    return undefined
  const purpose = purposeOf(text)
  const folder = runsFromAnywhere(name) && !isOutside(ranIn) ? '' : ranIn
  const isLooking = CHECKS.has(purpose) && !FETCHES.test(text)
  const words = isLooking ? targetsOf(rest, where) : rest.map((word) => plainWord(word, where))
  const key = [...(folder === '' ? [] : [`${folder}:`]), name, ...words]
    .join(' ')
    .slice(0, MAX_KEY_CHARS)
    .toWellFormed()
  return { key, command: inFolder(folder, part), purpose }
}

/** The commands of a line that could be run again and fail again: no navigation, no looking around, no polling. */
export function keyedCommands(line: string, where: Where = {}): readonly KeyedCommand[] {
  const keyed = placedParts(line, where).flatMap((placed) => keyOfPart(placed, where) ?? [])
  return keyed.filter(({ key }, index) => keyed.findIndex((other) => other.key === key) === index)
}

export function isCheck({ purpose }: Pick<KeyedCommand, 'purpose'>): boolean {
  return CHECKS.has(purpose)
}

const EDIT = 'edit '

/** Edits, by their file: one that the harness refuses again and again goes round like a command does. */
export function keyedEdits({ files }: Pick<ToolCall, 'files'>, where: Where = {}): readonly KeyedCommand[] {
  return files.flatMap(({ path, action }) => {
    const relative = action === 'read' ? undefined : relativePath(path, where)
    return relative === undefined ? [] : [{ key: `${EDIT}${relative}`, command: `edit ${relative}`, purpose: 'other' }]
  })
}

export function isEdit({ key }: Pick<KeyedCommand, 'key'>): boolean {
  return key.startsWith(EDIT)
}
