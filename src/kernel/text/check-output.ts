import type { CheckVerdict } from '../checkpoint.ts'
import { truncate, withoutAnsi } from './text.ts'
import { findErrorLines, readTestOutput, toErrorSignature } from './command-output.ts'

type OutputVerdict = Exclude<CheckVerdict, 'unknown'>

/** `code`: what a compiler or a linter says. */
export type OutputTopic = 'test' | 'code'

/** What the output of a test, build or lint says about itself. */
export interface CheckReport {
  /** Absent if no line states a result. */
  readonly verdict?: OutputVerdict
  /** The program itself was not found. */
  readonly isMissing?: true
  /** The line that states it, verbatim. */
  readonly line?: string
  /** The line counts failures too: what comes before or after it cannot change the verdict. */
  readonly isTotal: boolean
  /** Tests that passed, over all runners of the output; absent if it has no count. */
  readonly passed?: number
  readonly failing: readonly string[]
}

interface Result {
  readonly verdict: OutputVerdict
  readonly topic?: OutputTopic
  /** A tested program may print such a line too. */
  readonly isWeak?: true
  readonly isMissing?: true
  /** Which runner's totals it is. */
  readonly shape?: number
  readonly line: string
  readonly isTotal: boolean
  readonly passed?: number
}

const MAX_SCANNED = 40_000
const MAX_LINE = 300
const LINE_CHARS = 200

/** Task runners put a name before each line: `[test] `, `web:test: `, `packages/a test: `, `app-1  | `. */
const PREFIX =
  /^(?:\[[\w:@./-]+\] |(?:[@\w./-]+:)?(?:test|build|lint|check|typecheck)[\w:-]*: |[@\w./-]+ (?:test|build|lint)\S*: |[\w.-]+\s+\| )(?=\S)/

/** The totals of test runners, which count what passed and what failed. */
const TOTALS: readonly RegExp[] = [
  /^=+ .*\b(?:passed|failed|errors?|no tests ran|deselected|skipped)\b.* =+$/, // pytest
  /^(?:\d+ \w+, )*\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed)\b.* in [\d.]+s(?: \(.*\))?$/, // pytest -q
  /^Tests:?\s+(?:\d+ \w+|no tests)/, // vitest, jest, pest
  /^test result: /, // cargo
  /^(?:#|ℹ) (?:pass|fail|cancelled) \d+$/, // node:test
  /^\d+ (?:passing|failing)\b/, // mocha
  /^\d+ examples?, \d+ failures?/, // rspec
  /^(?:\d+ (?:doctests?|properties|property), )*\d+ tests?, \d+ failures?/, // mix, bats
  /^\d+ (?:runs|tests), \d+ assertions, \d+ failures/, // minitest
  /^OK \(\d+ tests?/, // phpunit
  /^Tests: \d+, Assertions/,
  /^(?:\[\w+\]\s+)?Tests run: ?\d+/, // JUnit, maven
  /^\d+ tests completed, \d+ failed/, // gradle
  /^\d+ (?:tests? )?(?:passed|failed)(?: \([\d.]+m?s?\))?$/, // playwright, ava
  /^Ran \d+ tests? (?:in|across)\b/, // unittest, bun
  /^\d+ (?:pass|fail)$/, // bun
  /^(?:ok|FAILED) \| \d+ passed/, // deno
  /^(?:Passed|Failed)!\s+- Failed:/, // dotnet
  /^\d+% tests passed, \d+ tests? failed out of \d+/, // ctest
  /^DONE \d+ tests?/, // gotestsum
  /^(?:SUCCESS|FAIL)! -- /, // ginkgo
  /^Summary \[.*\] \d+(?:\/\d+)? tests? run:/, // nextest
  /^Executed \d+ tests?, with/, // XCTest
  /^\d+ failures?, \d+ errors?\.$/, // clojure.test
  /^(?:[\w ]{1,30}[:=] )?\d+ (?:tests? )?passed(?:,| and|;| \/) \d+ (?:tests? )?failed\b/,
  /^(?:[\w ]{1,30}[:=] )?\d+ (?:tests? )?failed(?:,| and|;| \/) \d+ (?:tests? )?passed\b/,
  /^(?:✔|✓|√) Test run with \d+ tests? .*passed/, // Swift Testing
  /^(?:✘|✖|×) Test run with \d+ tests? .*failed/,
]
/** The totals of files or suites: one that does not load has no tests to count. */
const SUITES = /^(?:Test (?:Suites|Files)|Suites):?\s+\d+ failed\b/

const RED_COUNT =
  /\b([1-9]\d*) (?:tests? |unexpected )?(?:failed|failing|failures?|fail|errors?|errored|cancelled)\b|\b(?:Failures?|Errors?|Failed)[:=] ?\s*([1-9]\d*)|\b(?:failures|errors)=([1-9]\d*)|^(?:#|ℹ) (?:fail|cancelled) ([1-9]\d*)$/i
const GREEN_COUNT =
  /\b(\d+)(?: tests?)? (?:passed|passing|pass|succeeded)\b|\bPassed: \s*(\d+)|^(?:#|ℹ) pass (\d+)$|^OK \((\d+) tests?/i
const ALL_COUNT =
  /^(?:\[\w+\]\s+)?(?:Tests run|Tests|Executed|DONE|Ran):? ?(\d+)\b|^(\d+) (?:examples?|tests?|runs)\b|\b(\d+) tests?, \d+ failures?|out of (\d+)$|Test run with (\d+)/i
/** Totals that state only one side. */
const HALF = /^(?:(?:#|ℹ) pass|\d+ (?:pass|passing)\b|Ran \d)/

function firstNumber(match: RegExpExecArray | null): number | undefined {
  const digits = match?.slice(1).find((group) => group !== undefined)
  return digits === undefined ? undefined : Number(digits)
}

/** "Tests run: 77, Failures: 2, Errors: 0, Skipped: 1" states no number of passed tests. */
function countRest(text: string): number | undefined {
  const all = firstNumber(ALL_COUNT.exec(text))
  if (all === undefined) return undefined
  const others = [
    ...text.matchAll(
      /(\d+) (?:failures?|failed|errors?|skipped|pending|excluded|todo)\b|\b(?:Failures|Errors|Skipped): ?(\d+)/gi,
    ),
  ]
  return Math.max(0, all - others.reduce((sum, [, before, after]) => sum + Number(before ?? after), 0))
}

function readTotal(text: string): { verdict: OutputVerdict; passed?: number } | undefined {
  const failed = firstNumber(RED_COUNT.exec(text)) ?? 0
  if (failed > 0 || /^(?:test result: FAILED|FAILED \||Failed!|FAIL!)/.test(text)) {
    const green = firstNumber(GREEN_COUNT.exec(text)) ?? countRest(text)
    return { verdict: 'failed', ...(green === undefined ? {} : { passed: green }) }
  }
  const all = firstNumber(ALL_COUNT.exec(text))
  const skipped = firstNumber(/(\d+) (?:skipped|pending|todo)\b|\bSkipped: ?(\d+)/i.exec(text)) ?? 0
  const passed = firstNumber(GREEN_COUNT.exec(text)) ?? (all === skipped ? 0 : all)
  if (/^(?:#|ℹ) (?:fail|cancelled) 0$|^0 fail(?:ing)?$|^0 failures, 0 errors\.$/.test(text)) return undefined
  return passed === undefined || passed === 0 ? { verdict: 'nothing-ran', passed: 0 } : { verdict: 'passed', passed }
}

const NOTHING_RAN: readonly RegExp[] = [
  /\bno tests? (?:ran|files? found|were found|found|executed|specified|to run|is available|matches the given)\b/i,
  /\bno (?:test files|test suites? found|specs? found|examples found)\b/i,
  /\bfound no tests?\b|\bNO TESTS RAN\b|^collected 0 items|^1\.\.0\b|:test NO-SOURCE$/,
  /\[no tests to run\]$|\[no test files\]$/,
]
/** The program or the script does not exist. */
const MISSING =
  /\bmissing script:|\bnone of the selected packages has an? "|ERR_PNPM_NO_SCRIPT|\bCommand "[\w:-]+" not found|error Couldn't find a script|error: Script not found|(?:^|: )(?:command not found|not found)(?::.*)?$|No module named (?:'?pytest|unittest|mypy|ruff)|No such file or directory$|No rule to make target|no task named|Recipe `\S+` not found|does not contain recipe|could not determine executable to run/i

interface OutputRule {
  readonly topic: OutputTopic
  readonly pattern: RegExp
  readonly isTotal?: true
  readonly isWeak?: true
}

const FAILED: readonly OutputRule[] = [
  { topic: 'test', pattern: /^--- FAIL: |^not ok \d+ (?!.*# (?:SKIP|TODO))|^\d+\) \[[\w ]+\] › / },
  // go, vitest, jest, unittest, pytest, cypress, ctest
  {
    topic: 'test',
    pattern: /^FAIL\s+\S+(?:\s|$)|^FAIL$|^FAILED \((?:failures|errors)=|^FAILED \S+::|^✖\s+\d+ of \d+ failed/,
  },
  { topic: 'test', pattern: /^\*\* TEST FAILED \*\*|^(?:.*: )?Some tests failed\b|^The following tests FAILED:/ },
  { topic: 'test', pattern: /^(?:ERROR|Error):? .*\bcoverage\b.*(?:threshold|required|below)/i },
  { topic: 'test', pattern: /^error: test failed\b|^\w*Error: No tests? /, isWeak: true },
  {
    topic: 'code',
    pattern: /^(?:\[\w+\] )?BUILD (?:FAILURE|FAILED)\b|^Build FAILED\.|^\*\* BUILD FAILED \*\*|^Build failed\b/,
  },
  // tsc, biome, ruff, mypy, oxlint, eslint, golangci-lint, pyright
  { topic: 'code', pattern: /^.*\berror TS\d+:/ },
  { topic: 'code', pattern: /^Found [1-9]\d* errors?\b|^Found \d+ warnings? and [1-9]\d* errors?\b/, isTotal: true },
  { topic: 'code', pattern: /^✖ \d+ problems? \([1-9]\d* errors?|^[1-9]\d* issues?(?::|\.|$)/, isTotal: true },
  { topic: 'code', pattern: /^[1-9]\d* errors?, \d+ warnings?/, isTotal: true },
  { topic: 'code', pattern: /^error(?:\[E\d+\])?: (?:could not compile|aborting due to|build failed)/ },
  {
    topic: 'code',
    pattern: /^(?:\[warn\] )?Code style issues found|^[1-9]\d* files? would be reformatted|^Would reformat/,
  },
  { topic: 'code', pattern: /^\S+\.go:\d+:\d+: |^# [\w.-]+\/\S+$|^\S+\.\w+:\d+(?::\d+)?: (?:fatal )?error\b/ },
  {
    topic: 'code',
    pattern: /^error during build:|^Failed to compile\b|compiled with [1-9]\d* errors?\b|^ERROR in |^✘ \[ERROR\] /,
  },
  {
    topic: 'code',
    pattern: /^ninja: build stopped|^ERROR: failed to (?:solve|build)|^Failed:\s+\S+#\S+|^Failed tasks:/,
  },
  {
    topic: 'code',
    pattern: /^(?:fatal )?error: |^\[ERROR\] |^SyntaxError: |^Traceback \(most recent call last\)|^panic: /,
    isWeak: true,
  },
]
/** The wrapper's word; a line of the program itself says more. */
const WRAPPER_FAILED =
  /^npm (?:ERR!|error) (?:Lifecycle script|code ELIFECYCLE|Test failed)|^\s*ELIFECYCLE\s|^ERR_PNPM_RECURSIVE|^error Command failed with exit code|^make(?:\[\d+\])?: \*\*\* |ERROR task failed$|^error: Recipe `|^task: Failed to run|exited with code [1-9]\d*\b|^Ran target .* Failed/
const PASSED: readonly OutputRule[] = [
  { topic: 'test', pattern: /^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)(?!.*\[no tests to run\])/ }, // go
  {
    topic: 'test',
    pattern: /^(?:.*: )?All (?:\d+ )?(?:tests?|specs?|suites?)(?: files?| suites?)? (?:have )?passed\b/i,
    isTotal: true,
  },
  { topic: 'test', pattern: /^(?:✔|✓)\s+All specs passed!|^OK(?: \(.*\))?$|^\*\* TEST SUCCEEDED \*\*/, isTotal: true },
  {
    topic: 'code',
    pattern: /^(?:\[\w+\] )?BUILD SUCCESS(?:FUL)?\b|^Build succeeded\b|^\*\* BUILD SUCCEEDED \*\*/,
    isTotal: true,
  },
  {
    topic: 'code',
    pattern: /^Found 0 errors?\b|^Found \d+ warnings? and 0 errors\b|^✖ \d+ problems? \(0 errors/,
    isTotal: true,
  },
  {
    topic: 'code',
    pattern: /^0 issues\.?$|^All checks passed!|^Success: no issues found|^0 errors, \d+ warnings?/,
    isTotal: true,
  },
  { topic: 'code', pattern: /^Checked \d+ files? in .*(?:No fixes applied|Fixed)/, isTotal: true },
  {
    topic: 'code',
    pattern: /^All matched files use Prettier code style!|^\d+ files? (?:already formatted|would be left unchanged)/,
    isTotal: true,
  },
  { topic: 'code', pattern: /^Finished .*(?:profile|target\(s\))|\bcompiled successfully\b/i, isTotal: true },
  {
    topic: 'code',
    pattern:
      /(?:^|\s)✓ built in [\d.]+m?s|^\[100%\] Built target|^Successfully (?:built|ran target)\b|\[build\] Complete!$/,
  },
  { topic: 'code', pattern: /^Tasks:\s+(\d+) successful, \1 total/, isTotal: true }, // turbo
]

function readLine(text: string, line: string): Result | undefined {
  const shape = TOTALS.findIndex((pattern) => pattern.test(text))
  if (shape >= 0) {
    const total = readTotal(text)
    return total && { ...total, topic: 'test', line, isTotal: !HALF.test(text), shape }
  }
  if (NOTHING_RAN.some((pattern) => pattern.test(text)))
    return { verdict: 'nothing-ran', topic: 'test', line, isTotal: true }
  if (SUITES.test(text)) return { verdict: 'failed', topic: 'test', line, isTotal: true }
  const passed = PASSED.find(({ pattern }) => pattern.test(text))
  if (passed !== undefined) return { verdict: 'passed', topic: passed.topic, line, isTotal: passed.isTotal === true }
  const failed = FAILED.find(({ pattern }) => pattern.test(text))
  if (failed !== undefined) {
    const { topic, isTotal = false, isWeak } = failed
    return { verdict: 'failed', topic, line, isTotal, ...(isWeak && { isWeak }) }
  }
  return MISSING.test(text) ? { verdict: 'nothing-ran', line, isTotal: false, isMissing: true } : undefined
}

function readResults(output: string): { results: readonly Result[]; wrapper?: string } {
  const text = withoutAnsi(output)
  const scanned = text.length <= MAX_SCANNED ? text : text.slice(-MAX_SCANNED)
  const results: Result[] = []
  let wrapper: string | undefined
  for (const raw of scanned.split('\n')) {
    const line = raw.slice(0, MAX_LINE).trim()
    if (line === '') continue
    const bare = line.replace(PREFIX, '')
    if (WRAPPER_FAILED.test(bare)) wrapper ??= line
    const result = readLine(bare, line)
    if (result !== undefined) results.push(result)
  }
  return wrapper === undefined ? { results } : { results, wrapper }
}

/** Several packages add up; two totals of one run do not. */
function countPassed(results: readonly Result[]): number | undefined {
  const sums = new Map<number, number>()
  for (const { shape, passed } of results)
    if (shape !== undefined && passed !== undefined) sums.set(shape, (sums.get(shape) ?? 0) + passed)
  return sums.size === 0 ? undefined : Math.max(...sums.values())
}

function clipLine(line: string | undefined): { line?: string } {
  return line === undefined ? {} : { line: truncate(line, LINE_CHARS) }
}

const SAYS_LITTLE = /^(?:FAIL|# \S+)$/

/** The first error of an output, verbatim. */
export function findErrorLine(output: string): string | undefined {
  const [error] = findErrorLines(output, 1)
  if (error === undefined) return undefined
  const lines = withoutAnsi(output).split('\n')
  const line = lines.find((raw) => toErrorSignature(raw.trim()) === error.signature)
  return line === undefined ? undefined : truncate(line.trim(), LINE_CHARS)
}

/**
 * Reads the result lines of test runners, compilers and linters, also behind the prefixes of task runners. With a topic, only
 * the lines about it, where an output has several.
 */
export function readCheckOutput(output: string, topic?: OutputTopic): CheckReport {
  const { results: all, wrapper } = readResults(output)
  const results = topic === undefined ? all : all.filter((result) => (result.topic ?? topic) === topic)
  const of = (verdict: OutputVerdict) => results.filter((result) => result.verdict === verdict)
  const passedCount = countPassed(results)
  const base = {
    isTotal: false,
    failing: topic === 'code' ? [] : (readTestOutput(output)?.failing ?? []),
    ...(passedCount === undefined ? {} : { passed: passedCount }),
  }
  const passed = of('passed')
  const best = passed.findLast(({ isTotal }) => isTotal)
  const failed = of('failed').filter(({ isWeak }) => isWeak !== true || best === undefined)
  const worst =
    failed.findLast(({ isTotal }) => isTotal) ?? failed.find(({ line }) => !SAYS_LITTLE.test(line)) ?? failed[0]
  if (worst !== undefined) return { ...base, verdict: 'failed', isTotal: worst.isTotal, ...clipLine(worst.line) }
  const [nothing] = of('nothing-ran')
  if (wrapper !== undefined && nothing === undefined) {
    return { ...base, verdict: 'failed', ...clipLine(findErrorLine(output) ?? wrapper) }
  }
  if (passed.length > 0) {
    // One package of several is not the result of the run.
    const line = best?.line ?? (passed.length === 1 ? passed[0]?.line : undefined)
    return { ...base, verdict: 'passed', isTotal: best !== undefined, ...clipLine(line) }
  }
  if (nothing === undefined) return base
  return {
    ...base,
    verdict: 'nothing-ran',
    isTotal: true,
    ...(nothing.isMissing && { isMissing: true }),
    ...clipLine(nothing.line),
  }
}
