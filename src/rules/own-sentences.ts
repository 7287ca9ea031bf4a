import { oneLine, withoutAnsi, withoutCode } from '../kernel/text/text.ts'

/** One sentence or list item in the user's own words. */
export interface OwnSentence {
  readonly text: string
  /** It stands in a brief with headings, which describes one piece of work. */
  readonly isInBrief: boolean
}

/** Written by a harness, a skill or an agent, though it arrives as a prompt. */
const OTHER_AUTHOR = [
  /^\s*Implement the following plan:/i,
  /^\s*This session is being continued from a previous/i,
  /^\s*The user wants to clarify these questions/i,
  /^\s*(?:<[a-z][\w-]*>|\[Request interrupted|Caveat: The messages below)/,
  /^\s*(?:Operation stopped by hook|Base directory for this skill)/i,
  /^\s*---\n[\s\S]{0,600}?\n---\n/,
  /^\s*#\s.{0,80}\n[\s\S]*^##\s/m,
]
/** The role prompt of a command or a script. */
const ROLE = /^\s*(?:You are|You're|Act as|Du bist|Tu es|Eres) (?:an?|the|ein|eine|une?|una?|el|la|le)\s/i
const MAX_ROLE_CHARS = 400

/** A pasted line: terminal output, a log, a diff, a stack trace, code, a table, a quotation. */
const PASTED = [
  /^\s*(?:>|[│┃|❯⎿⏺●✓✔✗✘✖$%╭╰└├┌]|\d{4}-\d\d-\d\d[T ]\d\d:|\[[\w:. -]{2,}\] )/,
  /^(?:\+|-)(?:[^ ]|\s{2,})|^@@|^diff --git|^(?:---|\+\+\+|===) /,
  /^\s*(?:at \S+ ?\(|File "|Traceback|(?:\w+)?(?:Error|Exception|Warning)\b:|(?:FAIL|PASS)\b[:\t ]|ok(?:\t| {2,})|\w+@\w+[ :~])/,
  /^\s*(?:[{}[\]();]+|<\/?\w+[^>]*>|.*[{;])\s*$/,
  /^\s*(?:import|export|const|let|var|func|def|class|return|if|for|while|public|private|async)\b.*[({=:]/,
  /\S {4,}\S/,
  /^\s*\S+\.\w{1,5}:\d+/,
]
const isPasted = (line: string) => PASTED.some((pattern) => pattern.test(line))

const HEADING = /^\s{0,3}#{1,6}\s+(.*)$/
/** Sections of a brief that hold rules; the others describe the work. */
const RULES_HEADING =
  /\b(?:constraints?|rules?|non-negotiables?|guidelines?|conventions?|style|important|do nots?|don'?ts?|restrictions?|limits?|regeln|vorgaben|contraintes|règles|reglas|restricciones|normas)\b/i
const MARKER = /^\s*(?:[-*+•]|\(?\d{1,2}[.)]|\(?[a-z]\))\s+/
const MIN_INDENT = 4

interface TextBlock {
  lines: string[]
  readonly isItem: boolean
  readonly isInBrief: boolean
  readonly indent: number
}

function isDeeper(line: string, { isItem, indent }: TextBlock): boolean {
  return isItem && line.search(/\S/) > indent
}

/** Paragraphs and list items; a wrapped line belongs to the one above it. */
function toBlocks(text: string): readonly TextBlock[] {
  const lines = withoutCode(withoutAnsi(text)).replaceAll('\r', '').split('\n')
  const isBrief = lines.filter((line) => HEADING.test(line)).length >= 2
  const blocks: TextBlock[] = []
  let open: TextBlock | undefined
  // Before the first heading the user speaks about the whole.
  let holdsRules = true
  let hasHeading = false
  for (const line of lines) {
    const heading = HEADING.exec(line)
    if (heading !== null) {
      hasHeading = true
      holdsRules = RULES_HEADING.test(heading[1] ?? '')
      open = undefined
    } else if (line.trim() === '') open = undefined
    else if (isBrief && hasHeading && !holdsRules) open = undefined
    else if (open?.lines.at(-1)?.trimEnd().endsWith(':') === true && isDeeper(line, open))
      open.lines.push(line.replace(MARKER, ''))
    else if (MARKER.test(line) && !/^-{3}/.test(line)) {
      open = { lines: [line.replace(MARKER, '')], isItem: true, isInBrief: isBrief, indent: line.search(/\S/) }
      blocks.push(open)
    } else if (open === undefined) {
      open = { lines: [line], isItem: false, isInBrief: isBrief, indent: line.search(/\S/) }
      blocks.push(open)
    } else open.lines.push(line)
  }
  return blocks
}

function isOutput({ lines, isItem }: TextBlock): boolean {
  const [first = ''] = lines
  const isIndented = !isItem && first.search(/\S/) >= MIN_INDENT
  return isIndented || lines.filter(isPasted).length * 2 >= lines.length
}

/** The length of a line that an editor wrapped. */
const MIN_WRAPPED = 60
const MAX_WRAPPED = 130

/** Not after an abbreviation, a number of a list, or inside `a.b`. */
const SENTENCE_END =
  /(?<!\b(?:e\.g|i\.e|etc|vs|resp|z\.B|d\.h|p\.ex|approx|cf))(?<=[.!?…]["')\]]?)\s+(?=[\p{L}"'`(@/])/u

function toSentences({ lines, isItem, isInBrief }: TextBlock): readonly OwnSentence[] {
  const written = lines.filter((line) => isItem || !isPasted(line))
  // A line that ends a thought without a full stop is a sentence: many people write one per line.
  const whole: string[] = []
  let lastLine = ''
  for (const line of written) {
    const last = whole.at(-1)
    const isWrapped = lastLine.length >= MIN_WRAPPED && lastLine.length <= MAX_WRAPPED && !/[.!?:]\s*$/.test(lastLine)
    if (last !== undefined && (isWrapped || isItem)) whole[whole.length - 1] = `${last} ${line.trim()}`
    else whole.push(line.trim())
    lastLine = line.trim()
  }
  return whole
    .flatMap((line) => line.split(SENTENCE_END))
    .flatMap((text) => {
      const one = oneLine(text)
      return one === '' ? [] : [{ text: one, isInBrief }]
    })
}

/** What the user wrote in this message: without code, pasted output, quotations, documents and prompts of others. */
export function listOwnSentences(message: string): readonly OwnSentence[] {
  if (OTHER_AUTHOR.some((pattern) => pattern.test(message))) return []
  if (ROLE.test(message) && message.length > MAX_ROLE_CHARS) return []
  return toBlocks(message)
    .filter((block) => !isOutput(block))
    .flatMap(toSentences)
}
