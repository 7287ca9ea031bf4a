import { clip, clipQuote, withoutAnsi, oneLine } from './text.ts'

const MAX_ERROR_CHARS = 8_000
const MAX_LINE = 400
const SAYS_ERROR =
  /\b[A-Z]\w*(?:Error|Exception)\b|\b(?:error|fatal|panic)\b(?:\[\w+\])?\s?(?::|TS\d)|^(?:error|fatal|panic|traceback|assertion)\b|\bFAIL(?:ED|URE)?\b|\b(?:undefined|cannot find|could not|not found|no such file|permission denied|connection refused|is not defined|is not a function|unexpected|unresolved|mismatch|segmentation fault|exited with|timed out)\b|\(\w*(?:err|lint|unused|unparam|revive|staticcheck)\w*\)$/i
/** Stack frames, counts, task runners that report another program's failure, screenshots, and code that mentions errors. */
const NOISE =
  /ERROR task failed$|\.(?:png|webm|zip)$|^\W*(?:(?:Tests?|Test Files|Test Suites|Snapshots):?\s+\d+ (?:failed|passed|skipped|total)\b|test result: |FAILED \((?:failures|errors)=|\d+ (?:failed|passed|failing|passing)\b|0 (?:errors?|failed)\b|errors?: ?0\b|no errors?\b|at |from |File "|\d+ (?:errors?|warnings?) generated|npm (?:ERR!|error) (?:A complete log|code|errno|path|command|node|syscall))|Found 0 errors|^exit status \d+$|[{;(]$|^(?:\d+[-:\s]+)?\s*(?:(?:func|const|let|var|if|return|import|export|def|class|type|fn|pub|for)\b|\/\/|\/\*|\*)/

export interface ErrorLine {
  readonly text: string
  readonly signature: string
}

/** Two errors are the same if they differ only in folders, numbers, addresses, times or quoted values. */
export function toErrorSignature(text: string): string {
  return oneLine(text.slice(0, MAX_LINE))
    .replace(/[^\s'"`(]*\//g, '')
    .replace(/0x[0-9a-fA-F]+|\b[0-9a-f]{7,40}\b/g, '#')
    .replace(/\d+(?:[.:,]\d+)*(?:ms|s)?/g, '#')
    .slice(0, 160)
    .toWellFormed()
    .toLowerCase()
}

/** The error lines of an output in order, verbatim, each signature once. */
export function findErrorLines(output: string, limit: number): readonly ErrorLine[] {
  const found = new Map<string, ErrorLine>()
  const text = withoutAnsi(output)
  const scanned =
    text.length <= MAX_ERROR_CHARS ? text : `${text.slice(0, MAX_ERROR_CHARS / 2)}\n${text.slice(-MAX_ERROR_CHARS / 2)}`
  for (const raw of scanned.split('\n')) {
    const line = raw.slice(0, MAX_LINE).trim()
    if (line.length < 8 || NOISE.test(line) || !SAYS_ERROR.test(line)) continue
    const signature = toErrorSignature(line)
    if (signature.length >= 8 && !found.has(signature)) found.set(signature, { text: clipQuote(line, 200), signature })
    if (found.size >= limit) break
  }
  return [...found.values()]
}

/** A parsed test run. Counts are absent if the output has none. */
export interface TestReport {
  readonly isRed: boolean
  readonly passed?: number
  readonly failed?: number
  readonly pending?: number
  readonly failing: readonly string[]
}

const MAX_FAILING = 12
const MAX_SCANNED = 40_000

interface TestTally {
  passed?: number
  failed?: number
  pending?: number
  hasPass: boolean
  /** Some totals reported a failure; those of a later package may report none. */
  hasRedTotals: boolean
  failing: Set<string>
  /** Names after a mere symbol. */
  signed: Set<string>
}

const FAILING_LINES: readonly RegExp[] = [
  /^--- FAIL: (\S+)/, // go
  /^FAILED (\S+::[^\s-].*?)(?: - |$)/, // pytest
  /^test (\S+) \.\.\. FAILED$/, // cargo
  /^\d+\) test (.+) \([\w.]+\)$/, // mix
  /^not ok \d+ (?:- )?(?!.*# (?:SKIP|TODO))(.+?)$/, // TAP, node --test
  /^FAIL\s+(\S+\.\w+(?: > .+)?)$/, // vitest, jest: a file or a test
  /^rspec (\.\/\S+)/, // rspec
  /^\d+\) (\S+::\w+)/, // phpunit
  /^\d+\) (?:\[[\w -]+\] )?› \S+:\d+ › (.+?)(?: ─+)?$/, // playwright
  /^(\S+ > .+) FAILED$/, // gradle
  /^\[ERROR\]\s+(\w+\.\w+):\d+/, // maven
  /^FAIL\t(?!\.\s)(\S+)/, // go, a package; a folder without one has no name
]
/** Symbols that the tested program may print too: ignored if the totals report no failure. */
const SIGNED_LINES: readonly RegExp[] = [
  /^(?:✖|✗|×) (?!failing tests)(.+?)(?: \(?[\d.]+ ?m?s\)?)?$/, // vitest, node's spec reporter, ava
  /^● (?!Console)(.+ › .+)$/, // jest
]
/** A test outside any group. Only in Jest's output, because prompts are printed with this symbol too. */
const JEST_LINE = /^● (?!Console)(.+)$/
const JEST = /^[ \t]*(?:(?:FAIL|PASS) \S+\.\w+|(?:Tests|Test Suites):\s+\d)/m

function count(line: string, pattern: RegExp): number | undefined {
  const digits = pattern.exec(line)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

const TOTALS =
  /^(?:=+ .*(?:passed|failed|error).* =+|(?:Tests?|Test Suites?|Test Files):?\s+\d+.*|test result: .*|# (?:pass|fail|skipped|todo) \d+|ℹ (?:pass|fail|skipped|todo) \d+|\d+ (?:passing|failing|pending)\b.*|\d+ examples?, \d+ failures?.*|OK \(\d+ tests?.*|(?:\[\w+\] )?Tests run: \d+.*|\d+ (?:passed|failed)\b.*)$/

function readTotals(line: string, into: TestTally): void {
  if (/^(?:Test Suites|Test Files|Test Suite)/.test(line)) return
  if (/^(?:\[\w+\] )?Tests run: |^Tests: \d+, Assertions/.test(line)) {
    const all = count(line, /Tests(?: run)?: (\d+)/) ?? 0
    const bad = (count(line, /Failures: (\d+)/) ?? 0) + (count(line, /Errors: (\d+)/) ?? 0)
    const skipped = count(line, /Skipped: (\d+)/) ?? 0
    into.failed = bad
    into.hasRedTotals ||= bad > 0
    into.pending = skipped
    into.passed = Math.max(0, all - bad - skipped)
    return
  }
  const passed =
    count(line, /(\d+) (?:passed|passing)/) ?? count(line, /^(?:#|ℹ) pass (\d+)/) ?? count(line, /^OK \((\d+) tests?/)
  const failed = count(line, /(\d+) (?:failed|failing|failures?)/) ?? count(line, /^(?:#|ℹ) fail (\d+)/)
  const examples = count(line, /^(\d+) examples?/)
  const pending =
    count(line, /(\d+) (?:pending|skipped|ignored|todo)/) ?? count(line, /^(?:#|ℹ) (?:skipped|todo) (\d+)/)
  if (passed !== undefined) into.passed = passed
  if (failed !== undefined) into.failed = failed
  into.hasRedTotals ||= (failed ?? 0) > 0
  if (examples !== undefined) into.passed = Math.max(0, examples - (failed ?? 0))
  if (pending !== undefined) into.pending = (into.pending ?? 0) + pending
}

function nameIn(line: string, patterns: readonly RegExp[]): string | undefined {
  for (const pattern of patterns) {
    const name = pattern.exec(line)?.[1]
    if (name !== undefined) return clip(name, 120)
  }
  return undefined
}

/** Undefined when the output is not a test runner's. */
export function readTestOutput(output: string): TestReport | undefined {
  const text = withoutAnsi(output)
  const scanned = text.length <= MAX_SCANNED ? text : text.slice(-MAX_SCANNED)
  const signs = JEST.test(scanned) ? [...SIGNED_LINES, JEST_LINE] : SIGNED_LINES
  const reading: TestTally = { hasPass: false, hasRedTotals: false, failing: new Set(), signed: new Set() }
  for (const raw of scanned.split('\n')) {
    const line = raw.slice(0, 300).trim()
    if (line === '') continue
    if (TOTALS.test(line)) readTotals(line, reading)
    if (/^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)/.test(line)) reading.hasPass = true
    const listed = nameIn(line, FAILING_LINES)
    const name = listed ?? nameIn(line, signs)
    if (name === undefined) continue
    reading.failing.add(name)
    if (listed === undefined) reading.signed.add(name)
  }
  const { passed, failed, pending, hasPass, hasRedTotals, signed } = reading
  const hasTotals = passed !== undefined || failed !== undefined
  const failing = [...reading.failing].filter((name) => !hasTotals || hasRedTotals || !signed.has(name))
  const hasFailure = failing.length > 0
  if (!hasTotals && !hasFailure && !hasPass) return undefined
  const isRed = hasFailure || (failed ?? 0) > 0
  return {
    isRed,
    passed,
    failed: failed ?? (hasFailure ? Math.min(failing.length, MAX_FAILING) : undefined),
    pending,
    failing: failing.slice(0, MAX_FAILING),
  }
}
