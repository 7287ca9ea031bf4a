import { createPrefixTable, findNextPrefix, matchPrefix } from '../scan/prefix-table.ts'
import { codeAt, isInClass, NAME, QUOTE, WHITESPACE } from '../text/chars.ts'
import { type CommandRule, type ValueSyntax, commandRules } from '../rules/command-rules.ts'
import { pattern } from '../text/patterns.ts'
import { type Span, holdsMark } from '../text/span.ts'
import { looksRandom, isFiller } from '../text/entropy.ts'
import { isDefaultPassword, isRandomWithPunctuation, isPlaceholder } from '../rules/secret-value.ts'
import { endWithPunctuation } from '../scan/value-end.ts'
import type { ContainsWord } from '../scan/trigram-filter.ts'

interface WordRange {
  readonly start: number
  readonly end: number
}

/** A word of a command line: an unquoted part, and a quoted part after it or alone. */
export interface CommandWord {
  readonly plain: WordRange
  readonly quoted: WordRange | undefined
  /** The index after the word. */
  readonly end: number
}

const TAB = 9
const NEWLINE = 10
const RETURN = 13
const SPACE = 32
const BACKSLASH = 92
/** The longest quoted value of a flag. */
const QUOTED_CHARS = 512

/** `;`, `&` and `|`: another command follows. */
function endsCommand(code: number): boolean {
  return code === NEWLINE || code === 59 || code === 38 || code === 124
}

function afterBackslashes(text: string, from: number): number {
  let index = from
  while (codeAt(text, index) === BACKSLASH) index += 1
  return index
}

/** Skips whitespace, and a backslash that continues the command on the next line. */
function wordStart(text: string, from: number): number {
  let index = from
  for (; index < text.length; index += 1) {
    const code = codeAt(text, index)
    if (code === SPACE || code === TAB || code === RETURN) continue
    if (code !== BACKSLASH) return index
    const next = afterBackslashes(text, index)
    const line = codeAt(text, next) === RETURN ? next + 1 : next
    if (codeAt(text, line) !== NEWLINE) return index
    index = line
  }
  return index
}

/** The quoted text at an index, with quotes that may be escaped; undefined when it is not closed on the same line. */
function quotedAt(text: string, from: number): WordRange | undefined {
  const sign = afterBackslashes(text, from)
  const quote = codeAt(text, sign)
  if (!isInClass(QUOTE, quote)) return undefined
  const opening = sign === from ? '' : text.slice(from, sign + 1)
  const start = sign + 1
  const limit = Math.min(text.length, start + QUOTED_CHARS)
  for (let index = start; index < limit; index += 1) {
    const code = text.charCodeAt(index)
    if (code === NEWLINE) return undefined
    if (code === quote && opening === '') return { start, end: index }
    if (code !== BACKSLASH) continue
    if (opening !== '' && text.startsWith(opening, index)) return { start, end: index }
    index += 1
  }
  return undefined
}

function plainEnd(text: string, from: number): number {
  let index = from
  for (; index < text.length; index += 1) {
    const code = codeAt(text, index)
    if (isInClass(WHITESPACE | QUOTE, code) || endsCommand(code) || code === BACKSLASH) return index
  }
  return index
}

/** The next word of the command; undefined at its end. */
function nextCommandWord(text: string, from: number): CommandWord | undefined {
  const start = wordStart(text, from)
  if (start >= text.length || endsCommand(codeAt(text, start))) return undefined
  const end = plainEnd(text, start)
  const quoted = quotedAt(text, end)
  if (quoted) return { plain: { start, end }, quoted, end: quoted.end + (quoted.start - end) }
  // Skip a quote that opens nothing, to make progress.
  return {
    plain: { start, end },
    quoted,
    end: end === start ? Math.max(start + 1, afterBackslashes(text, start)) : end,
  }
}

/** Shorter values are settings: `theme=dark`, `lang=en`. */
const SHORTEST_COOKIE = 16
const HEADER_CHARS = 4_096

function isSession(value: string): boolean {
  if (value.length < SHORTEST_COOKIE || isPlaceholder(value) || isFiller(value)) return false
  return looksRandom(value) || pattern.hexOrId.test(value)
}

/** The values in `name=value; …` that can only be session ids. */
function cookieSpans(text: string, start: number, end: number): Span[] {
  return Array.from(text.slice(start, end).matchAll(pattern.cookieField)).flatMap((found) => {
    const [whole, value = ''] = found
    const valueEnd = start + found.index + whole.length
    return isSession(value) ? [{ start: valueEnd - value.length, end: valueEnd, kind: 'cookie' }] : []
  })
}

/** Session ids in `Cookie:` and `Set-Cookie:` headers. */
export function findCookies(text: string, contains: ContainsWord): Span[] {
  if (!contains('ookie')) return []
  const spans: Span[] = []
  let next = 0
  for (const found of text.matchAll(pattern.cookieHeader)) {
    const start = found.index + found[0].length
    if (start < next) continue
    const line = text.slice(start, start + HEADER_CHARS).search(pattern.headerEnd)
    next = line < 0 ? Math.min(text.length, start + HEADER_CHARS) : start + line
    spans.push(...cookieSpans(text, start, next))
  }
  return spans
}

interface FlagValue {
  readonly start: number
  readonly end: number
}

const SHORTEST = 4
/** The flag alone is enough evidence. */
const LEAST_BITS = 0

/** The flag marks its value as a secret, so any word counts, except placeholders and default passwords. */
function isGiven(value: string): boolean {
  return (
    value.length >= SHORTEST && !pattern.digitsOnly.test(value) && !isPlaceholder(value) && !isDefaultPassword(value)
  )
}

/** The whole password, also across characters that would end a command elsewhere. */
function passwordSpans(text: string, { start, end }: FlagValue): Span[] {
  const signsEnd = isInClass(QUOTE, codeAt(text, end)) ? end : endWithPunctuation(text, start, end)
  const isSecret = isGiven(text.slice(start, end)) || isRandomWithPunctuation(text.slice(start, signsEnd), LEAST_BITS)
  return isSecret ? [{ start, end: signsEnd, kind: 'password' }] : []
}

/** `user:password`, `user%password` or `user,password`; with nothing after the colon, the token before it. */
function loginSpans(text: string, { start, end }: FlagValue, sign: string): Span[] {
  const login = text.slice(start, end)
  const at = login.indexOf(sign)
  if (at < 0 || holdsMark(login)) return []
  if (at === login.length - 1) return looksRandom(login.slice(0, at)) ? [{ start, end: start + at, kind: 'login' }] : []
  const password = login.slice(at + 1)
  if (password === login.slice(0, at) || pattern.pathOrAddress.test(login)) return []
  return passwordSpans(text, { start: start + at + 1, end })
}

function readValue(text: string, value: FlagValue, reading: ValueSyntax): Span[] {
  switch (reading) {
    case 'password':
      return passwordSpans(text, value)
    case 'login':
      return loginSpans(text, value, ':')
    case 'login-percent':
      return loginSpans(text, value, '%')
    case 'login-comma':
      return loginSpans(text, value, ',')
    case 'cookie':
      return cookieSpans(text, value.start, value.end)
    case 'source': {
      const found = pattern.passSource.exec(text.slice(value.start, value.end))
      return found === null ? [] : passwordSpans(text, { start: value.start + found[0].length, end: value.end })
    }
  }
}

/** The value as a shell reads it, without the bracket that closes a substitution. */
function plainValue(text: string, start: number, end: number): FlagValue {
  const written = text.slice(start, end)
  return { start, end: written.endsWith(')') && !written.includes('(') ? end - 1 : end }
}

function whole(text: string, { plain, quoted }: CommandWord): FlagValue {
  return quoted !== undefined && plain.start === plain.end ? quoted : plainValue(text, plain.start, plain.end)
}

/** The value in the flag's own word, from an offset on. */
function attached(text: string, { plain, quoted }: CommandWord, from: number): FlagValue {
  return quoted !== undefined && plain.start + from === plain.end
    ? quoted
    : plainValue(text, plain.start + from, plain.end)
}

/** What a program accepts, by flag. */
interface FlagTable {
  readonly flags: ReadonlyMap<string, CommandRule>
  readonly joined: readonly (readonly [string, CommandRule])[]
  readonly fields: readonly CommandRule[]
  /** Whether a rule depends on earlier words. */
  readonly listens: boolean
}

interface CommandReader {
  readonly taken: FlagTable
  /** The words so far that are not flags: `login` in `docker login`. */
  readonly said: string[]
}

function isSaid({ behind }: CommandRule, said: readonly string[]): boolean {
  return behind === undefined || behind.every((needed) => said.includes(needed))
}

/** The rule for a flag whose value is the next word: a flag alone, or the last of several combined in one word. */
function findNextWordRule(written: string, { flags }: FlagTable): CommandRule | undefined {
  return flags.get(written) ?? (pattern.flagBundle.test(written) ? flags.get(`-${written.slice(-1)}`) : undefined)
}

function flagStep(text: string, word: CommandWord, { taken, said }: CommandReader): ArgumentMatch {
  const written = text.slice(word.plain.start, word.plain.end)
  const next = word.quoted === undefined ? findNextWordRule(written, taken) : undefined
  if (next !== undefined) return isSaid(next, said) ? nextWordStep(text, word, next) : { spans: nothing, end: word.end }
  const sign = written.indexOf('=')
  const tied = sign > 0 && written.startsWith('--') ? taken.flags.get(written.slice(0, sign)) : undefined
  if (tied !== undefined && isSaid(tied, said))
    return { spans: readValue(text, attached(text, word, sign + 1), tied.reading), end: word.end }
  const joined = taken.joined.find(([flag]) => written.startsWith(flag))
  if (joined === undefined) return { spans: nothing, end: word.end }
  return { spans: readValue(text, attached(text, word, joined[0].length), joined[1].reading), end: word.end }
}

function nextWordStep(text: string, word: CommandWord, { reading }: CommandRule): ArgumentMatch {
  const next = nextCommandWord(text, word.end)
  if (next === undefined) return { spans: nothing, end: word.end }
  const value = whole(text, next)
  // A flag that is followed by another flag has no value.
  if (text[value.start] === '-' && value !== next.quoted) return { spans: nothing, end: word.end }
  return { spans: readValue(text, value, reading), end: next.end }
}

/** `name=value` with any name, for commands that store secrets. */
function fieldSpans(text: string, word: CommandWord): Span[] {
  const value = whole(text, word)
  const written = text.slice(value.start, value.end)
  const sign = written.indexOf('=')
  if (sign < 1) return []
  if (word.quoted !== undefined && value !== word.quoted && sign === written.length - 1)
    return passwordSpans(text, word.quoted)
  return passwordSpans(text, { start: value.start + sign + 1, end: value.end })
}

interface ArgumentMatch {
  readonly spans: readonly Span[]
  readonly end: number
}

const nothing: readonly Span[] = []

function readWord(text: string, word: CommandWord, reader: CommandReader): ArgumentMatch {
  if (codeAt(text, word.plain.start) === DASH) return flagStep(text, word, reader)
  const { fields } = reader.taken
  const takesFields = fields.some((rule) => isSaid(rule, reader.said))
  return { spans: takesFields ? fieldSpans(text, word) : nothing, end: word.end }
}

const DASH = 45

function takenBy(program: string): FlagTable {
  const rules = commandRules.filter(({ programs }) => programs.includes(program))
  return {
    flags: new Map(rules.flatMap((rule) => (rule.flags ?? []).map((flag) => [flag, rule] as const))),
    joined: rules.flatMap((rule) => (rule.joined ?? []).map((flag) => [flag, rule] as const)),
    fields: rules.filter(({ fields }) => fields === true),
    listens: rules.some(({ behind }) => behind !== undefined),
  }
}

const takenByProgram: ReadonlyMap<string, FlagTable> = new Map(
  [...new Set(commandRules.flatMap(({ programs }) => programs))].map((program) => [program, takenBy(program)]),
)

const programs = createPrefixTable(takenByProgram.keys())

const SLASH = 47

/** The rules of the program that a word names, by its name or path. */
function takenAt(text: string, { start, end }: FlagValue): FlagTable | undefined {
  let name = end
  while (name > start && text.charCodeAt(name - 1) !== SLASH) name -= 1
  const program = matchPrefix(programs, text, name)
  return program !== undefined && name + program.length === end ? takenByProgram.get(program) : undefined
}

/** A flag this many words after its program is ignored: the line may be prose that mentions the program. */
const MOST_WORDS = 48

function readCommand(text: string, { from, taken }: { from: number; taken: FlagTable }, spans: Span[]): number {
  let reader: CommandReader = { taken, said: [] }
  let end = from
  for (let count = 0; count < MOST_WORDS; count += 1) {
    const word = nextCommandWord(text, end)
    if (word === undefined) return end
    const { plain } = word
    if (codeAt(text, plain.start) !== DASH) {
      const another = takenAt(text, plain)
      if (another) reader = { taken: another, said: [] }
      else if (reader.taken.listens) reader.said.push(text.slice(plain.start, plain.end))
    }
    const step = readWord(text, word, reader)
    spans.push(...step.spans)
    end = step.end
  }
  return end
}

/** Whether a command may start at an index: after whitespace, a quote, a path or a diff marker. */
function opensCommand(text: string, index: number): boolean {
  const before = index === 0 ? 0 : text.charCodeAt(index - 1)
  if (!isInClass(NAME, before)) return true
  return before === DASH && (index === 1 || text[index - 2] === '\n')
}

/** Passwords passed by program-specific flags: `mysql -pS3cret`, `zip -P …`, `curl -u me:…`. The same flags are harmless elsewhere. */
export function findCommandSecrets(text: string): Span[] {
  if (!pattern.secretFlag.test(text) && !pattern.secretFields.test(text)) return []
  const spans: Span[] = []
  let next = 0
  for (let index = findNextPrefix(programs, text, 0); index >= 0; index = findNextPrefix(programs, text, next)) {
    next = index + 1
    const program = matchPrefix(programs, text, index)
    if (program === undefined || !opensCommand(text, index)) continue
    const end = index + program.length
    next = end
    const after = text[end]
    const taken = after === ' ' || after === '\t' ? takenByProgram.get(program) : undefined
    if (taken) next = Math.max(next, readCommand(text, { from: end, taken }, spans))
  }
  return spans
}
