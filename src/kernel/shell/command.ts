import type { CommandPurpose } from '../checkpoint.ts'
import { clip } from '../text/text.ts'

const MAX_COMMAND_CHARS = 160
const MAX_SCANNED = 4_000
const HERE_DOCUMENT = /<<-?\s*(['"]?)(\w+)\1[^\n]*\n[\s\S]*?\n\s*\2(?=\s|$)/g
/** What is left of `$(cat <<'EOF' …)` without the document: a text too long to be told. */
const EMPTIED = /\$\(cat\s*\)/g
/** Not one of what a command prints, when the command goes on behind the blank: `ID=$(curl -s …)`. */
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=(?!\S*(?:\$\([^)\s]*|`[^`\s]*)$)\S*$/
/** Its value may have blanks in it: `NODE_OPTIONS="--a --b" npm test`. */
const QUOTED_ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=(?:'[^']*'|"(?:[^"\\]|\\[\s\S])*")(?:\s+|$)/
const WRAPPERS: ReadonlySet<string> = new Set([
  'sudo',
  'time',
  'env',
  'nohup',
  'exec',
  'command',
  'nice',
  '!',
  '(',
  '{',
])

/** Moves around, looks or tidies: says nothing about how this project is built or tested. */
const LOOKING: ReadonlySet<string> = new Set(
  'cd ls cat head tail less more grep egrep rg ag fd find sed awk cut tr sort uniq wc pwd echo printf which type whoami date sleep true false test [ [[ mkdir rm rmdir cp mv ln touch chmod chown tree stat file diff cmp jq xargs tee export unset set source . kill pkill ps lsof open clear history for while if then else fi do done case esac read return exit wait break continue elif until shift trap local declare eval pushd popd EOF tmux'.split(
    ' ',
  ),
)

/** Splits at `&&`, `||`, `;`, `|`, `&` and line ends, but not inside quotes, parentheses or substitutions. */
export function segmentsOf(command: string): readonly string[] {
  const text = command.slice(0, MAX_SCANNED).replace(HERE_DOCUMENT, '').replace(EMPTIED, '…').replace(/\\\n/g, ' ')
  const segments: string[] = []
  let quote = ''
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? ''
    if (quote !== '') {
      if (char === '\\' && quote === '"') at += 1
      else if (char === quote) quote = ''
    } else if (char === '\\') at += 1
    else if (char === '"' || char === "'" || char === '`') quote = char
    else if (char === '(') depth += 1
    else if (char === ')') depth = Math.max(0, depth - 1)
    else if (depth === 0 && isSeparator(text, at)) {
      segments.push(text.slice(start, at))
      start = at + 1
    }
  }
  segments.push(text.slice(start))
  return segments.map((segment) => segment.trim()).filter((segment) => segment !== '' && !segment.startsWith('#'))
}

/** `2>&1` and `&>` redirect; a lone `&` separates. */
function isSeparator(text: string, at: number): boolean {
  const char = text[at]
  if (char === '&') return text[at - 1] !== '>' && text[at + 1] !== '>'
  return char === ';' || char === '|' || char === '\n'
}

function wordsOf(segment: string): readonly string[] {
  let rest = segment
  for (let value = QUOTED_ASSIGNMENT.exec(rest); value !== null; value = QUOTED_ASSIGNMENT.exec(rest))
    rest = rest.slice(value[0].length)
  const words = rest.split(/\s+/)
  let start = 0
  while (start < words.length) {
    const word = words[start] ?? ''
    if (word === 'timeout') start += 2
    else if (WRAPPERS.has(word) || ASSIGNMENT.test(word)) start += 1
    else break
  }
  return words.slice(start)
}

/** With a script on the command line itself they are a question asked once, not a command of the project. */
const INTERPRETERS: ReadonlySet<string> = new Set([
  'node',
  'python',
  'python3',
  'ruby',
  'perl',
  'php',
  'bash',
  'sh',
  'deno',
  'bun',
])

const REDIRECTION = /\s*(?:\d?>>?\s*&?\s*\S+|<\s*\S+)/g

const IN_FOLDER = /^\(cd ("[^"]*"|\S+) && (.+)\)$/s

/** A shell takes these apart; `~` and `$HOME` are left for it to read. */
const BREAKS_A_WORD = /[\s'()[\]{}<>&|;*?]/

/** A command that belongs to a folder below the root, as it is run from there. */
export function inFolder(folder: string, part: string): string {
  return folder === '' ? part : `(cd ${BREAKS_A_WORD.test(folder) ? `"${folder}"` : folder} && ${part})`
}

/** Where a command belongs to; empty at the root. */
export function folderOf(command: string): string {
  return IN_FOLDER.exec(command)?.[1]?.replaceAll('"', '') ?? ''
}

/** The command by itself. */
export function bareOf(command: string): string {
  return IN_FOLDER.exec(command)?.[2] ?? command
}

/** Find the project by themselves, in whichever of its folders they are run. */
const FROM_ANYWHERE = /^(?:mise|just|task|nx|turbo|bazel|git|gh)(?:\s|$)/

export function runsFromAnywhere(part: string): boolean {
  return FROM_ANYWHERE.test(part)
}

/** The parts a person would run again, without navigation, environment, pipes into pagers and redirections. */
export function runnableParts(command: string): readonly string[] {
  const parts: string[] = []
  for (const segment of segmentsOf(bareOf(command))) {
    const words = wordsOf(segment)
    const program = (words[0] ?? '').replace(/^["'(]+|["')]+$/g, '')
    const isOneOff = INTERPRETERS.has(program) && /^-(?:e|c|p|-eval|-)$/.test(words[1] ?? '')
    // What is left of `command -v x` is an option, and no program.
    if (isOneOff || program === '' || LOOKING.has(program) || !/^(?!-)[\w@./~+-]+$/.test(program)) continue
    const text = words.join(' ').replace(REDIRECTION, '').trim()
    if (text.length >= 2 && !parts.includes(text)) parts.push(clip(text, MAX_COMMAND_CHARS))
  }
  return parts
}

const RUNS_SCRIPTS: ReadonlySet<string> = new Set([
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'mise',
  'deno',
  'composer',
  'poetry',
  'uv',
  'hatch',
  'pdm',
  'just',
  'task',
])
const TAKES_FILE: ReadonlySet<string> = new Set([
  'python',
  'python3',
  'node',
  'ruby',
  'php',
  'bash',
  'sh',
  'perl',
  'tsx',
  'deno',
])
const HAS_SUBCOMMANDS: ReadonlySet<string> = new Set(
  'go cargo make docker kubectl terraform npx bunx pnpx gradle mvn dotnet swift mix bundle rails git gh gradlew mvnw bazel nx turbo'.split(
    ' ',
  ),
)

/** What names a command: `go test`, `npm run build`, `python scripts/x.py`; flags and targets left out. */
export function headOf(part: string): string {
  const words = bareOf(part).split(' ')
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

const TEST =
  /(?:^|[\s:/._-])(?:tests?|spec|pytest|vitest|jest|mocha|rspec|phpunit|ava|playwright|cypress|e2e|nextest|tox)(?:$|[\s:._-])/
const LINT =
  /(?:^|[\s:/])(?:lint|eslint|oxlint|biome|prettier|gofmt|golangci-lint|ruff|flake8|mypy|pyright|clippy|fmt|format|typecheck|tsc|vet|check|shellcheck|black)(?:$|[\s:])/
const BUILD =
  /(?:^|[\s:/])(?:build|compile|bundle|webpack|rollup|esbuild|make|gradle|mvn|assemble|install|ci)(?:$|[\s:])/
const VCS = /^(?:git|gh|hg|svn|jj|glab)(?:$|\s)/

/** The words that say what for: `golangci-lint run --build-tags=e2e ./e2e_test/...` is no test, `bash scripts/test.sh` is. */
function namingWords(part: string): readonly string[] {
  const [program = '', ...rest] = part.split(' ')
  const isOption = (word: string) => word.startsWith('-')
  const first = rest.findIndex((word) => !isOption(word))
  const takesFile = TAKES_FILE.has(program.slice(program.lastIndexOf('/') + 1))
  return [program, ...rest.filter((word, at) => !isOption(word) && ((takesFile && at === first) || !/[/.]/.test(word)))]
}

export function purposeOf(command: string): CommandPurpose {
  const part = bareOf(command)
  if (VCS.test(part)) return 'vcs'
  const head = namingWords(part).slice(0, 4).join(' ')
  if (TEST.test(head)) return 'test'
  if (LINT.test(head)) return 'lint'
  if (BUILD.test(head)) return 'build'
  return /^(?:\.\/|node |python3? |npm |pnpm |yarn |bun |go run|cargo run|docker|npx )/.test(part) ? 'run' : 'other'
}

/** `git checkout -- x`, `git restore`, `git reset --hard`, `git revert`, `git stash`: work thrown away. */
export function discardsWork(part: string): boolean {
  return /^git (?:checkout (?:\S+ )?-- |restore (?!--staged)|reset --hard|revert |stash(?: push)?$|clean -)/.test(part)
}

const SEARCHERS: ReadonlySet<string> = new Set(['rg', 'grep', 'egrep', 'fgrep', 'ag', 'ack', 'fd', 'find'])

/** A command line that looks for something: what it prints first are places where it is. */
export function searches(command: string): boolean {
  return segmentsOf(command).some((segment) => {
    const [program = '', subcommand] = wordsOf(segment)
    return SEARCHERS.has(program) || (program === 'git' && subcommand === 'grep')
  })
}
