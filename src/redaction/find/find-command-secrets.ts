import { createBeginnings, nextBeginning, wordAt } from '../scan/prefix-table.ts'
import { codeAt, isOf, NAME, QUOTE } from '../text/chars.ts'
import { type CommandWord, nextCommandWord } from '../scan/command-words.ts'
import { type CommandRule, type Reading, commandRules } from '../rules/command-rules.ts'
import { cookieSpans } from './find-cookies.ts'
import { pattern } from '../text/patterns.ts'
import { type Span, holdsMark } from '../text/span.ts'
import { looksRandom } from '../text/entropy.ts'
import { isDefaultPassword, isDrawnWithSigns, isPlaceholder } from '../rules/secret-value.ts'
import { endWithSigns } from '../scan/value-end.ts'

interface Value {
  readonly start: number
  readonly end: number
}

const SHORTEST = 4
/** A flag says enough by itself. */
const LEAST_BITS = 0

/** A flag says what its value is, so any word counts; what stands for one, or is the tool's own default, does not. */
function isGiven(value: string): boolean {
  return (
    value.length >= SHORTEST && !pattern.digitsOnly.test(value) && !isPlaceholder(value) && !isDefaultPassword(value)
  )
}

/** With the signs in it that end a command elsewhere, as far as it goes on behind them. */
function passwordSpans(text: string, { start, end }: Value): Span[] {
  const signsEnd = isOf(QUOTE, codeAt(text, end)) ? end : endWithSigns(text, start, end)
  const isSecret = isGiven(text.slice(start, end)) || isDrawnWithSigns(text.slice(start, signsEnd), LEAST_BITS)
  return isSecret ? [{ start, end: signsEnd, kind: 'password' }] : []
}

/** `user:password`, `user%password` or `user,password`; of a token with nothing behind the colon, the token. */
function loginSpans(text: string, { start, end }: Value, sign: string): Span[] {
  const login = text.slice(start, end)
  const at = login.indexOf(sign)
  if (at < 0 || holdsMark(login)) return []
  if (at === login.length - 1) return looksRandom(login.slice(0, at)) ? [{ start, end: start + at, kind: 'login' }] : []
  const password = login.slice(at + 1)
  if (password === login.slice(0, at) || pattern.pathOrAddress.test(login)) return []
  return passwordSpans(text, { start: start + at + 1, end })
}

function readValue(text: string, value: Value, reading: Reading): Span[] {
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

/** The value as far as a shell would read it, without the bracket that closes a substitution. */
function plainValue(text: string, start: number, end: number): Value {
  const written = text.slice(start, end)
  return { start, end: written.endsWith(')') && !written.includes('(') ? end - 1 : end }
}

function whole(text: string, { plain, quoted }: CommandWord): Value {
  return quoted !== undefined && plain.start === plain.end ? quoted : plainValue(text, plain.start, plain.end)
}

/** The value in the flag's own word, behind so many characters of it. */
function attached(text: string, { plain, quoted }: CommandWord, from: number): Value {
  return quoted !== undefined && plain.start + from === plain.end
    ? quoted
    : plainValue(text, plain.start + from, plain.end)
}

/** What a program takes, by the word it takes it with. */
interface Taken {
  readonly flags: ReadonlyMap<string, CommandRule>
  readonly joined: readonly (readonly [string, CommandRule])[]
  readonly fields: readonly CommandRule[]
  /** Whether it matters what else was said. */
  readonly listens: boolean
}

interface Reader {
  readonly taken: Taken
  /** The words met so far that are no flags: `login` in `docker login`. */
  readonly said: string[]
}

function isSaid({ behind }: CommandRule, said: readonly string[]): boolean {
  return behind === undefined || behind.every((needed) => said.includes(needed))
}

/** The rule for a flag whose value is the next word: alone, or the last of a few in one word. */
function ruleOfNext(written: string, { flags }: Taken): CommandRule | undefined {
  return flags.get(written) ?? (pattern.flagBundle.test(written) ? flags.get(`-${written.slice(-1)}`) : undefined)
}

function flagStep(text: string, word: CommandWord, { taken, said }: Reader): Step {
  const written = text.slice(word.plain.start, word.plain.end)
  const next = word.quoted === undefined ? ruleOfNext(written, taken) : undefined
  if (next !== undefined) return isSaid(next, said) ? nextWordStep(text, word, next) : { spans: nothing, end: word.end }
  const sign = written.indexOf('=')
  const tied = sign > 0 && written.startsWith('--') ? taken.flags.get(written.slice(0, sign)) : undefined
  if (tied !== undefined && isSaid(tied, said))
    return { spans: readValue(text, attached(text, word, sign + 1), tied.reading), end: word.end }
  const joined = taken.joined.find(([flag]) => written.startsWith(flag))
  if (joined === undefined) return { spans: nothing, end: word.end }
  return { spans: readValue(text, attached(text, word, joined[0].length), joined[1].reading), end: word.end }
}

function nextWordStep(text: string, word: CommandWord, { reading }: CommandRule): Step {
  const next = nextCommandWord(text, word.end)
  if (next === undefined) return { spans: nothing, end: word.end }
  const value = whole(text, next)
  // A flag that is followed by another was given without a value.
  if (text[value.start] === '-' && value !== next.quoted) return { spans: nothing, end: word.end }
  return { spans: readValue(text, value, reading), end: next.end }
}

/** `name=value`, for the commands that keep secrets: whatever the name is. */
function fieldSpans(text: string, word: CommandWord): Span[] {
  const value = whole(text, word)
  const written = text.slice(value.start, value.end)
  const sign = written.indexOf('=')
  if (sign < 1) return []
  if (word.quoted !== undefined && value !== word.quoted && sign === written.length - 1)
    return passwordSpans(text, word.quoted)
  return passwordSpans(text, { start: value.start + sign + 1, end: value.end })
}

interface Step {
  readonly spans: readonly Span[]
  readonly end: number
}

const nothing: readonly Span[] = []

function readWord(text: string, word: CommandWord, reader: Reader): Step {
  if (codeAt(text, word.plain.start) === DASH) return flagStep(text, word, reader)
  const { fields } = reader.taken
  const takesFields = fields.some((rule) => isSaid(rule, reader.said))
  return { spans: takesFields ? fieldSpans(text, word) : nothing, end: word.end }
}

const DASH = 45

function takenBy(program: string): Taken {
  const rules = commandRules.filter(({ programs }) => programs.includes(program))
  return {
    flags: new Map(rules.flatMap((rule) => (rule.flags ?? []).map((flag) => [flag, rule] as const))),
    joined: rules.flatMap((rule) => (rule.joined ?? []).map((flag) => [flag, rule] as const)),
    fields: rules.filter(({ fields }) => fields === true),
    listens: rules.some(({ behind }) => behind !== undefined),
  }
}

const takenOf: ReadonlyMap<string, Taken> = new Map(
  [...new Set(commandRules.flatMap(({ programs }) => programs))].map((program) => [program, takenBy(program)]),
)

const programs = createBeginnings(takenOf.keys())

const SLASH = 47

/** What the program takes that a word names, by its name or by its path. */
function takenAt(text: string, { start, end }: Value): Taken | undefined {
  let name = end
  while (name > start && text.charCodeAt(name - 1) !== SLASH) name -= 1
  const program = wordAt(programs, text, name)
  return program !== undefined && name + program.length === end ? takenOf.get(program) : undefined
}

/** Farther than this from its program no flag is taken for the program's: a line can also be prose that names one. */
const MOST_WORDS = 48

function readCommand(text: string, { from, taken }: { from: number; taken: Taken }, spans: Span[]): number {
  let reader: Reader = { taken, said: [] }
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

/** Whether a command may begin at a place: behind a blank, a quote, a path, or the sign of a changed line. */
function opensCommand(text: string, index: number): boolean {
  const before = index === 0 ? 0 : text.charCodeAt(index - 1)
  if (!isOf(NAME, before)) return true
  return before === DASH && (index === 1 || text[index - 2] === '\n')
}

/** Passwords that a program takes by a flag of its own: `mysql -pS3cret`, `zip -P …`, `curl -u me:…`; elsewhere the same flags are harmless. */
export function findCommandSecrets(text: string): Span[] {
  if (!pattern.secretFlag.test(text) && !pattern.secretFields.test(text)) return []
  const spans: Span[] = []
  let next = 0
  for (let index = nextBeginning(programs, text, 0); index >= 0; index = nextBeginning(programs, text, next)) {
    next = index + 1
    const program = wordAt(programs, text, index)
    if (program === undefined || !opensCommand(text, index)) continue
    const end = index + program.length
    next = end
    const after = text[end]
    const taken = after === ' ' || after === '\t' ? takenOf.get(program) : undefined
    if (taken) next = Math.max(next, readCommand(text, { from: end, taken }, spans))
  }
  return spans
}
