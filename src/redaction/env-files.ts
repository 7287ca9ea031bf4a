import { splitCommandLine, splitQuotedWords } from '../kernel/shell/command.ts'

const HIDDEN = '[REDACTED:env-file]'

/** Fields with output, messages or file content: an env file that is named in one was not opened by this call. */
const SAID = /response|output|result|content|prompt|message|text|new_?str|old_?str|edits/i
const MAX_NAMING_CHARS = 4_000

function mentionsEnvFile(value: unknown): boolean {
  if (typeof value === 'string') {
    if (value.length > MAX_NAMING_CHARS) return false
    return value.split(/[\s"'`;|&<>()]+/).some((word) => isEnvFile(word)) || printsEnvFile(value)
  }
  if (Array.isArray(value)) return value.some(mentionsEnvFile)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, inner]) => !SAID.test(key) && mentionsEnvFile(inner))
}

/** Hides every output, message and content, even a single word. Elsewhere a single word is a name, a path or an id, and only text with `=`, `: ` or a newline is hidden. */
function hidden(value: unknown, isSaid = false): unknown {
  if (typeof value === 'string') return value !== '' && (isSaid || /[=\n\r]|:\s/.test(value)) ? HIDDEN : value
  if (Array.isArray(value)) return value.map((item) => hidden(item, isSaid))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hidden(inner, isSaid || SAID.test(key))]))
}

/**
 * Hides the content of an env file in the payload of a hook whose tool opened or wrote one: all of it is secret, even when
 * the file no longer exists and its values cannot be looked up.
 */
export function hideEnvFiles(payload: unknown): unknown {
  return mentionsEnvFile(payload) ? hidden(payload) : payload
}

/** Examples hold no secrets, and their placeholders are common words. */
const EXAMPLE_SUFFIXES: readonly string[] = ['.example', '.sample', '.template', '.dist', '.defaults']

/** Whether a file name or path is that of an env file with secrets: `.env`, `.env.local` and the like. */
export function isEnvFile(path: string): boolean {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  if (name !== '.env' && !name.startsWith('.env.')) return false
  return !EXAMPLE_SUFFIXES.some((suffix) => name.endsWith(suffix))
}

/** A word that expands to more names than this is not real; only the first ones are checked. */
const MOST_NAMES = 64
/** Longer than any path of an env file. */
const WORD_CHARS = 1_024
/** Names that a glob is tried on, besides its literal start. */
const USUAL_NAMES: readonly string[] = ['.env', '.env.local', '.env.production', '.env.development', '.env.test']
const BRACES = /\{([^{}]*,[^{}]*)\}/

/** Expands `.env{,.local}` as a shell does. */
function expandBraces(word: string): readonly string[] {
  let names: readonly string[] = [word]
  for (;;) {
    let isChanged = false
    const next: string[] = []
    for (const name of names) {
      const found = BRACES.exec(name)
      if (found === null) {
        next.push(name)
        continue
      }
      isChanged = true
      const [whole, choices = ''] = found
      for (const choice of choices.split(','))
        next.push(name.slice(0, found.index) + choice + name.slice(found.index + whole.length))
    }
    if (!isChanged || next.length > MOST_NAMES) return next.slice(0, MOST_NAMES)
    names = next
  }
}

/** A character set counts as any one character. */
function withoutSets(glob: string): string {
  return glob.replace(/\[[^\]]*\]/g, '?')
}

/** Whether a pattern of `*` and `?` matches a name, in time that grows with the product of their lengths. */
function matches(glob: string, name: string): boolean {
  let at = 0
  let star = -1
  let tried = 0
  let index = 0
  while (index < name.length) {
    if (glob[at] === '*') {
      star = at
      tried = index
      at += 1
    } else if (glob[at] === '?' || glob[at] === name[index]) {
      at += 1
      index += 1
    } else if (star >= 0) {
      at = star + 1
      tried += 1
      index = tried
    } else return false
  }
  while (glob[at] === '*') at += 1
  return at === glob.length
}

function mayBeEnvFile(path: string): boolean {
  if (isEnvFile(path)) return true
  const name = withoutSets(path.slice(path.lastIndexOf('/') + 1))
  const first = name.search(/[*?]/)
  if (first < 0) return false
  // `.env.my*` matches names that cannot be listed; `.env.example*` is an example with or without its `*`.
  return (
    (name.startsWith('.env.') && isEnvFile(name.replaceAll('*', ''))) || USUAL_NAMES.some((one) => matches(name, one))
  )
}

/** Whether a word of a command line names an env file: `.env`, `HEAD:app/.env.local`, `if=.env`, `.env*`, `.env{,.local}`. */
function namesEnvFile(word: string): boolean {
  if (word.length > WORD_CHARS) return false
  return expandBraces(word).some((name) => {
    const colon = name.lastIndexOf(':')
    const equals = name.lastIndexOf('=')
    return [name, name.slice(colon + 1), name.slice(equals + 1)].some(mayBeEnvFile)
  })
}

/** Programs that print a file, as it is or encoded. */
const READERS: ReadonlySet<string> = new Set(
  'cat tac head tail nl less more most view bat batcat cut sort uniq rev tr paste join comm diff sdiff colordiff delta strings xxd od hexdump hd base64 base32 fold fmt column pr expand unexpand iconv dd tee type Get-Content gc'.split(
    ' ',
  ),
)
/** Like READERS, but the first argument is a pattern or a script. */
const SEARCHERS: ReadonlySet<string> = new Set(
  'grep egrep fgrep zgrep rg ag ack sed gsed awk gawk mawk jq yq Select-String sls'.split(' '),
)
const GIVES_PATTERN = /^(?:-e|-f|--regexp|--expression|--file)(?:=|$)/
/** Flags that print file names or counts instead of lines. */
const LISTS_NAMES = /^(?:-[A-Za-z]*[lLcq]|--files|--files-with-matches|--files-without-match|--count|--quiet)$/
/** Programs that run the text after them as a command line. */
const SHELLS: ReadonlySet<string> = new Set('sh bash zsh dash ksh fish ssh su eval watch script'.split(' '))
const INTERPRETER = /^(?:python[\d.]*|node|deno|bun|ruby|perl|php)$/
const PRINTS = /print|console|write|echo|puts|dump|stdout|\bp\b/
/** Programs that print their arguments, and so what a substitution or variable expands to. */
const AUTHORS: ReadonlySet<string> = new Set(['echo', 'printf', 'cat'])
const SHOWS_VARIABLES: ReadonlySet<string> = new Set(['printenv', 'env', 'set', 'declare', 'export'])
const GIT_PRINTS: ReadonlySet<string> = new Set(
  'show cat-file diff diff-index diff-tree diff-files blame annotate grep archive format-patch'.split(' '),
)
const GIT_LISTS: ReadonlySet<string> = new Set(['log', 'whatchanged', 'stash', 'reflog'])
const GIT_PATCH = /^(?:-p|-u|--patch|-U\d*|-L.*)$/
const GIT_SUMMARY = /^--(?:stat|name-only|name-status|numstat|shortstat|summary|quiet)/
/** Options of git itself that take the next word. */
const GIT_TAKES: ReadonlySet<string> = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace'])
const SUBSTITUTION = /\$\(([^()]{0,400})\)|`([^`]{0,400})`/g
/** A cheap first check: most commands have no dot with one of these after it. */
const MAY_NAME = /\.[e*?[{]/
/** An interpreter may follow its runner: `docker exec -it web python -c …`. */
const FIRST_WORDS = 6
/** A shell in a shell in a shell. */
const MAX_DEPTH = 3

interface EnvWord {
  readonly text: string
  /** Quoted, with spaces in it: a text and not a name. */
  readonly isText: boolean
}

function splitWords(segment: string): readonly EnvWord[] {
  return splitQuotedWords(segment, { splitsRedirections: true }).map((word) => {
    const plain = word.replace(/["']/g, '').replace(/^[({]+(?=[^,{}]*$)|\)+$/g, '')
    return { text: plain, isText: word !== plain && /\s/.test(plain) }
  })
}

function baseName(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
}

/** The subcommand of git and its arguments. */
function gitCall(words: readonly string[]): readonly string[] {
  let at = 0
  while (at < words.length && (words[at] ?? '').startsWith('-')) at += GIT_TAKES.has(words[at] ?? '') ? 2 : 1
  return words.slice(at)
}

function gitPrints(words: readonly string[]): boolean {
  const [subcommand = '', ...args] = gitCall(words)
  if (!args.some(namesEnvFile)) return false
  const isPatch = args.some((arg) => GIT_PATCH.test(arg))
  if (GIT_LISTS.has(subcommand)) return isPatch
  return GIT_PRINTS.has(subcommand) && (isPatch || !args.some((arg) => GIT_SUMMARY.test(arg)))
}

/** Whether a program that searches or edits was given an env file to read, rather than its name to look for. */
function searchPrints(args: readonly string[]): boolean {
  if (args.some((arg) => LISTS_NAMES.test(arg))) return false
  const operands = args.filter((arg) => !arg.startsWith('-'))
  return operands.slice(args.some((arg) => GIVES_PATTERN.test(arg)) ? 0 : 1).some(namesEnvFile)
}

/** `cat .env`, also after a runner: `sudo`, `docker exec web`, `xargs`. */
function readerPrints(words: readonly string[]): boolean {
  for (const [at, word] of words.entries()) {
    const program = baseName(word)
    const args = words.slice(at + 1)
    // `git diff` is not `diff`.
    if (program === 'git') return gitPrints(args)
    if (SEARCHERS.has(program) ? searchPrints(args) : READERS.has(program) && args.some(namesEnvFile)) return true
  }
  return false
}

/** The words without redirection targets: `> .env`. */
function readWords(words: readonly EnvWord[]): readonly EnvWord[] {
  return words.filter(({ text }, at) => !text.startsWith('>') && words[at - 1]?.text.startsWith('>') !== true)
}

function isReader(word: string): boolean {
  const program = baseName(word)
  return READERS.has(program) || SEARCHERS.has(program)
}

/** `bash -c 'cat .env'`, `ssh host 'cat .env'`. */
function textPrints(words: readonly EnvWord[], depth: number): boolean {
  return words.some(({ text, isText }, at) => {
    if (!isText) return false
    const isRun = words.slice(0, at).some((word) => SHELLS.has(baseName(word.text)))
    return isRun && depth < MAX_DEPTH && printsEnvFile(text, depth + 1)
  })
}

/** `python -c "print(open('.env').read())"`. */
function scriptPrints(segment: string): boolean {
  const first = segment.split(/\s+/, FIRST_WORDS)
  if (!first.some((word) => INTERPRETER.test(baseName(word)))) return false
  if (!/\s-(?:c|e|p|r|-eval|-print)\s/.test(segment) || !PRINTS.test(segment)) return false
  return segment.split(/[\s"'`()[\],;{}]+/).some(namesEnvFile)
}

function substitutionPrints(segment: string, program: string, depth: number): boolean {
  if (!AUTHORS.has(program) || depth >= MAX_DEPTH) return false
  return [...segment.matchAll(SUBSTITUTION)].some(([, inner, ticked]) =>
    printsEnvFile(inner ?? ticked ?? '', depth + 1),
  )
}

function segmentPrints(segment: string, depth: number): boolean {
  const words = splitWords(segment)
  const isRead = words.some(({ text }, at) => text === '<' && namesEnvFile(words[at + 1]?.text ?? ''))
  if (isRead) return true
  // A substitution is checked separately, where it is printed.
  const bare = splitWords(segment.replace(SUBSTITUTION, ' '))
  const read = readWords(bare)
  // A text keeps its position, because the first argument of some programs is not a file.
  const names = read.map(({ text, isText }) => (isText ? '' : text))
  const program = baseName(names[0] ?? '')
  return (
    readerPrints(names) ||
    textPrints(read, depth) ||
    scriptPrints(segment) ||
    substitutionPrints(segment, program, depth)
  )
}

/** `ls .env* | xargs cat`, `for f in .env*; do cat "$f"; done`, `find -name .env -exec cat {} +`. */
function handsOver(segments: readonly string[]): boolean {
  const all = segments.map((segment) => splitWords(segment).map(({ text }) => text))
  const isNamed = all.some((words) => words.some(namesEnvFile))
  if (!isNamed) return false
  const isLoop = all.some(([first = '']) => first === 'for' || first === 'while')
  return all.some((words) => {
    const at = words.findIndex((word) => ['xargs', 'parallel', '-exec', '-execdir', '-x', '-X'].includes(word))
    if (at >= 0 && words.slice(at + 1).some(isReader)) return true
    return isLoop && words.some(isReader) && words.some((word) => word.startsWith('$'))
  })
}

/** `source .env` and then a command that shows variables. */
function showsSourced(segments: readonly string[]): boolean {
  const all = segments.map((segment) => splitWords(segment).map(({ text }) => text))
  const sourced = all.findIndex(([first, ...more]) => (first === 'source' || first === '.') && more.some(namesEnvFile))
  if (sourced < 0) return false
  return all.slice(sourced + 1).some(([first = '', ...more]) => {
    if (SHOWS_VARIABLES.has(first)) return more.every((word) => word === '-p')
    return AUTHORS.has(first) && more.some((word) => word.includes('$'))
  })
}

/** Whether a command line prints the content of an env file. One that only names it, such as `ls .env*`, does not. */
export function printsEnvFile(command: string, depth = 0): boolean {
  if (!MAY_NAME.test(command)) return false
  const segments = splitCommandLine(command)
  return segments.some((segment) => segmentPrints(segment, depth)) || handsOver(segments) || showsSourced(segments)
}
