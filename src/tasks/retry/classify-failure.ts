import { findErrorLines, toErrorSignature, readTestOutput, type TestReport } from '../../kernel/text/command-output.ts'
import { withoutAnsi } from '../../kernel/text/text.ts'

export interface FailurePattern {
  readonly kind: Extract<SessionFailureKind, 'resource' | 'persistent' | 'transient'>
  readonly pattern: RegExp
  readonly reason: string
}

/** Matched against the last lines of output; the first match counts. */
const FAILURE_PATTERNS: readonly FailurePattern[] = [
  {
    kind: 'resource',
    pattern: /\bENOSPC\b|\bno space left on device\b|\bdisk quota exceeded\b|\bEDQUOT\b/i,
    reason: 'The disk is full.',
  },
  {
    kind: 'resource',
    pattern: /\bout of memory\b|\bcannot allocate memory\b|\bENOMEM\b|\bMemoryError\b|\bOOM[- ]?killed\b/i,
    reason: 'It ran out of memory.',
  },
  {
    kind: 'resource',
    pattern: /\bEMFILE\b|\bENFILE\b|\btoo many open files\b|\bresource temporarily unavailable\b/i,
    reason: 'The system ran out of files or processes.',
  },
  {
    kind: 'resource',
    pattern:
      /\brate[- ]?limit(?:ed|s)?\b|\b429\b|\btoo many requests\b|\busage limit reached\b|\bquota exceeded\b|\boverloaded(?:_error)?\b|\b529\b/i,
    reason: 'A rate or usage limit was reached.',
  },
  {
    kind: 'persistent',
    pattern:
      /\binvalid (?:x-)?api[- ]key\b|\bauthentication(?:_error| failed| error)\b|\bnot logged in\b|\bplease run \/login\b|\b401 unauthorized\b|\b403 forbidden\b|\bcredit balance is too low\b|\bpayment required\b/i,
    reason: 'Access was denied: log in or pay first.',
  },
  {
    kind: 'transient',
    pattern:
      /\bECONNRESET\b|\bECONNREFUSED\b|\bECONNABORTED\b|\bETIMEDOUT\b|\bEAI_AGAIN\b|\bENETUNREACH\b|\bEHOSTUNREACH\b|\bENOTFOUND\b|\bEPIPE\b|\bsocket hang up\b|\bconnection (?:reset|refused|error|timed out|closed)\b|\bnetwork (?:error|is unreachable|timeout)\b|\bfetch failed\b|\bcould not resolve host\b|\btemporary failure\b/i,
    reason: 'The network failed.',
  },
  {
    kind: 'transient',
    pattern: /\btimed? ?out\b|\bdeadline exceeded\b|\b50[0234]\b.{0,40}\b(?:error|unavailable|gateway|timeout)\b/i,
    reason: 'A request timed out.',
  },
]

/** Each kind has its own reaction: see `retry-policy.ts`. */
export const FAILURE_KINDS = ['transient', 'test', 'resource', 'logic', 'persistent'] as const
export type SessionFailureKind = (typeof FAILURE_KINDS)[number]

/** How a supervised process ended. */
export type ProcessEnding =
  | { readonly how: 'exited'; readonly status: number }
  | { readonly how: 'signalled'; readonly signal: string }
  /** `code` is the system's, such as ENOENT. */
  | { readonly how: 'not-started'; readonly code: string }
  /** Ended by the supervisor after a long silence. */
  | { readonly how: 'silent' }
  /** Ended by the supervisor when its time was up. */
  | { readonly how: 'time-limit' }

export interface SessionFailureInput {
  readonly ending: ProcessEnding
  /** The end of its output. Untrusted: it may only select one of the kinds. */
  readonly output: string
  /** Output of the project's own check, run after the agent ended. */
  readonly check?: { readonly command: string; readonly output: string }
}

export interface SessionFailure {
  readonly kind: SessionFailureKind
  /** One sentence for a person. */
  readonly reason: string
  /** Equal for the same failure: without numbers, folders and times. */
  readonly signature: string
  /** Names of failing tests, if the runner printed them. */
  readonly failingTests: readonly string[]
}

const TAIL_LINES = 25
const TAIL_CHARS = 4_000

const PERMANENT_START_ERRORS = new Set(['ENOENT', 'EACCES', 'ENOEXEC', 'ENOTDIR', 'EISDIR', 'ELOOP', 'E2BIG', 'EINVAL'])
const RESOURCE_SIGNALS = new Set(['SIGKILL', 'SIGXCPU', 'SIGXFSZ'])
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

/** A shell reports a signal as an exit status. */
function findSignal(ending: ProcessEnding): string | undefined {
  if (ending.how === 'signalled') return ending.signal
  return ending.how === 'exited' ? SHELL_SIGNALS[ending.status] : undefined
}

/** Only the last lines: an earlier mention of a timeout is not the cause of the end. */
function takeTail(output: string): readonly string[] {
  return withoutAnsi(output.slice(-TAIL_CHARS))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-TAIL_LINES)
}

interface FailureVerdict {
  readonly kind: SessionFailureKind
  readonly reason: string
  /** Distinguishes this failure from others of its kind. */
  readonly detail: string
}

function verdictByEnding(ending: ProcessEnding): FailureVerdict | undefined {
  switch (ending.how) {
    case 'not-started': {
      const kind = PERMANENT_START_ERRORS.has(ending.code) ? 'persistent' : 'resource'
      return { kind, reason: `The command could not be started (${ending.code}).`, detail: ending.code }
    }
    case 'silent':
      return { kind: 'transient', reason: 'It was silent for too long and was ended.', detail: 'silent' }
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

function verdictByOutput(lines: readonly string[], kinds: readonly SessionFailureKind[]): FailureVerdict | undefined {
  for (const sign of FAILURE_PATTERNS) {
    if (!kinds.includes(sign.kind)) continue
    const line = lines.findLast((candidate) => sign.pattern.test(candidate))
    if (line !== undefined) return { kind: sign.kind, reason: sign.reason, detail: toErrorSignature(line) }
  }
  return undefined
}

function verdictBySignal(ending: ProcessEnding): FailureVerdict | undefined {
  const signal = findSignal(ending)
  if (signal === undefined) return undefined
  if (RESOURCE_SIGNALS.has(signal))
    return {
      kind: 'resource',
      reason: `The system ended it with ${signal}: most likely out of memory.`,
      detail: signal,
    }
  return { kind: 'transient', reason: `It was killed or crashed (${signal}).`, detail: signal }
}

function verdictByTests(report: TestReport | undefined): FailureVerdict | undefined {
  if (report?.isRed !== true) return undefined
  const [first] = report.failing
  const count = report.failed ?? report.failing.length
  return {
    kind: 'test',
    reason: `${count === 1 ? 'A test fails' : `${Math.max(count, 1)} tests fail`}${first === undefined ? '' : `: ${first}`}.`,
    detail: [...report.failing].sort().join('|') || 'tests',
  }
}

function verdictByCheck(
  check: SessionFailureInput['check'],
  report: TestReport | undefined,
): FailureVerdict | undefined {
  if (check === undefined) return undefined
  const [line] = findErrorLines(check.output, 1)
  return (
    verdictByTests(report) ?? {
      kind: 'test',
      reason: `The check \`${check.command}\` failed.`,
      detail: line?.signature ?? 'check',
    }
  )
}

function verdictByDefault({ ending, output }: SessionFailureInput): FailureVerdict {
  const [line] = findErrorLines(output.slice(-TAIL_CHARS), 1)
  const status = ending.how === 'exited' ? `exit ${ending.status}` : ending.how
  return { kind: 'logic', reason: `It ended with ${status}.`, detail: line?.signature ?? status }
}

/**
 * Classifies by certain facts first (how it ended, the check's result), then by the last lines of output. Without either
 * it is a logic error.
 */
export function classifyFailure(evidence: SessionFailureInput): SessionFailure {
  const { ending, output, check } = evidence
  const lines = takeTail(output)
  const report = readTestOutput(check?.output ?? output)
  const verdict =
    verdictByEnding(ending) ??
    verdictByOutput(lines, ['resource']) ??
    verdictByCheck(check, report) ??
    verdictByOutput(lines, ['persistent']) ??
    verdictByTests(report) ??
    verdictByOutput(lines, ['transient']) ??
    verdictBySignal(ending) ??
    verdictByDefault(evidence)
  return {
    kind: verdict.kind,
    reason: verdict.reason,
    signature: `${verdict.kind}: ${verdict.detail}`,
    failingTests: verdict.kind === 'test' ? (report?.failing ?? []) : [],
  }
}
