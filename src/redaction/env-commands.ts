import { segmentsOf } from '../kernel/shell/command.ts'
import { isEnvFile } from './env-file.ts'

/** More names than this in one word nobody writes; of the others the first are looked at. */
const MOST_NAMES = 64
/** No name of an env file is longer, with the folders in front of it. */
const WORD_CHARS = 1_024
/** What a pattern is tried on, beside what it begins with. */
const USUAL_NAMES: readonly string[] = ['.env', '.env.local', '.env.production', '.env.development', '.env.test']
const BRACES = /\{([^{}]*,[^{}]*)\}/

/** `.env{,.local}` as the shell writes it out. */
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

/** A set of characters counts as any one character: whether it holds the right one is not worth knowing here. */
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
  // `.env.my*` matches names of which nobody can make a list; `.env.example*` is an example with its `*` or without.
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

/** Print what a file holds, as it is or in another form. */
const READERS: ReadonlySet<string> = new Set(
  'cat tac head tail nl less more most view bat batcat cut sort uniq rev tr paste join comm diff sdiff colordiff delta strings xxd od hexdump hd base64 base32 fold fmt column pr expand unexpand iconv dd tee type Get-Content gc'.split(
    ' ',
  ),
)
/** The same, but the first argument says what to look for or what to do. */
const SEARCHERS: ReadonlySet<string> = new Set(
  'grep egrep fgrep zgrep rg ag ack sed gsed awk gawk mawk jq yq Select-String sls'.split(' '),
)
const GIVES_PATTERN = /^(?:-e|-f|--regexp|--expression|--file)(?:=|$)/
/** Names and numbers are printed, and no lines. */
const LISTS_NAMES = /^(?:-[A-Za-z]*[lLcq]|--files|--files-with-matches|--files-without-match|--count|--quiet)$/
/** Run the text that follows them as a command line of its own. */
const SHELLS: ReadonlySet<string> = new Set('sh bash zsh dash ksh fish ssh su eval watch script'.split(' '))
const INTERPRETER = /^(?:python[\d.]*|node|deno|bun|ruby|perl|php)$/
const PRINTS = /print|console|write|echo|puts|dump|stdout|\bp\b/
/** They print what a substitution or a variable gives them. */
const AUTHORS: ReadonlySet<string> = new Set(['echo', 'printf', 'cat'])
const SHOWS_VARIABLES: ReadonlySet<string> = new Set(['printenv', 'env', 'set', 'declare', 'export'])
const GIT_PRINTS: ReadonlySet<string> = new Set(
  'show cat-file diff diff-index diff-tree diff-files blame annotate grep archive format-patch'.split(' '),
)
const GIT_LISTS: ReadonlySet<string> = new Set(['log', 'whatchanged', 'stash', 'reflog'])
const GIT_PATCH = /^(?:-p|-u|--patch|-U\d*|-L.*)$/
const GIT_SUMMARY = /^--(?:stat|name-only|name-status|numstat|shortstat|summary|quiet)/
/** An option of git itself that takes the next word. */
const GIT_TAKES: ReadonlySet<string> = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace'])
const SUBSTITUTION = /\$\(([^()]{0,400})\)|`([^`]{0,400})`/g
const WORDS = /(?:[^\s"'<>]|"[^"]*"|'[^']*')+|[<>]+/g
/** The dot and what can follow it in the name or in a pattern: most commands have neither. */
const MAY_NAME = /\.[e*?[{]/
/** What runs an interpreter stands before it: `docker exec -it web python -c …`. */
const FIRST_WORDS = 6
/** A shell in a shell in a shell. */
const MAX_DEPTH = 3

interface Word {
  readonly text: string
  /** Written in quotes, with blanks in it: a text and not a name. */
  readonly isText: boolean
}

function wordsOf(segment: string): readonly Word[] {
  return (segment.match(WORDS) ?? []).map((word) => {
    const plain = word.replace(/["']/g, '').replace(/^[({]+(?=[^,{}]*$)|\)+$/g, '')
    return { text: plain, isText: word !== plain && /\s/.test(plain) }
  })
}

function baseOf(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
}

/** The words that git's subcommand takes, and the subcommand itself in front of them. */
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

/** `cat .env`, also behind what runs it: `sudo`, `docker exec web`, `xargs`. */
function readerPrints(words: readonly string[]): boolean {
  for (const [at, word] of words.entries()) {
    const program = baseOf(word)
    const args = words.slice(at + 1)
    // `git diff` is not `diff`.
    if (program === 'git') return gitPrints(args)
    if (SEARCHERS.has(program) ? searchPrints(args) : READERS.has(program) && args.some(namesEnvFile)) return true
  }
  return false
}

/** The words apart from those that are written to: `> .env`. */
function readWords(words: readonly Word[]): readonly Word[] {
  return words.filter(({ text }, at) => !text.startsWith('>') && words[at - 1]?.text.startsWith('>') !== true)
}

function isReader(word: string): boolean {
  const program = baseOf(word)
  return READERS.has(program) || SEARCHERS.has(program)
}

/** `bash -c 'cat .env'`, `ssh host 'cat .env'`. */
function textPrints(words: readonly Word[], depth: number): boolean {
  return words.some(({ text, isText }, at) => {
    if (!isText) return false
    const isRun = words.slice(0, at).some((word) => SHELLS.has(baseOf(word.text)))
    return isRun && depth < MAX_DEPTH && printsEnvFile(text, depth + 1)
  })
}

/** `python -c "print(open('.env').read())"`. */
function scriptPrints(segment: string): boolean {
  const first = segment.split(/\s+/, FIRST_WORDS)
  if (!first.some((word) => INTERPRETER.test(baseOf(word)))) return false
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
  const words = wordsOf(segment)
  const isRead = words.some(({ text }, at) => text === '<' && namesEnvFile(words[at + 1]?.text ?? ''))
  if (isRead) return true
  // What a substitution holds is read by itself, where it is printed.
  const bare = wordsOf(segment.replace(SUBSTITUTION, ' '))
  const read = readWords(bare)
  // A text keeps its place, because the first argument of some programs is no file.
  const names = read.map(({ text, isText }) => (isText ? '' : text))
  const program = baseOf(names[0] ?? '')
  return (
    readerPrints(names) ||
    textPrints(read, depth) ||
    scriptPrints(segment) ||
    substitutionPrints(segment, program, depth)
  )
}

/** `ls .env* | xargs cat`, `for f in .env*; do cat "$f"; done`, `find -name .env -exec cat {} +`. */
function handsOver(segments: readonly string[]): boolean {
  const all = segments.map((segment) => wordsOf(segment).map(({ text }) => text))
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
  const all = segments.map((segment) => wordsOf(segment).map(({ text }) => text))
  const sourced = all.findIndex(([first, ...more]) => (first === 'source' || first === '.') && more.some(namesEnvFile))
  if (sourced < 0) return false
  return all.slice(sourced + 1).some(([first = '', ...more]) => {
    if (SHOWS_VARIABLES.has(first)) return more.every((word) => word === '-p')
    return AUTHORS.has(first) && more.some((word) => word.includes('$'))
  })
}

/** Whether a command line prints what an env file holds. What only names one, such as `ls .env*`, does not. */
export function printsEnvFile(command: string, depth = 0): boolean {
  if (!MAY_NAME.test(command)) return false
  const segments = segmentsOf(command)
  return segments.some((segment) => segmentPrints(segment, depth)) || handsOver(segments) || showsSourced(segments)
}
