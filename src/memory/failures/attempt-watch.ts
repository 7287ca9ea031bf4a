import { getErrorMessage } from '../../kernel/errors.ts'
import type { EventKind, SessionEvent } from '../../kernel/event.ts'
import type { SessionId } from '../../kernel/id.ts'
import { type AttemptState, noAttempts } from './attempts.ts'
import { foldAttempt } from './fold-attempts.ts'
import type { AppendResult } from '../../kernel/ports/ports.ts'
import type { Session } from '../../kernel/session.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { BoundedMap } from '../../kernel/structures/bounded-map.ts'

const MAX_SESSIONS = 64
const EVENT_PAGE = 500
const FOLDED_KINDS = [
  'tool-finished',
  'session-started',
  'prompt-submitted',
  'digest-written',
  'remembered',
  'decision-made',
  'gate-changed',
  'error-recovered',
] as const satisfies readonly EventKind[]
const IS_FOLDED: ReadonlySet<EventKind> = new Set<EventKind>(FOLDED_KINDS)

export interface FoldedEvent {
  readonly event: SessionEvent
  readonly seq: number
  readonly session: Session
}

/** Tool calls come in bursts: folding at once would delay the next hook. */
const FOLD_DELAY_MS = 50

export interface AttemptWatch {
  /** Takes an event that is durable. It is folded later, because the hook is waiting. */
  readonly onEvent: (event: SessionEvent, appended: AppendResult) => void
  /** Folds the waiting events now. */
  readonly flush: () => void
  /** Whether a tracked session fails at one of these commands. */
  isFailing(keys: readonly string[]): boolean
  /** Undefined when the session is not tracked in memory. */
  findState(id: SessionId): AttemptState | undefined
  /** Read from the log when the session is not tracked. */
  getState(session: Session): Promise<AttemptState>
}

/** Tracks in memory what live sessions tried. After a restart the state is folded again from the event log. */
export function createAttemptWatch(
  deps: Pick<ContinuityPorts, 'store' | 'timers' | 'log'>,
  afterFold: (events: FoldedEvent) => void,
): AttemptWatch {
  const tracked = new BoundedMap<SessionId, AttemptState>(MAX_SESSIONS)
  const reading = new Map<SessionId, Promise<AttemptState>>()
  let waiting: FoldedEvent[] = []

  function foldOne({ event, seq, session }: FoldedEvent): void {
    const isFirst = event.kind === 'session-started' && session.epoch === 1
    // Attempts in another project do not count here.
    const isNewProject = session.projectSince?.seq === seq
    const known = isNewProject ? undefined : tracked.get(session.id)
    const before = known ?? (isFirst || isNewProject ? noAttempts() : undefined)
    if (before === undefined) {
      const isFailure = event.kind === 'tool-finished' && event.tool.kind === 'shell' && !event.outcome.ok
      if (isFailure) read(session).catch((error: unknown) => warn(session.id, error))
      return
    }
    tracked.set(session.id, foldAttempt(before, { seq, event }, { worktree: session.place?.worktree }))
  }

  function warn(session: SessionId, error: unknown): void {
    deps.log.warn('attempts not read', { session, error: getErrorMessage(error) })
  }

  function fold(): void {
    const events = waiting
    // Events that arrive while the log is read are folded onto its result.
    waiting = events.filter(({ session }) => reading.has(session.id))
    for (const one of events) {
      if (reading.has(one.session.id)) continue
      foldOne(one)
      afterFold(one)
    }
  }

  async function readLog(session: Session): Promise<AttemptState> {
    let state = noAttempts()
    for (;;) {
      const page = await deps.store.listEvents({
        sessionId: session.id,
        kinds: FOLDED_KINDS,
        afterSeq: Math.max(state.seq, (session.projectSince?.seq ?? 1) - 1),
        limit: EVENT_PAGE,
      })
      for (const stored of page) state = foldAttempt(state, stored, { worktree: session.place?.worktree })
      if (page.length < EVENT_PAGE) return state
    }
  }

  function read(session: Session): Promise<AttemptState> {
    const underWay = reading.get(session.id)
    if (underWay !== undefined) return underWay
    const next = readLog(session)
      .then((state) => {
        reading.delete(session.id)
        tracked.set(session.id, state)
        fold()
        return tracked.get(session.id) ?? state
      })
      .finally(() => reading.delete(session.id))
    reading.set(session.id, next)
    return next
  }

  return {
    onEvent(event, { seq, session }) {
      if (!IS_FOLDED.has(event.kind)) return
      if (waiting.length === 0) deps.timers.after(FOLD_DELAY_MS, fold)
      waiting.push({ event, seq, session })
    },
    flush: fold,
    isFailing(keys) {
      return [...tracked.values()].some(({ attempts }) => attempts.some(({ key }) => keys.includes(key)))
    },
    findState(id) {
      if (waiting.length > 0) fold()
      return tracked.get(id)
    },
    async getState(session) {
      fold()
      return tracked.get(session.id) ?? (await read(session))
    },
  }
}
