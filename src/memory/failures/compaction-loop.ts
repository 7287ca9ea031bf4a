import type { EventKind, SessionEvent } from '../../kernel/event.ts'
import type { AttemptState } from './attempts.ts'
import { ATTEMPT_LIMITS } from './attempts.ts'

export interface Known {
  readonly name: string
  /** How it went; another outcome than before is news. */
  readonly value: string
}

/** The entries, latest last; the oldest go when there are more than `limit`. */
export function withLatest(
  before: ReadonlyMap<string, string>,
  entries: readonly (readonly [string, string])[],
  limit: number,
): ReadonlyMap<string, string> {
  const next = new Map(before)
  for (const [name, value] of entries) {
    next.delete(name)
    next.set(name, value)
  }
  for (const oldest of next.keys()) {
    if (next.size <= limit) break
    next.delete(oldest)
  }
  return next
}

/** One call more in this round; `changes` counts what it changed for certain. */
export function withKnown(state: AttemptState, seen: readonly Known[], changes = 0): AttemptState {
  const fresh = seen.filter(({ name, value }) => state.known.get(name) !== value)
  const { round } = state
  const counted = { ...round, calls: round.calls + 1, novel: round.novel + Math.min(1, fresh.length + changes) }
  if (fresh.length === 0) return { ...state, round: counted }
  const entries = fresh.map(({ name, value }) => [name, value] as const)
  return { ...state, known: withLatest(state.known, entries, ATTEMPT_LIMITS.known), round: counted }
}

/** Somebody said or decided something: the session is not going round by itself. */
const SAID: ReadonlySet<EventKind> = new Set<EventKind>([
  'prompt-submitted',
  'digest-written',
  'remembered',
  'decision-made',
  'gate-changed',
  'error-recovered',
])

function afterCompaction(state: AttemptState): AttemptState {
  const { calls, novel, idle, seqs } = state.round
  // A harness may compact twice for one reason; only a round in which something was done again goes round.
  const isIdle = novel === 0 && calls > 0
  const round =
    novel > 0
      ? { idle: 0, seqs: [state.seq] }
      : { idle: idle + (isIdle ? 1 : 0), seqs: [...seqs, state.seq].slice(-ATTEMPT_LIMITS.seqs) }
  return { ...state, round: { calls: 0, novel: 0, ...round } }
}

/** What an event other than a tool's end means for the round: a compaction closes it, a person's word makes it new. */
export function afterRound(state: AttemptState, event: SessionEvent): AttemptState {
  if (event.subagent !== undefined) return state
  if (event.kind === 'session-started') return event.source === 'compact' ? afterCompaction(state) : state
  if (!SAID.has(event.kind)) return state
  return { ...state, round: { ...state.round, novel: state.round.novel + 1 } }
}
