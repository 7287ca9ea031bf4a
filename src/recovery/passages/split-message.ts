import { oneLine } from '../../kernel/text/text.ts'

/** A sentence, a list item or a row of a table: what is chosen or left out as a whole. */
export interface Sentence {
  readonly text: string
  readonly form: 'prose' | 'item' | 'row'
  /** The heading or the introducing line above it. */
  readonly heading: string
  /** The heading of the first or second level that it is under. */
  readonly part?: string
  /** The heading above an introducing line. */
  readonly section?: string
  /** The first sentence under its heading. */
  readonly isFirst?: true
  /** Its list continues after it. */
  readonly hasNext?: true
  /** Sentences of one paragraph or list have the same. */
  readonly paragraph: number
  /** What it introduces was code, which is left out. */
  readonly isBeforeCode?: true
  /** Code, or the middle of a long message, stood before it and is left out. */
  readonly isAfterCode?: true
  /** The second half of a long sentence. */
  readonly isContinued?: true
  /** The item above it, by its place in the message, that this one is a case of: "orphaned if:". */
  readonly under?: number
}

export interface SplitMessage {
  readonly title?: string
  readonly sentences: readonly Sentence[]
}

const TAGGED = /<(system-reminder|local-command-\w+|task-notification|ide_\w+|attached_files|analysis)>[\s\S]*?<\/\1>/g
const RULER = /^[-=*_─━|:\s+]{3,}$/
/** The line under the head of a table. */
const TABLE_RULER = /^\|[\s:|-]+$/
const HEADING = /^#{1,6}\s+(.*)$/
const BOLD_LINE = /^\*\*([^*]{2,80})\*\*\s*:?\s*$/
const ITEM = /^\s*(?:[-*•+]|\d{1,2}[.)]|\[[ xX]\])\s+\S/
const BULLET = /^(?:[-*•+])\s+/
const BOX = /^\[([ xX])\]\s*/
const SENTENCE_END = /(?<=[.!?]["”)]?)\s+(?=["“(`[]?[\p{Lu}\p{N}“"`])|(?<=[。！？])/gu
const ABBREVIATED = /\b(?:e\.g|i\.e|etc|vs|cf|Dr|Mr|No)\.$/
const CODE =
  /^[\w.]+:\s*[\w.()"]+,\.?$|^\s*(?:\/\/|\/\*|#include|import\s|from \S+ import|return\b.*[;)]$|(?:func|def|class|const|let|var|type|public|private|package|struct)\s+\w+.*[{;(=:]\.?$|package \w+\.?$)|[{};]\.?\s*$|^\s*[\w.]+\s*(?::=|\+=|-=)\s|^[\s│├└─┌┐╭╰|]+|^\s*if .*\{|fmt\.(?:Print|Fprint)|console\.log/
const BOILERPLATE =
  /^if you need specific details from before (?:exiting plan mode|compaction)|read the full transcript at:|^co-authored-by:|generated with \[?claude code|^this session is being continued from a previous|^the (?:conversation is summarized|summary) below|^please continue the conversation from where|^continue the conversation from where it left off/i
const ENDED = /[.!?:;]["”)]?$/
const MAX_LABEL_CHARS = 70
const MAX_LABEL_WORDS = 9
const INSTRUCTION_WORDS = 4
const MAX_INTRODUCTION_CHARS = 130

/** Joiners and pictures that carry no words. */
const PICTURES = /[\u{1F000}-\u{1FAFF}\u2600-\u2712\u2718-\u27BF\u2B50]\uFE0F?/gu
const LINK = /\[([^\]]{1,80})\]\((?:https?:\/\/|\/|\.|#)[^)]*\)/g

/** The words of a line without marks of Markdown. */
function plainText(line: string): string {
  return oneLine(
    line
      .replaceAll('**', '')
      .replaceAll('`', '')
      .replace(/(?<=^|\s)__(?=\w)([^_]+(?:_[^_]+)*)(?<=\w)__(?=\s|[.,;:]|$)/g, '$1')
      .replace(LINK, '$1')
      .replace(PICTURES, ''),
  )
}

function splitSentences(line: string): readonly string[] {
  const pieces: string[] = []
  let start = 0
  for (const match of line.matchAll(SENTENCE_END)) {
    const piece = line.slice(start, match.index).trim()
    if (ABBREVIATED.test(piece) || piece.length < 8) continue
    pieces.push(piece)
    start = match.index + match[0].length
  }
  return [...pieces, line.slice(start).trim()].filter((piece) => piece !== '')
}

const LONG_CHARS = 320
/** Where a long sentence can be cut without losing its meaning. */
const CLAUSE = /[;:] |,? (?:—|–|->|→|-) |, (?=(?:and|but|so|which|because|where|if|then|or|like)\b)| (?=\()|, /g

/** A long sentence in two halves, cut between clauses. */
function splitLong(sentence: string): readonly string[] {
  if (sentence.length <= LONG_CHARS) return [sentence]
  const middle = sentence.length / 2
  let best: number | undefined
  for (const match of sentence.matchAll(CLAUSE)) {
    const end = match.index + match[0].trimEnd().length
    if (best === undefined || Math.abs(end - middle) < Math.abs(best - middle)) best = end
  }
  if (best === undefined || best < sentence.length * 0.2 || best > sentence.length * 0.8) return [sentence]
  return [sentence.slice(0, best).trim(), ...splitLong(sentence.slice(best).trim())]
}

function readItem(line: string): string {
  return line.replace(BULLET, '').replace(BOX, (_, mark: string) => (mark === ' ' ? '(open) ' : '(done) '))
}

class Splitter {
  readonly sentences: Sentence[] = []
  readonly #keepsCode: boolean
  title: string | undefined
  #heading = ''
  #section = ''
  #part = ''
  #isLabel = false
  #paragraph = 0
  #isOpen = false
  #isAfterCode = false
  /** A heading or an introducing line that nothing has followed yet. */
  #pending: string | undefined
  #isFirst = false
  /** The items that introduce others, the outermost first. */
  #above: { readonly indent: number; readonly place: number }[] = []

  constructor(keepsCode: boolean) {
    this.#keepsCode = keepsCode
  }

  /** A blank line or another block ends a paragraph. */
  end(): void {
    if (this.#isOpen) this.#paragraph += 1
    this.#isOpen = false
  }

  /** A block of code follows: what introduces it says nothing without it. */
  markCode(): void {
    this.#pushEmptyLabel()
    this.#isAfterCode = true
    this.#pending = undefined
    const last = this.sentences.at(-1)
    if (last?.text.endsWith(':') === true) this.sentences[this.sentences.length - 1] = { ...last, isBeforeCode: true }
  }

  head(text: string, isPart: boolean, isBold: boolean): void {
    this.#pushEmptyLabel()
    this.end()
    this.#pending = isBold ? text.replace(/:*$/, ':') : undefined
    this.#isFirst = true
    const heading = plainText(text).replace(/[:*]+$/, '')
    this.title ??= heading
    this.#heading = heading
    this.#section = heading
    if (isPart) this.#part = heading
    this.#isLabel = false
  }

  /** In a short request, an introducing line that nothing follows is a sentence. */
  #pushEmptyLabel(): void {
    const text = this.#keepsCode && this.#isLabel ? this.#pending : undefined
    if (text === undefined) return
    this.#heading = this.#section
    this.#isLabel = false
    this.add(text, 'prose')
  }

  label(text: string): void {
    this.#pushEmptyLabel()
    this.end()
    this.#pending = text
    this.#isFirst = true
    this.#heading = plainText(text).replace(/[:*]+$/, '')
    this.#isLabel = true
  }

  /** An item, as a case of the one above it if that introduces it. */
  addItem(text: string, indent: number): void {
    this.#above = this.#above.filter((above) => above.indent < indent)
    const under = this.#above.at(-1)?.place
    const from = this.sentences.length
    this.add(text, 'item', under)
    const place = this.sentences.length - 1
    if (place >= from && this.sentences[place]?.text.endsWith(':') === true) this.#above.push({ indent, place })
  }

  add(text: string, form: Sentence['form'], under?: number): void {
    const last = this.sentences.at(-1)
    if (form !== 'item') this.#above = []
    if (form === 'prose' && this.#isLabel && (last === undefined || last.form !== 'prose') && !this.#isOpen) {
      this.#heading = this.#section
      this.#isLabel = false
    }
    const isUnder = this.#section !== '' && this.#section !== this.#heading
    const place = {
      form,
      heading: this.#heading,
      paragraph: this.#paragraph,
      ...(isUnder ? { section: this.#section } : {}),
      ...(this.#part === '' ? {} : { part: this.#part }),
      ...(under === undefined ? {} : { under }),
    }
    for (const sentence of splitSentences(plainText(text))) {
      if ((!this.#keepsCode && CODE.test(sentence)) || BOILERPLATE.test(sentence) || sentence.length < 2) continue
      this.#pending = undefined
      const [first = '', ...halves] = splitLong(sentence)
      this.sentences.push(
        {
          ...place,
          text: first,
          ...(this.#isAfterCode ? { isAfterCode: true as const } : {}),
          ...(this.#isFirst ? { isFirst: true as const } : {}),
        },
        ...halves.map((half) => ({ ...place, text: half, isContinued: true as const })),
      )
      this.#isAfterCode = false
      this.#isFirst = false
    }
    this.#isOpen = true
  }

  /** What follows is under a heading that was left out. */
  skip(): void {
    this.end()
    this.#pending = undefined
    this.#heading = ''
    this.#section = ''
    this.#part = ''
    this.#isLabel = false
    this.#isAfterCode = true
  }

  /** "**Item 3: add tests**" before a tool call: the last line of a message is an announcement, not a heading. */
  finish(): void {
    const text = this.#pending
    if (text === undefined) return
    this.#heading = ''
    this.#section = ''
    this.#isLabel = false
    this.add(text, 'prose')
  }

  /** A line that was wrapped by hand. */
  continue(text: string, isIndented: boolean): boolean {
    const last = this.sentences.at(-1)
    if (!this.#isOpen || last === undefined || last.form === 'row' || ENDED.test(last.text)) return false
    if (!isIndented && !/^[\p{Ll}(]/u.test(text)) return false
    this.sentences.pop()
    for (const piece of splitSentences(plainText(`${last.text} ${text}`))) this.sentences.push({ ...last, text: piece })
    return true
  }
}

const QUALIFIES =
  /\b(?:if|unless|whether|maybe|except|not sure|unsure|only when|(?:do|does|is|are|should)(?:n'?t| not))\b/i

function isLabel(line: string, next: string): boolean {
  if (!line.endsWith(':')) return false
  const isListed = ITEM.test(next) || next.startsWith('|')
  // What is uncertain or conditional is said so; without it, what follows would be an assertion.
  if (!isListed && QUALIFIES.test(line)) return false
  const words = line.split(/\s+/).length
  // "Add `version` to `Summary`:" before code is an instruction.
  if (words >= INSTRUCTION_WORDS && /[`_.]\w/.test(line) && !isListed) return false
  if (line.length <= MAX_LABEL_CHARS && words <= MAX_LABEL_WORDS) return true
  return line.length <= MAX_INTRODUCTION_CHARS && ITEM.test(next) && !/[.!?]\s/.test(line)
}

/** A line as its sentences and the one at its end that introduces a list; either may be empty. */
function splitIntroduction(line: string, next: string): readonly [words: string, label: string] {
  if (isLabel(line, next)) return ['', line]
  const last = splitSentences(line).at(-1) ?? ''
  return ITEM.test(next) && last !== line && isLabel(last, next)
    ? [line.slice(0, line.lastIndexOf(last)).trim(), last]
    : [line, '']
}

function withNext(sentence: Sentence, index: number, sentences: readonly Sentence[]): Sentence {
  const next = sentences[index + 1]
  const isSameList =
    next !== undefined &&
    sentence.form !== 'prose' &&
    next.form === sentence.form &&
    next.heading === sentence.heading &&
    next.paragraph === sentence.paragraph
  return isSameList ? { ...sentence, hasNext: true } : sentence
}

/** Where the middle of a long message was left out. */
const LEFT_OUT = / … \[\d+ characters left out\] … /
const FENCE = /^\s*(?:```|~~~)/

/** The end of the message is there: an odd number of fences after the gap means that the gap ends inside of code. */
function isInCode(lines: readonly string[]): boolean {
  return lines.filter((line) => FENCE.test(line)).length % 2 === 1
}

/** The sentences of a message with their headings, without ornament, and without code unless it stays. */
export function splitMessage(text: string, keepsCode = false): SplitMessage {
  const splitter = new Splitter(keepsCode)
  const lines = text.replace(TAGGED, ' ').replace(LEFT_OUT, '\n$&\n').split('\n')
  let fence: string | undefined
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim()
    if (LEFT_OUT.test(raw)) {
      splitter.skip()
      fence = isInCode(lines.slice(index + 1)) ? '```' : undefined
      continue
    }
    const mark = line.slice(0, 3)
    if (mark === '```' || mark === '~~~') {
      if (fence === undefined) splitter.markCode()
      fence = fence === undefined ? mark : mark === fence ? undefined : fence
      splitter.end()
      continue
    }
    if (fence !== undefined) continue
    if (line === '' || RULER.test(line)) {
      splitter.end()
      continue
    }
    const heading = HEADING.exec(line)?.[1] ?? BOLD_LINE.exec(line)?.[1]
    if (heading !== undefined) splitter.head(heading, /^##? /.test(line), BOLD_LINE.test(line))
    else if (line.startsWith('|')) {
      if (TABLE_RULER.test(lines[index + 1]?.trim() ?? '')) continue
      const cells = line.split('|').map((cell) => cell.trim())
      splitter.add(cells.filter((cell) => cell !== '').join(' – '), 'row')
    } else if (ITEM.test(raw)) splitter.addItem(readItem(line), raw.length - raw.trimStart().length)
    else {
      const next = lines.slice(index + 1).find((one) => one.trim() !== '') ?? ''
      const [words, label] = splitIntroduction(line.replace(/^>\s*/, ''), next)
      if (words !== '' && !splitter.continue(words, /^\s/.test(raw))) splitter.add(words, 'prose')
      if (label !== '') splitter.label(label)
    }
  }
  splitter.finish()
  const { title, sentences } = splitter
  return { ...(title === undefined ? {} : { title }), sentences: sentences.map(withNext) }
}
