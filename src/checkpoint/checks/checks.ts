import type { CheckRun, CheckVerdict } from '../../kernel/checkpoint.ts'
import type { ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { judgeSegments, type JudgedSegment } from '../../kernel/shell/command-chain.ts'
import { type CheckCommand, keyedCommands, listChecks } from '../../kernel/shell/command-key.ts'
import { type CheckReport, findErrorLine, readCheckOutput } from '../../kernel/text/check-output.ts'
import { findDiagnostics } from '../../kernel/text/diagnostics.ts'
import type { RunContext } from '../../kernel/shell/command.ts'
import { settlesCommand } from '../../kernel/shell/whole-suite.ts'

/** A check and what identifies its command. */
export interface CheckEntry extends CheckRun {
  readonly key: string
}

const MAX_CHECKS = 30

export interface FinishedRun {
  readonly tool: ToolCall
  readonly outcome: ToolOutcome
}

/** One check of a line with its result; `report` is absent where the output may be that of another check. */
interface JudgedCheck {
  readonly check: CheckCommand
  readonly segment: JudgedSegment
  readonly report?: CheckReport
}

/** Ended by a signal or a time limit. */
export const ENDED_FROM_OUTSIDE: ReadonlySet<number> = new Set([124, 130, 137, 143])
const TIMED_OUT = /\bcommand timed out after \d/i
const MAX_FAILING = 8
const MAX_FINDINGS = 6
/** Prints nothing that could be taken for the output of the check behind it. */
const PREPARES = /^(?:cd|export|set|source|\.|pushd|popd)\s/

/** A refused, stopped or backgrounded command is not a run. */
export function hasRun({ tool, outcome }: FinishedRun): boolean {
  return (
    outcome.refused === undefined &&
    outcome.interrupted !== true &&
    outcome.backgroundId === undefined &&
    tool.isBackground !== true
  )
}

/** They leave the result lines in place; a search does if it looks for failures too. */
const SHOWS_THE_END =
  /^(?:tee|cat|tail|less|nl|sed (?:-E )?['"]?s|perl -pe|(?:e?grep|rg)(?!.*\s-\w*v)\s.*(?:fail|not ok|error))(?:\s|\W|$)?/i
const HEAD = /^head(?:\s+(?:-n\s*|-)(\d+)|\s*$)/

/** Whether the output has everything that the check printed about its result. */
function isWhole(filters: readonly string[], output: string): boolean {
  return filters.every((filter) => {
    const head = HEAD.exec(filter)
    if (head !== null) return output.trimEnd().split('\n').length < Number(head[1] ?? 10)
    return SHOWS_THE_END.test(filter)
  })
}

/** They print nothing on success. */
const SILENT = /^(?:\S*\/)?(?:tsc|go (?:build|vet)|gofmt -l|eslint|flake8|shellcheck|pyflakes)(?:\s|$)/
const WRITES_ELSEWHERE = /(?:^|[^&])>(?!&1)/

function isSilentPass({ segment, check }: JudgedCheck, output: string): boolean {
  const bare = check.command.replace(/^\(cd \S+ && |\)$/g, '').replace(/^(?:npx|bunx|pnpm exec|yarn) (?:-\S+ )*/, '')
  const isShown = segment.filters.every((filter) => /^(?:head|tail|cat|tee)(?:\s|$)/.test(filter))
  return output.trim() === '' && SILENT.test(bare) && isShown && !WRITES_ELSEWHERE.test(segment.text)
}

type Judgement = Pick<CheckEntry, 'verdict' | 'line'>

function judge(judged: JudgedCheck, { exitStatus, output = '' }: ToolOutcome): Judgement {
  const { check, segment, report } = judged
  const stated = (verdict: CheckVerdict): Judgement =>
    report?.verdict === verdict && report.line !== undefined ? { verdict, line: report.line } : { verdict }
  const isRedTotal = report?.verdict === 'failed' && report.isTotal
  if (segment.status === 'passed') {
    if (check.purpose === 'test' && (isRedTotal || (report?.verdict === 'nothing-ran' && report.isMissing !== true)))
      return stated(report?.verdict ?? 'passed')
    return stated('passed')
  }
  if (segment.status === 'failed') {
    if (report?.verdict === 'nothing-ran') return stated('nothing-ran')
    if (exitStatus === 5 && /\bpytest\b/.test(check.command)) return { verdict: 'nothing-ran' }
    const line = report?.verdict === 'failed' ? report.line : findErrorLine(output)
    return line === undefined ? { verdict: 'failed' } : { verdict: 'failed', line }
  }
  if (report?.verdict === undefined) return { verdict: isSilentPass(judged, output) ? 'passed' : 'unknown' }
  const isSure = report.verdict !== 'passed' || report.isTotal || isWhole(segment.filters, output)
  return isSure ? stated(report.verdict) : { verdict: 'unknown' }
}

function topicOf({ purpose }: CheckCommand): 'test' | 'code' {
  return purpose === 'test' ? 'test' : 'code'
}

/** Which check of a line the result lines of the output belong to. */
function withReports(pairs: readonly JudgedCheck[], output: string): readonly JudgedCheck[] {
  const [only, ...others] = pairs
  if (only !== undefined && others.length === 0) return [{ ...only, report: readCheckOutput(output) }]
  return pairs.map((pair) => {
    const ofTopic = pairs.filter(({ check }) => topicOf(check) === topicOf(pair.check))
    const open = ofTopic.filter(({ segment }) => segment.status !== 'passed')
    const isOwner = ofTopic.length === 1 || (open.length === 1 && open[0] === pair)
    return isOwner ? { ...pair, report: readCheckOutput(output, topicOf(pair.check)) } : pair
  })
}

/** In a failed `a && b`: what printed a result ran, what comes before it succeeded, what comes after a failure did not run. */
function settleChain(pairs: readonly JudgedCheck[], isBad: boolean): readonly JudgedCheck[] {
  if (!isBad) return pairs
  const hasResult = ({ report }: JudgedCheck) => report?.verdict !== undefined && report.isMissing !== true
  const isChained = (from: number, to: number) =>
    pairs.slice(from + 1, to + 1).every(({ segment }) => segment.isConditional)
  return pairs.flatMap((pair, at) => {
    if (pair.segment.status !== 'unknown' || hasResult(pair)) return [pair]
    const failed = pairs.findIndex(({ report }, before) => before < at && report?.verdict === 'failed')
    if (failed >= 0 && isChained(failed, at)) return []
    const later = pairs.findLastIndex((other, after) => after > at && hasResult(other))
    const hasGoneOn = later > at && isChained(at, later) && pair.segment.filters.length === 0
    return [hasGoneOn ? { ...pair, segment: { ...pair.segment, status: 'passed' } } : pair]
  })
}

/** `git stash; npm test; git stash pop` runs the tests of other code. */
const STASHES = /^git stash(?: push| save| -|$)/
const UNSTASHES = /^git stash (?:pop|apply)/

function isOfOtherCode(segments: readonly JudgedSegment[], index: number): boolean {
  return (
    segments.slice(0, index).some(({ text }) => STASHES.test(text)) &&
    segments.slice(index + 1).some(({ text }) => UNSTASHES.test(text))
  )
}

/** A script of another name that prints the totals of a test runner. */
function readUnnamedTests(
  run: FinishedRun,
  segments: readonly JudgedSegment[],
  here: RunContext,
): readonly JudgedCheck[] {
  const { command = '', cwd: ranIn } = run.tool
  const [only, ...others] = keyedCommands(command, { ...here, ranIn })
  if (only === undefined || others.length > 0 || only.purpose === 'vcs') return []
  const report = readCheckOutput(run.outcome.output ?? '', 'test')
  const index = segments.findIndex(({ text }) => text.includes(only.command))
  const segment = segments[index]
  if (!report.isTotal || report.passed === undefined || segment === undefined) return []
  return [{ check: { ...only, purpose: 'test', index }, segment, report }]
}

/** The runs of tests, builds and lints in one shell call; empty if it did not come to an end. */
export function readChecks(run: FinishedRun, here: RunContext, order: number): readonly CheckEntry[] {
  const { tool, outcome } = run
  const output = outcome.output ?? ''
  if (!hasRun(run)) return []
  const isKilled = ENDED_FROM_OUTSIDE.has(outcome.exitStatus ?? 0) || TIMED_OUT.test(output)
  const segments = judgeSegments(tool.command ?? '', outcome.ok, output).map((segment) =>
    isKilled && segment.status === 'failed' ? { ...segment, status: 'unknown' as const } : segment,
  )
  const checks = listChecks(
    segments.map(({ text }) => text),
    { ...here, ranIn: tool.cwd },
  )
  const pairs = checks.flatMap((check): readonly JudgedCheck[] => {
    const segment = segments[check.index]
    const isSkipped = segment === undefined || segment.isBackground || isOfOtherCode(segments, check.index)
    return isSkipped ? [] : [{ check, segment }]
  })
  const judged = checks.length === 0 ? readUnnamedTests(run, segments, here) : withReports(pairs, output)
  return settleChain(judged, !outcome.ok).map((pair) => {
    const { key, command, purpose } = pair.check
    const judgement = judge(pair, outcome)
    const failing = judgement.verdict === 'failed' ? (pair.report?.failing ?? []).slice(0, MAX_FAILING) : []
    const passed = pair.report?.passed
    const findings =
      judgement.verdict === 'failed' && segments.filter(({ text }) => !PREPARES.test(text)).length === 1
        ? findDiagnostics(output, { limit: MAX_FINDINGS, isTest: purpose === 'test' })
        : []
    return {
      key,
      command,
      purpose,
      ...judgement,
      ...(passed === undefined ? {} : { passed }),
      ...(failing.length === 0 ? {} : { failing }),
      ...(findings.length === 0 ? {} : { findings }),
      order,
    }
  })
}

/** The last run of each command. */
export function withChecks(known: readonly CheckEntry[] = [], runs: readonly CheckEntry[]): readonly CheckEntry[] {
  const keys = new Set(runs.map(({ key }) => key))
  return [...known.filter(({ key }) => !keys.has(key)), ...runs].slice(-MAX_CHECKS)
}

/** Without what a later green run of the same or a wider check has overtaken. */
export function listCurrentChecks(checks: readonly CheckEntry[]): readonly CheckRun[] {
  const current = checks.filter(
    (check, at) =>
      check.verdict === 'passed' ||
      !checks
        .slice(at + 1)
        .some(
          (later) =>
            later.verdict === 'passed' &&
            later.purpose === check.purpose &&
            later.order > check.order &&
            settlesCommand(later.command, check.command),
        ),
  )
  return current.map(withoutKey)
}

function withoutKey({ key: _key, ...check }: CheckEntry): CheckRun {
  return check
}

const CHANGES_TREE =
  /^git (?:checkout(?! -[bB]| --?orphan)|switch(?! -[cC])|restore(?! --staged)|reset --hard|revert|merge(?! --abort)|rebase|pull|cherry-pick|apply|am|stash(?: pop| apply| push| -u|$)|clean -)(?:\s|$)|^patch\s/
const CHANGED_NOTHING =
  /\balready up[ -]to[ -]date\b|\bis up to date\b|^Already on |^No local changes to save|^No stash entries/im

/** They take back what was not committed of files, by their names or of all. */
const TAKES_BACK = /^git (?:checkout (?:HEAD )?--|restore)(?= )(?!.*(?:\*| --source| -s))/

/** Whether a command changed the code by other means than an edit: another branch, a merge, a stash, files taken back. */
export function changesTree({ tool, outcome }: FinishedRun, isOfSession: (restoring: string) => boolean): boolean {
  const output = outcome.output ?? ''
  // A merge that stopped at conflicts has changed the files.
  const isStopped = /^CONFLICT \(/m.test(output)
  if (!(outcome.ok || isStopped) || !hasRun({ tool, outcome })) return false
  return (
    !CHANGED_NOTHING.test(output) &&
    judgeSegments(tool.command ?? '', true, output).some(
      ({ text }) => CHANGES_TREE.test(text) && (!TAKES_BACK.test(text) || isOfSession(text)),
    )
  )
}
