import type { FailureKind, Finding } from '../../kernel/memory.ts'
import { type Attempt, type AttemptState, type Failure, type SeenError, ATTEMPT_LIMITS } from './attempts.ts'
import { isCheck, isEdit } from '../../kernel/shell/command-key.ts'
import { isFix } from './undo.ts'

const BURST = 3
const RED_RED = 2
const RECURRING = 3

/**
 * What a subagent stumbles over is its own noise, until another thread fails the same way. An edit that the harness would
 * not make is between it and the agent, and over with the session.
 */
function isBelievable({ key, failures }: Attempt): boolean {
  if (isEdit({ key })) return false
  const threads = new Set(failures.map(({ subagent }) => subagent ?? ''))
  return threads.has('') || threads.size > 1
}

function alikeOf({ failures, alike }: Attempt): readonly Failure[] {
  return failures.slice(-Math.min(alike, failures.length))
}

function filesBetween(attempt: Attempt): readonly string[] {
  const files = alikeOf(attempt)
    .slice(1)
    .flatMap(({ edited }) => edited)
  return [...new Set(files)].slice(-ATTEMPT_LIMITS.files)
}

/** Whether this very trouble was there in an earlier session: then failing once is enough. */
export type IsKnown = (attempt: Attempt) => boolean

function kindOf(attempt: Attempt, files: readonly string[], helped: boolean): FailureKind | undefined {
  if (helped || attempt.undone.some(({ isByHand }) => !isByHand)) return 'revert'
  const hasTraits = (attempt.failures.at(-1)?.traits.length ?? 0) > 0
  const enough = isCheck(attempt) ? RED_RED : BURST
  if (attempt.alike >= enough && hasTraits && files.some(isFix)) return 'red-red'
  return attempt.unchanged >= BURST ? 'retry-burst' : undefined
}

function findingOf(attempt: Attempt, helped: boolean, isKnown: IsKnown = () => false): Finding | undefined {
  const between = filesBetween(attempt)
  const kind = kindOf(attempt, between, helped) ?? (isKnown(attempt) ? 'retry-burst' : undefined)
  const last = attempt.failures.at(-1)
  if (kind === undefined || last === undefined || !isBelievable(attempt)) return undefined
  const undoing = kind === 'revert' ? attempt.undone.at(-1) : undefined
  return {
    kind,
    keys: [attempt.key],
    command: attempt.command,
    purpose: attempt.purpose,
    seqs: alikeOf(attempt).map(({ seq }) => seq),
    failures: attempt.alike,
    exitStatus: last.exitStatus,
    error: last.error,
    traits: last.traits,
    files: undoing?.files ?? between,
    ...(undoing === undefined ? {} : { undone: { how: undoing.how, helped } }),
  }
}

/** A failing test is told of by itself, and what an assertion compares is in every second one. */
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

function findingOfError({ keys, command, purpose, seqs, runs, text, signature, exitStatus }: SeenError): Finding {
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

/** What is known to have failed as things stand; empty for a session in which everything went well in the end. */
export function findingsOf(state: AttemptState, isKnown?: IsKnown): readonly Finding[] {
  const fromAttempts = state.attempts.flatMap((attempt) => findingOf(attempt, false, isKnown) ?? [])
  const fromUndone = state.undone
    .filter(({ attempt }) => !fromAttempts.some(({ keys }) => keys.includes(attempt.key)))
    .flatMap(({ attempt }) => findingOf(attempt, true) ?? [])
  const covered = new Set([...fromAttempts, ...fromUndone].flatMap(({ traits }) => traits))
  const fromErrors = state.errors.filter((error) => isRecurring(error) && !covered.has(error.signature))
  // One output says several errors: the same runs are told of once.
  const distinct = fromErrors.filter(
    (error, index) => fromErrors.findIndex((other) => other.seqs.join() === error.seqs.join()) === index,
  )
  return [...fromAttempts, ...fromUndone, ...distinct.map(findingOfError)]
}
