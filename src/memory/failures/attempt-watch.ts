import { messageOf } from '../../kernel/errors.ts'
import type { EventKind, SessionEvent } from '../../kernel/event.ts'
import type { SessionId } from '../../kernel/id.ts'
import { type AttemptState, noAttempts } from './attempts.ts'
import { foldAttempt } from './fold-attempts.ts'
import type { Appended } from '../../kernel/ports/ports.ts'
import type { Session } from '../../kernel/session.ts'
import type { ContinuityDeps } from '../../kernel/ports/runtime.ts'

const MAX_SESSIONS = 64
const EVENT_PAGE = 500
const TELLING = [
  'tool-finished',
  'session-started',
  'prompt-submitted',
  'digest-written',
  'remembered',
  'decision-made',
  'gate-changed',
  'error-recovered',
] as const satisfies readonly EventKind[]
const IS_TELLING: ReadonlySet<EventKind> = new Set<EventKind>(TELLING)

export interface Heard {
  readonly event: SessionEvent
  readonly seq: number
  readonly session: Session
}

/** Tools come in bursts: at once would be in the time of the next one. */
const FOLDED_AFTER_MS = 50

export interface AttemptWatch {
  /** An event that is durable. Folded later: whoever sent it is waiting. */
  readonly heard: (event: SessionEvent, appended: Appended) => void
  /** Folds what was heard and is waiting. */
  readonly flush: () => void
  /** Whether a session that is tracked is failing at one of these commands. */
  isFailing(keys: readonly string[]): boolean
  /** What the session tried so far, where that is known without asking the store. */
  known(id: SessionId): AttemptState | undefined
  /** The same, read from the log where this process did not see the session from its start. */
  stateOf(session: Session): Promise<AttemptState>
}

/**
 * Keeps what live sessions tried in memory, from the events as they come. Nothing of it is lost with the process: it is
 * folded again from the log for the session that needs it.
 */
export function createAttemptWatch(
  deps: Pick<ContinuityDeps, 'store' | 'timers' | 'log'>,
  afterFold: (heard: Heard) => void,
): AttemptWatch {
  const tracked = new Map<SessionId, AttemptState>()
  const reading = new Map<SessionId, Promise<AttemptState>>()
  let waiting: Heard[] = []

  function track(id: SessionId, state: AttemptState): void {
    tracked.delete(id)
    tracked.set(id, state)
    for (const oldest of tracked.keys()) {
      if (tracked.size <= MAX_SESSIONS) break
      tracked.delete(oldest)
    }
  }

  function foldHeard({ event, seq, session }: Heard): void {
    const isFirst = event.kind === 'session-started' && session.epoch === 1
    // What was tried in another project says nothing about this one.
    const isNewProject = session.projectSince?.seq === seq
    const known = isNewProject ? undefined : tracked.get(session.id)
    const before = known ?? (isFirst || isNewProject ? noAttempts() : undefined)
    if (before === undefined) {
      const isFailure = event.kind === 'tool-finished' && event.tool.kind === 'shell' && !event.outcome.ok
      if (isFailure) read(session).catch((error: unknown) => warn(session.id, error))
      return
    }
    track(session.id, foldAttempt(before, { seq, event }, { worktree: session.place?.worktree }))
  }

  function warn(session: SessionId, error: unknown): void {
    deps.log.warn('attempts not read', { session, error: messageOf(error) })
  }

  function fold(): void {
    const heard = waiting
    // What comes while the log is being read is folded onto what the reading gives.
    waiting = heard.filter(({ session }) => reading.has(session.id))
    for (const one of heard) {
      if (reading.has(one.session.id)) continue
      foldHeard(one)
      afterFold(one)
    }
  }

  async function readLog(session: Session): Promise<AttemptState> {
    let state = noAttempts()
    for (;;) {
      const page = await deps.store.listEvents({
        sessionId: session.id,
        kinds: TELLING,
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
        track(session.id, state)
        fold()
        return tracked.get(session.id) ?? state
      })
      .finally(() => reading.delete(session.id))
    reading.set(session.id, next)
    return next
  }

  return {
    heard(event, { seq, session }) {
      if (!IS_TELLING.has(event.kind)) return
      if (waiting.length === 0) deps.timers.after(FOLDED_AFTER_MS, fold)
      waiting.push({ event, seq, session })
    },
    flush: fold,
    isFailing(keys) {
      return [...tracked.values()].some(({ attempts }) => attempts.some(({ key }) => keys.includes(key)))
    },
    known(id) {
      if (waiting.length > 0) fold()
      return tracked.get(id)
    },
    async stateOf(session) {
      fold()
      return tracked.get(session.id) ?? (await read(session))
    },
  }
}
