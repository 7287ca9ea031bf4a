import type { ErrorCode } from '../kernel/errors.ts'

/** Failures of a start that another start does not change. */
export const PERMANENT_FAILURES: ReadonlySet<string> = new Set<ErrorCode>([
  'store-not-yours',
  'store-too-new',
  'settings-unreadable',
])
