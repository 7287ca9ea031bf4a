/** What follows a command in a line; `;` stands for a newline too. */
type Operator = '&&' | '||' | ';' | '|' | '&'

export interface ChainSegment {
  readonly text: string
  /** Absent at the end. */
  readonly next?: Operator
}

const MAX_SCANNED = 4_000
const HERE_DOCUMENT = /<<-?\s*(['"]?)(\w+)\1[^\n]*\n[\s\S]*?\n\s*\2(?=\s|$)/g
/** What is left of `$(cat <<'EOF' …)` without the document. */
const EMPTIED = /\$\(cat\s*\)/g

/** `2>&1` and `&>` redirect; a lone `&` separates. */
function readOperator(text: string, at: number): { operator: Operator; length: number } | undefined {
  const char = text[at]
  const next = text[at + 1]
  if (char === ';' || char === '\n') return { operator: ';', length: char === ';' && next === ';' ? 2 : 1 }
  if (char === '|')
    return next === '|' ? { operator: '||', length: 2 } : { operator: '|', length: next === '&' ? 2 : 1 }
  if (char !== '&' || text[at - 1] === '>' || next === '>') return undefined
  return next === '&' ? { operator: '&&', length: 2 } : { operator: '&', length: 1 }
}

const INLINE_SCRIPT =
  /^(?:\w+=\S*\s+|env\s+)*(?:\S*\/)?(?:ba|z)?sh\s+-[a-z]*c\s+(?:'([^']*)'|"((?:[^"\\$`]|\\[\s\S]|\$[\w?])*)")(\s*\d?>.*)?$/s

/** `bash -c 'a && b'` is `(a && b)`. */
function asGroup(segment: string): string {
  const script = INLINE_SCRIPT.exec(segment)
  return script === null ? segment : `(${script[1] ?? script[2] ?? ''})${script[3] ?? ''}`
}

/** Splits at `&&`, `||`, `;`, `|`, `&` and newlines, but not inside quotes, parentheses or substitutions. */
export function splitChain(command: string): readonly ChainSegment[] {
  const text = command.slice(0, MAX_SCANNED).replace(HERE_DOCUMENT, '').replace(EMPTIED, '…').replace(/\\\n/g, ' ')
  const segments: ChainSegment[] = []
  let quote = ''
  let depth = 0
  let start = 0
  const add = (end: number, next?: Operator) => {
    const segment = asGroup(text.slice(start, end).trim())
    if (segment !== '' && !segment.startsWith('#'))
      segments.push({ text: segment, ...(next === undefined ? {} : { next }) })
  }
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? ''
    if (quote !== '') {
      if (char === '\\' && quote === '"') at += 1
      else if (char === quote) quote = ''
    } else if (char === '\\') at += 1
    else if (char === '"' || char === "'" || char === '`') quote = char
    else if (char === '(') depth += 1
    else if (char === ')') depth = Math.max(0, depth - 1)
    else if (depth === 0) {
      const found = readOperator(text, at)
      if (found === undefined) continue
      add(at, found.operator)
      at += found.length - 1
      start = at + 1
    }
  }
  add(text.length)
  return segments
}

/** What an exit status says about one command of a line. */
export type StatusVerdict = 'passed' | 'failed' | 'unknown'

export interface JudgedSegment {
  readonly text: string
  readonly status: StatusVerdict
  /** It continues after the line. */
  readonly isBackground: boolean
  /** It ran only if what comes before it succeeded. */
  readonly isConditional: boolean
  /** The commands that its output is piped through. */
  readonly filters: readonly string[]
}

interface ShellOptions {
  /** `set -e`: the first failure ends the line. */
  readonly hasErrorExit: boolean
  readonly hasPipefail: boolean
}

interface Pipeline {
  readonly segments: readonly string[]
  readonly next?: Operator
}

function groupPipelines(chain: readonly ChainSegment[], { hasErrorExit }: ShellOptions): readonly Pipeline[] {
  const pipelines: Pipeline[] = []
  let segments: string[] = []
  for (const { text, next } of chain) {
    segments.push(text)
    if (next === '|') continue
    const operator = hasErrorExit && next === ';' ? '&&' : next
    pipelines.push({ segments, ...(operator === undefined ? {} : { next: operator }) })
    segments = []
  }
  return segments.length === 0 ? pipelines : [...pipelines, { segments }]
}

/** They do not fail, or nothing runs after them when they do. */
const TRIVIAL =
  /^(?:\w+=\S*\s+)*(?:cd|pushd|popd|echo|printf|export|set|unset|source|\.|pwd|mkdir|sleep|date|true|:|head|tail|cat|tee|less|sort|wc)(?:\s|$)/
const GIVES_UP = /^(?:exit|return|false)(?:\s|$)/

function isTrivial({ segments }: Pipeline, { hasPipefail }: ShellOptions): boolean {
  const deciding = hasPipefail ? segments : segments.slice(-1)
  return deciding.every((segment) => TRIVIAL.test(segment))
}

/** The status of each pipeline, as far as the status of the whole line shows it. */
function judgePipelines(
  pipelines: readonly Pipeline[],
  status: StatusVerdict,
  options: ShellOptions,
): readonly StatusVerdict[] {
  const unknown = pipelines.map((): StatusVerdict => 'unknown')
  if (status === 'unknown') return unknown
  const isSequence = ({ next }: Pipeline) => next === ';' || next === '&'
  const begin = pipelines.findLastIndex((pipeline, at) => isSequence(pipeline) && at < pipelines.length - 1) + 1
  const list = pipelines.slice(begin)
  const isAlternative = list.some(({ next }) => next === '||')
  if (status === 'passed')
    return unknown.map((verdict, at) =>
      at >= begin && (!isAlternative || pipelines.length === begin + 1) ? 'passed' : verdict,
    )
  const [first, second] = list
  if (isAlternative) {
    const isEitherOr = list.length === 2 && first !== undefined && second !== undefined
    return unknown.map((verdict, at) =>
      at === begin && isEitherOr && (isTrivial(second, options) || GIVES_UP.test(second.segments[0] ?? ''))
        ? 'failed'
        : verdict,
    )
  }
  const guilty = list.filter((pipeline) => !isTrivial(pipeline, options))
  const [only] = guilty
  return unknown.map((verdict, at) =>
    at >= begin && guilty.length === 1 && pipelines[at] === only ? 'failed' : verdict,
  )
}

const SHOWS_STATUS = /^(?:echo|printf)\s+(.*(?:\$\?|\$\{?PIPESTATUS\[0\]\}?|\$\{?pipestatus\[1\]\}?).*)$/s
const SHOWN_STATUS = /\\?\$(?:\?|\{?(?:PIPESTATUS\[0\]|pipestatus\[1\])\}?)/

/** The status that the line itself prints: `npm test; echo "exit: $?"`. */
function readPrintedStatus(shown: string, output: string): StatusVerdict {
  const template = SHOWS_STATUS.exec(shown)?.[1]
    ?.replace(/^(["'])(.*)\1$/s, '$2')
    .replace(/\\n/g, '')
  if (template === undefined) return 'unknown'
  const [before = '', after = ''] = template.split(SHOWN_STATUS)
  const escape = (text: string) => text.trim().replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const pattern = new RegExp(`^${escape(before)}\\s*(\\d{1,3})\\s*${escape(after)}$`)
  const statuses = output.split('\n').flatMap((line) => pattern.exec(line.trim())?.[1] ?? [])
  const last = statuses.at(-1)
  return last === undefined ? 'unknown' : last === '0' ? 'passed' : 'failed'
}

const SAYS = /^echo\s+(?:"([^"$`]{2,60})"|'([^']{2,60})'|([\w! -]{2,60}))$/

/** `npm test && echo OK`, `npm test || echo FAILED`: which of them was printed. */
function readPrintedWord(pipeline: Pipeline, following: Pipeline | undefined, output: string): StatusVerdict {
  const said = SAYS.exec(following?.segments[0] ?? '')
  const word = said?.[1] ?? said?.[2] ?? said?.[3]
  if (word === undefined || !output.split('\n').some((line) => line.trim() === word.trim())) return 'unknown'
  return pipeline.next === '&&' ? 'passed' : pipeline.next === '||' ? 'failed' : 'unknown'
}

const GROUP = /^\((.*)\)(?:\s*\d?>{1,2}(?:&\d|\s*\S+))*$/s
const PAGER = /^(?:tee|cat|tail|less|more|sort|nl)(?:\s|$)/

interface LineOutcome {
  readonly status: StatusVerdict
  readonly output: string
}

function judgeChain(
  chain: readonly ChainSegment[],
  { status, output }: LineOutcome,
  options: ShellOptions,
): readonly JudgedSegment[] {
  const pipelines = groupPipelines(chain, options)
  const statuses = judgePipelines(pipelines, status, options)
  return pipelines.flatMap((pipeline, place) => {
    const following = pipelines[place + 1]
    const isConditional = pipelines[place - 1]?.next === '&&'
    const printed = SHOWS_STATUS.test(following?.segments[0] ?? '') ? (following?.segments[0] ?? '') : ''
    const shown = readPrintedStatus(printed, output)
    const ofFirst = /pipestatus/i.test(printed) ? shown : 'unknown'
    const known = statuses[place] ?? 'unknown'
    const printedWord = readPrintedWord(pipeline, following, output)
    const ofLast = known !== 'unknown' ? known : ofFirst === 'unknown' && shown !== 'unknown' ? shown : printedWord
    const last = pipeline.segments.length - 1
    return pipeline.segments.flatMap((text, at): readonly JudgedSegment[] => {
      const filters = pipeline.segments.slice(at + 1)
      const isLast = at === last
      const piped = options.hasPipefail && (ofLast === 'passed' || filters.every((filter) => PAGER.test(filter)))
      const own = at === 0 && ofFirst !== 'unknown' ? ofFirst : isLast || piped ? ofLast : 'unknown'
      const inner = GROUP.exec(text)?.[1]
      const isBackground = pipeline.next === '&'
      if (inner === undefined) return [{ text, status: own, isBackground, isConditional, filters }]
      return judgeChain(splitChain(inner), { status: own, output }, options).map((segment, first) => ({
        ...segment,
        isBackground: segment.isBackground || isBackground,
        isConditional: first === 0 ? isConditional : segment.isConditional,
        filters: [...segment.filters, ...filters],
      }))
    })
  })
}

/**
 * What the exit status of a line says about each of its commands. The status of `a && b` belongs to the chain, and a pipe
 * hides that of all but its last command.
 */
export function judgeSegments(line: string, ok: boolean, output: string): readonly JudgedSegment[] {
  const chain = splitChain(line)
  const settings = chain.flatMap(({ text }) => (text.startsWith('set ') ? [text] : [])).join(' ')
  const options = {
    hasErrorExit: /(?:^|\s)-[a-z]*e/.test(settings),
    hasPipefail: /\bpipefail\b/.test(settings) || /-o pipefail/.test(line),
  }
  return judgeChain(chain, { status: ok ? 'passed' : 'failed', output }, options)
}
