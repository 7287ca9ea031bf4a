import { errorLinesIn, signatureOf } from '../../kernel/text/error-lines.ts'
import { readTestOutput, type TestReport } from '../../kernel/text/test-output.ts'
import { withoutAnsi } from '../../kernel/text/text.ts'
import { FAILURE_SIGNS } from './failure-signs.ts'

/** S2's five, in its words. */
export const FAILURE_KINDS = ['transient', 'test', 'resource', 'logic', 'persistent'] as const
export type FailureKind = (typeof FAILURE_KINDS)[number]

/** How a supervised process came to its end. */
export type Ending =
  | { readonly how: 'exited'; readonly status: number }
  | { readonly how: 'signalled'; readonly signal: string }
  /** It could not be started at all; `code` is the system's, such as ENOENT. */
  | { readonly how: 'not-started'; readonly code: string }
  /** We ended it: it gave no sign of life for too long. */
  | { readonly how: 'silent' }
  /** We ended it: its time was up. */
  | { readonly how: 'time-limit' }

export interface FailureEvidence {
  readonly ending: Ending
  /** The end of what it printed. Text of an agent and of a repository: it may choose among the answers below, and no more. */
  readonly output: string
  /** What the project's own check said after the agent had ended. */
  readonly check?: { readonly command: string; readonly output: string }
}

export interface Failure {
  readonly kind: FailureKind
  /** One sentence for a person. */
  readonly reason: string
  /** Equal for the same failure: numbers, folders and times are taken out. */
  readonly signature: string
  /** Names of failing tests, where a runner told them. */
  readonly failingTests: readonly string[]
}

const TAIL_LINES = 25
const TAIL_CHARS = 4_000

const STARTS_NEVER = new Set(['ENOENT', 'EACCES', 'ENOEXEC', 'ENOTDIR', 'EISDIR', 'ELOOP', 'E2BIG', 'EINVAL'])
const OUT_OF = new Set(['SIGKILL', 'SIGXCPU', 'SIGXFSZ'])
const SHELL_SIGNALS: Readonly<Record<number, string>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  134: 'SIGABRT',
  135: 'SIGBUS',
  136: 'SIGFPE',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  143: 'SIGTERM',
  152: 'SIGXCPU',
}

/** A shell between us and the program tells a signal as a status. */
function signalOf(ending: Ending): string | undefined {
  if (ending.how === 'signalled') return ending.signal
  return ending.how === 'exited' ? SHELL_SIGNALS[ending.status] : undefined
}

/** Only the last lines: an agent that wrote about a time-out an hour ago did not end by one. */
function tailOf(output: string): readonly string[] {
  return withoutAnsi(output.slice(-TAIL_CHARS))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-TAIL_LINES)
}

interface Verdict {
  readonly kind: FailureKind
  readonly reason: string
  /** What tells this failure from another of its kind. */
  readonly detail: string
}

function verdictByEnding(ending: Ending): Verdict | undefined {
  switch (ending.how) {
    case 'not-started': {
      const kind = STARTS_NEVER.has(ending.code) ? 'persistent' : 'resource'
      return { kind, reason: `The command could not be started (${ending.code}).`, detail: ending.code }
    }
    case 'silent':
      return { kind: 'transient', reason: 'It gave no sign of life and was ended.', detail: 'silent' }
    case 'time-limit':
      return { kind: 'resource', reason: "The session's time was up, and it was ended.", detail: 'time-limit' }
    case 'exited':
      if (ending.status === 126 || ending.status === 127)
        return {
          kind: 'persistent',
          reason: `A command it needs is missing or may not be run (exit ${ending.status}).`,
          detail: `exit ${ending.status}`,
        }
      return undefined
    case 'signalled':
      return undefined
  }
}

function verdictBySigns(lines: readonly string[], kinds: readonly FailureKind[]): Verdict | undefined {
  for (const sign of FAILURE_SIGNS) {
    if (!kinds.includes(sign.kind)) continue
    // The last line that says so is nearest to the end.
    const line = lines.findLast((candidate) => sign.pattern.test(candidate))
    if (line !== undefined) return { kind: sign.kind, reason: sign.reason, detail: signatureOf(line) }
  }
  return undefined
}

function verdictBySignal(ending: Ending): Verdict | undefined {
  const signal = signalOf(ending)
  if (signal === undefined) return undefined
  if (OUT_OF.has(signal))
    return {
      kind: 'resource',
      reason: `The system ended it with ${signal}: most likely out of memory.`,
      detail: signal,
    }
  return { kind: 'transient', reason: `It was ended from outside or crashed (${signal}).`, detail: signal }
}

function verdictByTests(report: TestReport | undefined): Verdict | undefined {
  if (report?.isRed !== true) return undefined
  const [first] = report.failing
  const count = report.failed ?? report.failing.length
  return {
    kind: 'test',
    reason: `${count === 1 ? 'A test fails' : `${Math.max(count, 1)} tests fail`}${first === undefined ? '' : `: ${first}`}.`,
    detail: [...report.failing].sort().join('|') || 'tests',
  }
}

function verdictByCheck(check: FailureEvidence['check'], report: TestReport | undefined): Verdict | undefined {
  if (check === undefined) return undefined
  const [line] = errorLinesIn(check.output, 1)
  return (
    verdictByTests(report) ?? {
      kind: 'test',
      reason: `The check \`${check.command}\` failed.`,
      detail: line?.signature ?? 'check',
    }
  )
}

function verdictByDefault({ ending, output }: FailureEvidence): Verdict {
  const [line] = errorLinesIn(output.slice(-TAIL_CHARS), 1)
  const status = ending.how === 'exited' ? `exit ${ending.status}` : ending.how
  return { kind: 'logic', reason: `It ended with ${status}.`, detail: line?.signature ?? status }
}

/**
 * Which of S2's kinds this is. What we know for certain goes first (how it ended, what the check said), then what its
 * last lines say; what nothing explains is a logic error.
 */
export function classifyFailure(evidence: FailureEvidence): Failure {
  const { ending, output, check } = evidence
  const lines = tailOf(output)
  const report = readTestOutput(check?.output ?? output)
  const verdict =
    verdictByEnding(ending) ??
    verdictBySigns(lines, ['resource']) ??
    verdictByCheck(check, report) ??
    verdictBySigns(lines, ['persistent']) ??
    verdictByTests(report) ??
    verdictBySigns(lines, ['transient']) ??
    verdictBySignal(ending) ??
    verdictByDefault(evidence)
  return {
    kind: verdict.kind,
    reason: verdict.reason,
    signature: `${verdict.kind}: ${verdict.detail}`,
    failingTests: verdict.kind === 'test' ? (report?.failing ?? []) : [],
  }
}
