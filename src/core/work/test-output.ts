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
  hasFailure: boolean
  hasPass: boolean
  failing: Set<string>
}

const FAILING_LINES: readonly RegExp[] = [
  /^--- FAIL: (\S+)/, // go
  /^FAILED (\S+::[^\s-].*?)(?: - |$)/, // pytest
  /^test (\S+) \.\.\. FAILED$/, // cargo
  /^not ok \d+ - (?!.*# (?:SKIP|TODO))(.+?)$/, // TAP, node --test
  /^(?:✖|✗|×) (?!failing tests)(.+?)(?: \(?[\d.]+ ?m?s\)?)?$/, // vitest, node's spec reporter, ava
  /^● (?!Console)(.+)$/, // jest
  /^FAIL\s+(\S+\.\w+(?: > .+)?)$/, // vitest, jest: a file or a test
  /^rspec (\.\/\S+)/, // rspec
  /^\d+\) (\S+::\w+)/, // phpunit
  /^(\S+ > .+) FAILED$/, // gradle
  /^\[ERROR\]\s+(\w+\.\w+):\d+/, // maven
  /^FAIL\t(\S+)/, // go, a package
]

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
  if (examples !== undefined) into.passed = Math.max(0, examples - (failed ?? 0))
  if (pending !== undefined) into.pending = (into.pending ?? 0) + pending
}

/** Undefined when the output is not a test runner's. */
export function readTestOutput(output: string): TestReport | undefined {
  const text = withoutAnsi(output)
  const scanned = text.length <= MAX_SCANNED ? text : text.slice(-MAX_SCANNED)
  const reading: Reading = { hasFailure: false, hasPass: false, failing: new Set() }
  for (const raw of scanned.split('\n')) {
    const line = raw.slice(0, 300).trim()
    if (line === '') continue
    if (TOTALS.test(line)) readTotals(line, reading)
    if (/^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)/.test(line)) reading.hasPass = true
    for (const pattern of FAILING_LINES) {
      const name = pattern.exec(line)?.[1]
      if (name === undefined) continue
      reading.hasFailure = true
      if (reading.failing.size < MAX_FAILING) reading.failing.add(clip(name, 120))
      break
    }
  }
  const { passed, failed, pending, failing, hasFailure, hasPass } = reading
  if (passed === undefined && failed === undefined && !hasFailure && !hasPass) return undefined
  const isRed = hasFailure || (failed ?? 0) > 0
  return { isRed, passed, failed: failed ?? (hasFailure ? failing.size : undefined), pending, failing: [...failing] }
}
