/** A line that a program printed, not a person: positions in files, results of tests, timestamps, frames, diffs. */
const PRINTED =
  /^\s*(?:\S+\.[a-z]{1,5}[:(]\d+|--- (?:PASS|FAIL|SKIP)|=== (?:RUN|CONT|PAUSE)|(?:ok|FAIL|PASS|PASSED|FAILED)\b\s*\S*$|(?:ok|FAIL)\s+\S+\/\S+|\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\[\w+\]\s+\$|at \S+ \(|\$ \S|[+-]{3} |@@ |Error(?: Trace)?:|Test:|Messages:|(?:expected|actual)\s*:|[│╭╰┌└├─━┃⎿⏺●❯]|Traceback|File ".*", line \d+|\s{8,}\S|[{}[\]]+,?$|"[\w.-]+":|\d+\s*[|│→]|npm (?:ERR|WARN)|error TS\d|\S+:\d+:\d+:|(?:Created|Copied|Restored|Deleted|Initialized|Writing|Loading|Removed|Extracted|Saved)\b[^.!?]*[:'`/])/

const FAILED_NAME = /^\s*(?:--- FAIL|(?:FAIL|✗|×|●)\s+\S)/
const MISMATCH = /\b(?:should|expected|want|got|must)\b/i
const ERROR =
  /\b(?:[A-Za-z]*Error\b|error TS\d+|error\[E\d+\]|panic|FAIL(?:ED)?\b|undefined:|cannot find|not found|no such file|assert\w*|exception)|✗|✘|not ok/i

/** Lines closer than this belong to one paste. */
const REACH = 6
const LEAST_LINES = 3
const LEAST_SHARE = 0.3
const MAX_ERROR_CHARS = 230
const PROSE = /^\s*[a-zA-Z' ,]+[.?!]?\s*$/

const FENCED = /^[ \t]*(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^[ \t]*\1[ \t]*$/gm
const MAX_FENCED_CHARS = 140

/** A single short line in a fence is a command that the text speaks of. */
function withoutFences(text: string): string {
  return text.replace(FENCED, (_, _mark: string, body: string) => {
    const line = body.trim()
    return line.includes('\n') || line.length > MAX_FENCED_CHARS ? '' : line
  })
}

function oneSpaced(line: string): string {
  return line.replace(/\s+/g, ' ').trim()
}

/** The line of an output that says most about what went wrong. */
function findError(lines: readonly string[]): string {
  const plain = lines.map(oneSpaced).filter((line) => line.length >= 8 && line.length <= 400)
  const mismatch = plain.find((line) => /\w\.\w+:\d+:/.test(line) && MISMATCH.test(line))
  const error = mismatch ?? plain.find((line) => ERROR.test(line)) ?? ''
  const name = plain.find((line) => FAILED_NAME.test(line))?.replace(/\s*\([\d.]+s\)/, '') ?? ''
  const said = name !== '' && !error.includes(name) ? [name, error].filter((part) => part !== '').join('; ') : error
  return said.slice(0, MAX_ERROR_CHARS)
}

interface LineSpan {
  readonly start: number
  end: number
  count: number
}

function findSpans(lines: readonly string[]): readonly LineSpan[] {
  const spans: LineSpan[] = []
  lines.forEach((line, index) => {
    if (line.trim() === '' || !PRINTED.test(line)) return
    const last = spans.at(-1)
    if (last === undefined || index - last.end > REACH) spans.push({ start: index, end: index, count: 1 })
    else {
      last.end = index
      last.count += 1
    }
  })
  return spans.filter(({ start, end, count }) => {
    const filled = lines.slice(start, end + 1).filter((line) => line.trim() !== '').length
    return count >= LEAST_LINES && count >= LEAST_SHARE * filled
  })
}

/** A message without its code blocks and without the output that was pasted into it; of that, the error it shows. */
export function withoutPastedOutput(text: string): string {
  const plain = withoutFences(text)
  const lines = plain.split('\n')
  const spans = findSpans(lines)
  if (spans.length === 0) return plain
  const left: string[] = []
  let at = 0
  for (const span of spans) {
    left.push(...lines.slice(at, span.start))
    let end = span.end + 1
    while ((lines[end] ?? '').trim() !== '' && !PROSE.test(lines[end] ?? '')) end += 1
    const error = findError(lines.slice(span.start, end))
    left.push(error === '' ? '' : `(pasted output: ${error})`)
    at = end
  }
  return [...left, ...lines.slice(at)].join('\n')
}
