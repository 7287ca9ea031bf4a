import type { FailureKind, RepeatedFailure } from '../../kernel/memory.ts'
import { type Attempt, type AttemptState, type Failure, type SeenError, ATTEMPT_LIMITS } from './attempts.ts'
import { isCheck, isEdit } from '../../kernel/shell/command-key.ts'
import { isFix } from './undo.ts'

const BURST = 3
const RED_RED = 2
const RECURRING = 3

/** A subagent's failures count only when another thread fails the same way. Refused edits matter only within the session. */
function isBelievable({ key, failures }: Attempt): boolean {
  if (isEdit({ key })) return false
  const threads = new Set(failures.map(({ subagent }) => subagent ?? ''))
  return threads.has('') || threads.size > 1
}

function listAlikeFailures({ failures, alike }: Attempt): readonly Failure[] {
  return failures.slice(-Math.min(alike, failures.length))
}

function filesBetween(attempt: Attempt): readonly string[] {
  const files = listAlikeFailures(attempt)
    .slice(1)
    .flatMap(({ edited }) => edited)
  return [...new Set(files)].slice(-ATTEMPT_LIMITS.files)
}

/** Whether an earlier session failed the same way: then one failure is enough. */
export type IsKnown = (attempt: Attempt) => boolean

function classifyFailure(attempt: Attempt, files: readonly string[], helped: boolean): FailureKind | undefined {
  if (helped || attempt.undone.some(({ isByHand }) => !isByHand)) return 'revert'
  const hasTraits = (attempt.failures.at(-1)?.traits.length ?? 0) > 0
  const enough = isCheck(attempt) ? RED_RED : BURST
  if (attempt.alike >= enough && hasTraits && files.some(isFix)) return 'red-red'
  return attempt.unchanged >= BURST ? 'retry-burst' : undefined
}

function detectFinding(attempt: Attempt, helped: boolean, isKnown: IsKnown = () => false): RepeatedFailure | undefined {
  const between = filesBetween(attempt)
  const kind = classifyFailure(attempt, between, helped) ?? (isKnown(attempt) ? 'retry-burst' : undefined)
  const last = attempt.failures.at(-1)
  if (kind === undefined || last === undefined || !isBelievable(attempt)) return undefined
  const undoing = kind === 'revert' ? attempt.undone.at(-1) : undefined
  return {
    kind,
    keys: [attempt.key],
    command: attempt.command,
    purpose: attempt.purpose,
    seqs: listAlikeFailures(attempt).map(({ seq }) => seq),
    failures: attempt.alike,
    exitStatus: last.exitStatus,
    error: last.error,
    traits: last.traits,
    files: undoing?.files ?? between,
    ...(undoing === undefined ? {} : { undone: { how: undoing.how, helped } }),
  }
}

/** Errors of failing tests and assertions: the failing test is reported instead. */
const OF_A_TEST =
  /^\W*(?:FAIL|\d+ \[|✖|✗|×|●|not ok|assert|expected|error trace)| › |AssertionError|\b(?:expect(?:ed)?|should(?:n['’]t)?|must)\b/i

function isRecurring(error: SeenError): boolean {
  const isSpread = error.keys.length > 1 || error.comebacks > 0
  return (
    error.isOpen &&
    isSpread &&
    !error.keys.some((key) => isEdit({ key })) &&
    error.runs >= RECURRING &&
    !OF_A_TEST.test(error.text)
  )
}

function toErrorFinding({
  keys,
  command,
  purpose,
  seqs,
  runs,
  text,
  signature,
  exitStatus,
}: SeenError): RepeatedFailure {
  return {
    kind: 'recurring-error',
    keys,
    command,
    purpose,
    seqs,
    failures: runs,
    exitStatus,
    error: text,
    traits: [signature],
    files: [],
  }
}

/** What currently fails; empty when everything succeeded in the end. */
export function detectFindings(state: AttemptState, isKnown?: IsKnown): readonly RepeatedFailure[] {
  const fromAttempts = state.attempts.flatMap((attempt) => detectFinding(attempt, false, isKnown) ?? [])
  const fromUndone = state.undone
    .filter(({ attempt }) => !fromAttempts.some(({ keys }) => keys.includes(attempt.key)))
    .flatMap(({ attempt }) => detectFinding(attempt, true) ?? [])
  const covered = new Set([...fromAttempts, ...fromUndone].flatMap(({ traits }) => traits))
  const fromErrors = state.errors.filter((error) => isRecurring(error) && !covered.has(error.signature))
  // One output can contain several errors: the same runs are reported once.
  const distinct = fromErrors.filter(
    (error, index) => fromErrors.findIndex((other) => other.seqs.join() === error.seqs.join()) === index,
  )
  return [...fromAttempts, ...fromUndone, ...distinct.map(toErrorFinding)]
}
