import { clip, withoutAnsi } from './text.ts'

/** What a test runner's output said. Counts are absent where it told none. */
export interface TestReport {
  readonly isRed: boolean
  readonly passed?: number
  readonly failed?: number
  readonly pending?: number
  readonly failing: readonly string[]
}

const MAX_FAILING = 12
const MAX_SCANNED = 40_000

interface Reading {
  passed?: number
  failed?: number
  pending?: number
  hasPass: boolean
  /** Some totals said that something failed; those of a later package may say that nothing did. */
  hasRedTotals: boolean
  failing: Set<string>
  /** Those behind a mere sign. */
  signed: Set<string>
}

const FAILING_LINES: readonly RegExp[] = [
  /^--- FAIL: (\S+)/, // go
  /^FAILED (\S+::[^\s-].*?)(?: - |$)/, // pytest
  /^test (\S+) \.\.\. FAILED$/, // cargo
  /^not ok \d+ - (?!.*# (?:SKIP|TODO))(.+?)$/, // TAP, node --test
  /^FAIL\s+(\S+\.\w+(?: > .+)?)$/, // vitest, jest: a file or a test
  /^rspec (\.\/\S+)/, // rspec
  /^\d+\) (\S+::\w+)/, // phpunit
  /^(\S+ > .+) FAILED$/, // gradle
  /^\[ERROR\]\s+(\w+\.\w+):\d+/, // maven
  /^FAIL\t(?!\.\s)(\S+)/, // go, a package; a folder without one has no name
]
/** Signs that what is tested may print as well: they say nothing where the totals know of no failure. */
const SIGNED_LINES: readonly RegExp[] = [
  /^(?:✖|✗|×) (?!failing tests)(.+?)(?: \(?[\d.]+ ?m?s\)?)?$/, // vitest, node's spec reporter, ava
  /^● (?!Console)(.+ › .+)$/, // jest
]
/** A test without a group around it: only where Jest speaks, because prompts are printed with this sign. */
const JEST_LINE = /^● (?!Console)(.+)$/
const JEST = /^[ \t]*(?:(?:FAIL|PASS) \S+\.\w+|(?:Tests|Test Suites):\s+\d)/m

function count(line: string, pattern: RegExp): number | undefined {
  const digits = pattern.exec(line)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

const TOTALS =
  /^(?:=+ .*(?:passed|failed|error).* =+|(?:Tests?|Test Suites?|Test Files):?\s+\d+.*|test result: .*|# (?:pass|fail|skipped|todo) \d+|ℹ (?:pass|fail|skipped|todo) \d+|\d+ (?:passing|failing|pending)\b.*|\d+ examples?, \d+ failures?.*|OK \(\d+ tests?.*|(?:\[\w+\] )?Tests run: \d+.*|\d+ (?:passed|failed)\b.*)$/

function readTotals(line: string, into: Reading): void {
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
  const reading: Reading = { hasPass: false, hasRedTotals: false, failing: new Set(), signed: new Set() }
  for (const raw of scanned.split('\n')) {
    const line = raw.slice(0, 300).trim()
    if (line === '') continue
    if (TOTALS.test(line)) readTotals(line, reading)
    if (/^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)/.test(line)) reading.hasPass = true
    const told = nameIn(line, FAILING_LINES)
    const name = told ?? nameIn(line, signs)
    if (name === undefined) continue
    reading.failing.add(name)
    if (told === undefined) reading.signed.add(name)
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
