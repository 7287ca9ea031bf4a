import { baseName } from '../paths/paths.ts'
import { clip, oneLine, withoutAnsi } from './text.ts'

/** A place in a file that a compiler, a linter or a test names, and what it says of it. */
export interface Diagnostic {
  /** `name.go:300`. */
  readonly place: string
  readonly text: string
}

const MAX_SCANNED = 40_000
const MAX_LINE = 400
const MAX_TEXT_CHARS = 150
/** `[lint:go] a/b.go:300:12: …`, `b_test.go:12: …`, `src/a.ts(3,5): error TS…`. */
const PLACED = /^(?:\[[\w:./-]+\] )?\s*([\w@./-]*[\w@-]\.[a-z]\w{0,5})(?::(\d+)(?::\d+)?:?|\((\d+),\d+\):)\s+(\S.{7,})$/
/** A frame of a stack, a line of the log, a test that passed. */
const NOT_A_FINDING =
  /^(?:at |in |\+0x|=== |--- PASS|ok\b|PASS\b|\d{4}[-/]\d\d|(?:INFO|DEBUG|TRACE)\b)|\boutput: |\b(?:INFO|DEBUG)\b|[{;]$/

/** A test prints what it does, too. */
const FAILS =
  /\b(?:assert\w*|can(?:'t|not)|did(?: not|n't)|error|expect\w*|fail\w*|got|mismatch|missing|must|nil|not|null|panic|should|undefined|unexpected|want\w*|wrong)\b|!=/i

interface DiagnosticOptions {
  readonly limit: number
  readonly isTest: boolean
}

const SAYS_ERROR = /^(?:fatal )?error\b/i
const LABEL = /^(?:fatal )?error(?:\[\w+\])?:? /i

/** A log line of a Go test that passed. */
function withoutPassedTests(output: string): string {
  return output.replace(/^=== RUN[^\n]*\n(?:(?!=== RUN|--- )[^\n]*\n)*?\s*--- PASS/gm, '--- PASS')
}

/** What an output says of places in files, in its order, each once; only errors where it marks warnings too. */
export function findDiagnostics(output: string, { limit, isTest }: DiagnosticOptions): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic & { readonly isError: boolean }>()
  const plain = withoutAnsi(output).slice(-MAX_SCANNED)
  for (const raw of (isTest ? withoutPassedTests(plain) : plain).split('\n')) {
    const [, path, line, otherLine, said = ''] = PLACED.exec(raw.slice(0, MAX_LINE).trimEnd()) ?? []
    if (path === undefined || NOT_A_FINDING.test(said) || (isTest && !FAILS.test(said))) continue
    const isError = SAYS_ERROR.test(said)
    const text = clip(oneLine(said.replace(LABEL, '')), MAX_TEXT_CHARS)
    if (!found.has(text)) found.set(text, { place: `${baseName(path)}:${line ?? otherLine ?? ''}`, text, isError })
  }
  const all = [...found.values()]
  const errors = all.filter(({ isError }) => isError)
  return (errors.length > 0 ? errors : all).slice(0, limit).map(({ place, text }) => ({ place, text }))
}
