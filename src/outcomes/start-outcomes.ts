import type { OutcomeUseCases } from './use-cases.ts'
import { getErrorMessage } from '../kernel/errors.ts'
import { MemoryId, type ProjectId, type SessionId, type SessionKey } from '../kernel/id.ts'
import { AT_START, type Injection, type StoredInjection } from '../kernel/injection.ts'
import { computeOutcome } from './compute-outcome.ts'
import { createLedgerEntry, sumTotals } from './ledger.ts'
import type { StartOutcome } from '../kernel/start-outcome.ts'
import { compareStarts, countSectionUse, didSomething, summarizeDigests } from './stats.ts'
import { createStartTracer, type StartTrace, MAX_TRACED_CALLS, TRACED_KINDS } from './start-trace.ts'
import { isFromPresentProject, type Session } from '../kernel/session.ts'
import type { Announce, ContinuityPorts } from '../kernel/ports/runtime.ts'
import { createEarlierWork } from './earlier-work.ts'
import { isOnThisMachine } from '../kernel/ports/liveness.ts'
import { SharedRuns } from '../kernel/structures/task-queue.ts'
import { BoundedMap } from '../kernel/structures/bounded-map.ts'

const EVENT_PAGE = 500
const OUTCOMES_PER_SESSION = 200
const INJECTIONS_PER_SESSION = 500
/** Silence after which an idle session is settled. */
const QUIET_MS = 60_000
const SESSIONS_PER_PASS = 100
/** The others follow in the next pass. */
const SETTLED_PER_PASS = 10
const COMPARED_STARTS = 1_000
/** Sessions without outcomes that a query settles. */
const SETTLED_PER_QUERY = 200
/** After this time a query answers with what is settled, if that is a pass at least. */
const SETTLE_MS = 1_500
const BACKLOG_EVERY_MS = 600_000
const MAX_SETTLED = 5_000
const MAX_DIGESTS = 5_000
/** Ledger entries read for one page of it. */
const MAX_LOOKED_AT = 5_000

export interface StartOutcomes extends Omit<OutcomeUseCases, 'tokenUsage'> {
  /** Records an injection in the ledger once it was sent to the harness. */
  confirmInjection(injection: Injection): Promise<void>
  /** Settles sessions that ended or fell silent since the last pass. Never runs while a hook waits. */
  settleQuiet(): Promise<void>
}

function isSettled(outcome: StartOutcome | undefined, session: Session): boolean {
  if (outcome === undefined) return false
  const isFull = outcome.epoch === session.epoch && outcome.calls >= MAX_TRACED_CALLS
  return isFull || outcome.eventSeq >= session.lastEventSeq
}

/** The outcome before one that was lost to a damaged row. `known` is latest first. */
function findBeforeGap(known: readonly StartOutcome[]): StartOutcome | undefined {
  return known.findLast(({ epoch }, index) => index > 0 && known[index - 1]?.epoch !== epoch + 1)
}

/** Computes what followed each start from the event log, when a session is over or silent and when queried. */
export function createStartOutcomes(
  deps: ContinuityPorts,
  announce: Announce,
  getSession: (key: SessionKey, harness?: string) => Promise<Session>,
): StartOutcomes {
  const earlierWork = createEarlierWork(deps)
  const settled = new BoundedMap<SessionId, number>(MAX_SETTLED)
  const runs = new SharedRuns<SessionId, readonly StartOutcome[]>()
  let settledSeq = -1
  let backlog: { readonly sessions: Session[]; readonly seq: number; readonly atMs: number } | undefined

  async function readTraces(session: Session, startSeq: number): Promise<readonly StartTrace[]> {
    const tracer = createStartTracer(session.place?.worktree)
    let afterSeq = startSeq - 1
    for (;;) {
      // When a start is fully traced, only the next start is needed.
      const wanted = tracer.isFull()
        ? ({ kinds: ['session-started'], limit: 1 } as const)
        : { kinds: TRACED_KINDS, limit: EVENT_PAGE }
      const page = await deps.store.listEvents({ sessionId: session.id, afterSeq, ...wanted })
      // Newer events may belong to another start.
      for (const stored of page) if (stored.seq <= session.lastEventSeq) tracer.follow(stored)
      afterSeq = page.at(-1)?.seq ?? afterSeq
      if (page.length < wanted.limit) return tracer.epochs()
    }
  }

  async function buildOutcome(
    session: Session,
    {
      epoch,
      trace,
      injected,
      stored,
    }: { epoch: number; trace: StartTrace; injected: readonly Injection[]; stored?: StartOutcome },
  ): Promise<StartOutcome | undefined> {
    const { place } = session
    if (place === undefined) return undefined
    const injections = injected.filter((injection) => injection.epoch === epoch && injection.chars > 0).toReversed()
    const earlier = await earlierWork.before({ session, place, trace, injections })
    const getRereadState = await earlierWork.checkRereads({ place, trace, injections, earlier, stored })
    const outcome = computeOutcome({
      session,
      place,
      epoch,
      trace,
      injections,
      ...(earlier === undefined ? {} : { earlier }),
      getRereadState,
    })
    // The compared checkpoints may be pruned since: the stored comparison stays valid.
    if (earlier !== undefined || stored?.rework === undefined) return outcome
    return { ...outcome, earlierSessions: stored.earlierSessions, rework: stored.rework }
  }

  async function computeOutcomes(session: Session): Promise<readonly StartOutcome[]> {
    const known = await deps.store.listStartOutcomes({ sessionId: session.id, limit: OUTCOMES_PER_SESSION })
    const [latest] = known
    const beforeGap = findBeforeGap(known)
    if (beforeGap === undefined && isSettled(latest, session)) return known
    const traces = await readTraces(session, (beforeGap ?? latest)?.startSeq ?? 1)
    const injected = await deps.store.listInjections({ sessionId: session.id, limit: INJECTIONS_PER_SESSION })
    const outcomes: StartOutcome[] = []
    for (const [index, trace] of traces.entries()) {
      const epoch = session.epoch - (traces.length - 1 - index)
      const stored = known.find((outcome) => outcome.epoch === epoch)
      if (stored !== undefined && stored !== latest) continue
      const outcome = await buildOutcome(session, {
        epoch,
        trace,
        injected,
        ...(stored === undefined ? {} : { stored }),
      })
      if (outcome !== undefined) outcomes.push(outcome)
    }
    if (outcomes.length === 0) return known
    await deps.store.saveStartOutcomes(outcomes)
    announce({ seq: session.lastEventSeq, kind: 'receipt', sessionId: session.id, detail: `${outcomes.length} starts` })
    const isNew = (outcome: StartOutcome) => outcomes.some(({ epoch }) => epoch === outcome.epoch)
    return [...outcomes.toReversed(), ...known.filter((outcome) => !isNew(outcome))]
  }

  function settle(session: Session): Promise<readonly StartOutcome[]> {
    return runs.run(session.id, () => computeOutcomes(session))
  }

  /** A session that cannot be settled does not fail the query; what is left when the time is up keeps its news. */
  async function settleAll(sessions: readonly Session[]): Promise<readonly StartOutcome[]> {
    const outcomes: StartOutcome[] = []
    const untilMs = deps.clock.monotonicMs() + SETTLE_MS
    let computed = 0
    for (const session of sessions) {
      const isNews = hasNews(session)
      if (isNews && computed >= SETTLED_PER_PASS && deps.clock.monotonicMs() > untilMs) continue
      if (isNews) computed += 1
      try {
        outcomes.push(...(await settle(session)))
        settled.set(session.id, session.lastEventSeq)
      } catch (thrown) {
        deps.log.warn('start outcome not computed', { session: session.id, error: getErrorMessage(thrown) })
      }
    }
    return outcomes
  }

  /** Whether it has events since this process last settled it. */
  function hasNews(session: Session): boolean {
    return settled.get(session.id) !== session.lastEventSeq && isOnThisMachine(session, deps)
  }

  function isQuiet({ phase, lastEventAt }: Session): boolean {
    if (phase === 'ended' || phase === 'interrupted') return true
    return phase === 'idle' && Date.parse(deps.clock.now()) - Date.parse(lastEventAt) >= QUIET_MS
  }

  /** The next older sessions that no pass has reached, as after an import. */
  async function takeBacklog(seq: number): Promise<readonly Session[]> {
    const nowMs = deps.clock.monotonicMs()
    const isDue = backlog === undefined || (seq !== backlog.seq && nowMs - backlog.atMs >= BACKLOG_EVERY_MS)
    if (isDue && (backlog?.sessions.length ?? 0) === 0) {
      const sessions = await deps.store.listSessions({ limit: COMPARED_STARTS })
      const older = sessions.slice(SESSIONS_PER_PASS).filter((session) => hasNews(session) && isQuiet(session))
      backlog = { sessions: older, seq, atMs: nowMs }
    }
    return backlog?.sessions.splice(0, SETTLED_PER_PASS) ?? []
  }

  async function locateAt(cwd: string | undefined): Promise<{ readonly projectId?: ProjectId }> {
    return cwd === undefined ? {} : deps.locator.locate(cwd)
  }

  return {
    async confirmInjection(injection) {
      await deps.store.recordInjection(injection)
      // What every start gets was not looked for, so it is not a use of the memory.
      const isForStart = injection.reasons.some(({ section }) => section === AT_START)
      if (injection.kind === 'memories' && !isForStart)
        await deps.store.recordHits(injection.sources.map(MemoryId), injection.at)
    },

    async settleQuiet() {
      const seq = await deps.store.lastSeq()
      await settleAll(await takeBacklog(seq))
      if (seq === settledSeq) return
      const sessions = await deps.store.listSessions({ limit: SESSIONS_PER_PASS })
      const news = sessions.filter(hasNews)
      const due = news.filter(isQuiet).slice(0, SETTLED_PER_PASS)
      await settleAll(due)
      if (due.length === news.length) settledSeq = seq
    },

    async sessionReceipts(key, harness) {
      return settle(await getSession(key, harness))
    },

    async stats({ cwd, limit }) {
      const { projectId } = await locateAt(cwd)
      const sessions = await deps.store.listSessions({ projectId, limit: COMPARED_STARTS })
      const before = await deps.store.listStartOutcomes({ projectId, limit: COMPARED_STARTS })
      const known = new Set(before.map(({ sessionId }) => sessionId))
      const unseen = sessions.slice(SESSIONS_PER_PASS).filter((session) => hasNews(session) && !known.has(session.id))
      const unsettled = [...sessions.slice(0, SESSIONS_PER_PASS).filter(hasNews), ...unseen.slice(0, SETTLED_PER_QUERY)]
      await settleAll(unsettled)
      const outcomes =
        unsettled.length === 0 ? before : await deps.store.listStartOutcomes({ projectId, limit: COMPARED_STARTS })
      const everywhere =
        projectId === undefined ? outcomes : await deps.store.listStartOutcomes({ limit: COMPARED_STARTS })
      const [requests, written] = await Promise.all([
        deps.store.listInjections({ kind: 'digest-request', limit: COMPARED_STARTS }),
        deps.store.listEvents({ kinds: ['digest-written'], limit: MAX_DIGESTS }),
      ])
      const here = new Set(sessions.map(({ id }) => id))
      return {
        projects: compareStarts(outcomes),
        digests: summarizeDigests({
          requests: requests.filter(({ sessionId }) => projectId === undefined || here.has(sessionId)),
          written,
          outcomes,
        }),
        receipts: outcomes.filter(didSomething).slice(0, limit),
        pendingSessions: unsettled.filter(hasNews).length + Math.max(0, unseen.length - SETTLED_PER_QUERY),
        scorer: { isEnabled: false, sections: countSectionUse(projectId === undefined ? [] : outcomes, everywhere) },
      }
    },

    async ledger({ sessionKey, cwd, kind, includeSkipped = false, beforeSeq, limit }) {
      const { projectId } = await locateAt(cwd)
      const only = sessionKey === undefined ? undefined : await getSession(sessionKey)
      const sessions = new Map<SessionId, Session | undefined>()
      const found: { readonly injection: StoredInjection; readonly session: Session }[] = []
      let before = beforeSeq
      let looked = 0
      let hasMore = true
      // More than the limit is read, because empty injections and other projects are skipped.
      while (hasMore && found.length < limit && looked < MAX_LOOKED_AT) {
        const page = await deps.store.pageInjections({
          sessionId: only?.id,
          kind,
          beforeSeq: before,
          limit: EVENT_PAGE,
        })
        hasMore = page.length === EVENT_PAGE
        for (const injection of page) {
          if (found.length >= limit) {
            hasMore = true
            break
          }
          looked += 1
          before = injection.seq
          const { sessionId, chars } = injection
          if (chars === 0 && !includeSkipped) continue
          if (!sessions.has(sessionId)) sessions.set(sessionId, await deps.store.findSession(sessionId))
          const session = sessions.get(sessionId)
          if (session === undefined) continue
          const isHere = session.place?.projectId === projectId && isFromPresentProject(injection, session)
          if (projectId === undefined || isHere) found.push({ injection, session })
        }
      }
      const outcomes = await settleAll([...new Set(found.map(({ session }) => session))])
      const entries = found.map(({ injection, session }) => createLedgerEntry(injection, session, outcomes))
      return { entries, totals: sumTotals(entries), ...(hasMore && before !== undefined && { next: before }) }
    },
  }
}
