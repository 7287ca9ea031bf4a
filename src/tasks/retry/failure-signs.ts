import type { FailureKind } from './failure.ts'

export interface FailureSign {
  readonly kind: Extract<FailureKind, 'resource' | 'persistent' | 'transient'>
  readonly pattern: RegExp
  readonly reason: string
}

/** What programs say when they end, one line at a time. The first that matches counts. */
export const FAILURE_SIGNS: readonly FailureSign[] = [
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
    reason: 'The service asked to wait: a rate or usage limit.',
  },
  {
    kind: 'persistent',
    pattern:
      /\binvalid (?:x-)?api[- ]key\b|\bauthentication(?:_error| failed| error)\b|\bnot logged in\b|\bplease run \/login\b|\b401 unauthorized\b|\b403 forbidden\b|\bcredit balance is too low\b|\bpayment required\b/i,
    reason: 'It is not allowed in: somebody has to log in or pay.',
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
    reason: 'Something did not answer in time.',
  },
]
