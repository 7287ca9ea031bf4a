import type { OutcomeUseCases } from './use-cases.ts'
import { messageOf } from '../kernel/errors.ts'
import { MemoryId, type ProjectId, type SessionId, type SessionKey } from '../kernel/id.ts'
import type { Injection } from '../kernel/injection.ts'
import type { Place } from '../kernel/project.ts'
import { computeReceipt } from './compute-outcome.ts'
import { ledgerEntry, totalsOf } from './ledger.ts'
import type { Receipt } from '../kernel/start-outcome.ts'
import { adjustmentOf, scoreSections, type SectionScore } from './scorer.ts'
import { compareStarts, didSomething } from './stats.ts'
import { createTracing, type EpochTrace, MAX_TRACED_CALLS, TRACED_KINDS } from './trace.ts'
import { isOfPresentProject, type Session } from '../kernel/session.ts'
import type { Announce, ContinuityDeps } from '../kernel/ports/runtime.ts'
import { createEarlierWork } from './earlier-work.ts'
import { isOnThisMachine } from '../kernel/ports/liveness.ts'

const EVENT_PAGE = 500
const RECEIPTS_PER_SESSION = 200
const INJECTIONS_PER_SESSION = 500
/** Silence after which a session that waits for its user is looked at. */
const QUIET_MS = 60_000
const SESSIONS_PER_LOOK = 100
/** The rest have their turn at the next look. */
const SETTLED_PER_LOOK = 10
const COMPARED_STARTS = 1_000
/** Sessions that were never looked at and are looked at because somebody asks. */
const SETTLED_PER_QUESTION = 200
const BACKLOG_EVERY_MS = 600_000
const MAX_ATTENDED = 5_000
/** Starts that the scorer learns from: of all projects, and of one. */
const LEARNT_STARTS = 300
const LEARNT_STARTS_HERE = 100

type Adjust = NonNullable<ReturnType<typeof adjustmentOf>>

export interface Receipts extends OutcomeUseCases {
  /** Puts an injection on the ledger once it has left for the harness. */
  confirmInjection(injection: Injection): Promise<void>
  /** Looks at sessions that are over or fell silent since the last look. Off every hook's path. */
  attend(): Promise<void>
  /** What was learnt of the use of what is shown in a project; undefined where it changes nothing, or is switched off. */
  adjustmentFor(projectId: ProjectId, worktree: string): Promise<Adjust | undefined>
}

function isSettled(receipt: Receipt | undefined, session: Session): boolean {
  if (receipt === undefined) return false
  const isFull = receipt.epoch === session.epoch && receipt.calls >= MAX_TRACED_CALLS
  return isFull || receipt.eventSeq >= session.lastEventSeq
}

/** The one after which another is missing, because the disk damaged it; they come the latest first. */
function findBeforeGap(kept: readonly Receipt[]): Receipt | undefined {
  return kept.findLast(({ epoch }, index) => index > 0 && kept[index - 1]?.epoch !== epoch + 1)
}

/** What followed each start, from what is durable: made when a session is over or silent, and made again when somebody asks. */
export function createReceipts(
  deps: ContinuityDeps,
  announce: Announce,
  getSession: (key: SessionKey, harness?: string) => Promise<Session>,
): Receipts {
  const earlierWork = createEarlierWork(deps)
  const attended = new Map<SessionId, number>()
  const underWay = new Map<SessionId, Promise<readonly Receipt[]>>()
  let attendedSeq = -1
  let backlog: { readonly sessions: Session[]; readonly seq: number; readonly atMs: number } | undefined
  let learnt: { everywhere: readonly Receipt[]; here: Map<ProjectId, readonly Receipt[]> } | undefined

  async function tracesSince(session: Session, startSeq: number): Promise<readonly EpochTrace[]> {
    const tracing = createTracing(session.place?.worktree)
    let afterSeq = startSeq - 1
    for (;;) {
      // Of a start that has been traced to its end only the next one is of interest.
      const wanted = tracing.isFull()
        ? ({ kinds: ['session-started'], limit: 1 } as const)
        : { kinds: TRACED_KINDS, limit: EVENT_PAGE }
      const page = await deps.store.listEvents({ sessionId: session.id, afterSeq, ...wanted })
      // What came in meanwhile belongs to the session as it is then, perhaps after another start.
      for (const stored of page) if (stored.seq <= session.lastEventSeq) tracing.follow(stored)
      afterSeq = page.at(-1)?.seq ?? afterSeq
      if (page.length < wanted.limit) return tracing.epochs()
    }
  }

  async function receiptOf(
    session: Session,
    { epoch, trace, told, stored }: { epoch: number; trace: EpochTrace; told: readonly Injection[]; stored?: Receipt },
  ): Promise<Receipt | undefined> {
    const { place } = session
    if (place === undefined) return undefined
    const injections = told.filter((injection) => injection.epoch === epoch && injection.chars > 0).toReversed()
    const earlier = await earlierWork.before({ session, place, trace, injections })
    const standingOf = await earlierWork.standings({ place, trace, injections, earlier, stored })
    const receipt = computeReceipt({
      session,
      place,
      epoch,
      trace,
      injections,
      ...(earlier === undefined ? {} : { earlier }),
      standingOf,
    })
    // The checkpoints it was compared with may be pruned since: what was seen then stands.
    if (earlier !== undefined || stored?.rework === undefined) return receipt
    return { ...receipt, earlierSessions: stored.earlierSessions, rework: stored.rework }
  }

  async function look(session: Session): Promise<readonly Receipt[]> {
    const kept = await deps.store.listReceipts({ sessionId: session.id, limit: RECEIPTS_PER_SESSION })
    const [latest] = kept
    const beforeGap = findBeforeGap(kept)
    if (beforeGap === undefined && isSettled(latest, session)) return kept
    const traces = await tracesSince(session, (beforeGap ?? latest)?.startSeq ?? 1)
    const told = await deps.store.listInjections({ sessionId: session.id, limit: INJECTIONS_PER_SESSION })
    const receipts: Receipt[] = []
    for (const [index, trace] of traces.entries()) {
      const epoch = session.epoch - (traces.length - 1 - index)
      const stored = kept.find((receipt) => receipt.epoch === epoch)
      if (stored !== undefined && stored !== latest) continue
      const receipt = await receiptOf(session, { epoch, trace, told, ...(stored === undefined ? {} : { stored }) })
      if (receipt !== undefined) receipts.push(receipt)
    }
    if (receipts.length === 0) return kept
    await deps.store.keepReceipts(receipts)
    learnt = undefined
    announce({ seq: session.lastEventSeq, kind: 'receipt', sessionId: session.id, detail: `${receipts.length} starts` })
    const isNew = (receipt: Receipt) => receipts.some(({ epoch }) => epoch === receipt.epoch)
    return [...receipts.toReversed(), ...kept.filter((receipt) => !isNew(receipt))]
  }

  /** One look at a time for each session. */
  function settle(session: Session): Promise<readonly Receipt[]> {
    const known = underWay.get(session.id)
    if (known !== undefined) return known
    const looking = look(session).finally(() => underWay.delete(session.id))
    underWay.set(session.id, looking)
    return looking
  }

  /** Nobody's question fails over one session that cannot be looked at. */
  async function settleAll(sessions: readonly Session[]): Promise<readonly Receipt[]> {
    const receipts: Receipt[] = []
    for (const session of sessions) {
      try {
        receipts.push(...(await settle(session)))
        attended.delete(session.id)
        attended.set(session.id, session.lastEventSeq)
      } catch (thrown) {
        deps.log.warn('receipt not made', { session: session.id, error: messageOf(thrown) })
      }
    }
    return receipts
  }

  /** Since it was last looked at; by this process, so that after a restart each is looked at once more. */
  function hasNews(session: Session): boolean {
    return attended.get(session.id) !== session.lastEventSeq && isOnThisMachine(session, deps)
  }

  function isQuiet({ phase, lastEventAt }: Session): boolean {
    if (phase === 'ended' || phase === 'interrupted') return true
    return phase === 'idle' && Date.parse(deps.clock.now()) - Date.parse(lastEventAt) >= QUIET_MS
  }

  /** The next of those that many later ones stood before when they ended, as after an import. */
  async function nextOfBacklog(seq: number): Promise<readonly Session[]> {
    const nowMs = deps.clock.monotonicMs()
    const isDue = backlog === undefined || (seq !== backlog.seq && nowMs - backlog.atMs >= BACKLOG_EVERY_MS)
    if (isDue && (backlog?.sessions.length ?? 0) === 0) {
      const sessions = await deps.store.listSessions({ limit: COMPARED_STARTS })
      const older = sessions.slice(SESSIONS_PER_LOOK).filter((session) => hasNews(session) && isQuiet(session))
      backlog = { sessions: older, seq, atMs: nowMs }
    }
    return backlog?.sessions.splice(0, SETTLED_PER_LOOK) ?? []
  }

  async function learntFor(projectId: ProjectId): Promise<readonly SectionScore[]> {
    learnt ??= { everywhere: await deps.store.listReceipts({ limit: LEARNT_STARTS }), here: new Map() }
    const { everywhere, here } = learnt
    const known = here.get(projectId) ?? (await deps.store.listReceipts({ projectId, limit: LEARNT_STARTS_HERE }))
    here.set(projectId, known)
    return scoreSections(known, everywhere)
  }

  async function placeAt(cwd: string | undefined): Promise<Partial<Place>> {
    return cwd === undefined ? {} : deps.places.locate(cwd)
  }

  return {
    async confirmInjection(injection) {
      await deps.store.recordInjection(injection)
      if (injection.kind === 'memories') await deps.store.recordHits(injection.sources.map(MemoryId), injection.at)
    },

    async attend() {
      const seq = await deps.store.lastSeq()
      await settleAll(await nextOfBacklog(seq))
      if (seq === attendedSeq) return
      const sessions = await deps.store.listSessions({ limit: SESSIONS_PER_LOOK })
      const news = sessions.filter(hasNews)
      const due = news.filter(isQuiet).slice(0, SETTLED_PER_LOOK)
      await settleAll(due)
      for (const id of attended.keys()) {
        if (attended.size <= MAX_ATTENDED) break
        attended.delete(id)
      }
      if (due.length === news.length) attendedSeq = seq
    },

    async adjustmentFor(projectId, worktree) {
      const { scorer } = await deps.configFor(worktree)
      return scorer.enabled ? adjustmentOf(await learntFor(projectId)) : undefined
    },

    async sessionReceipts(key, harness) {
      return settle(await getSession(key, harness))
    },

    async stats({ cwd, limit }) {
      const { projectId, worktree } = await placeAt(cwd)
      const sessions = await deps.store.listSessions({ projectId, limit: COMPARED_STARTS })
      const before = await deps.store.listReceipts({ projectId, limit: COMPARED_STARTS })
      const known = new Set(before.map(({ sessionId }) => sessionId))
      const unseen = sessions.slice(SESSIONS_PER_LOOK).filter((session) => hasNews(session) && !known.has(session.id))
      const asked = [...sessions.slice(0, SESSIONS_PER_LOOK).filter(hasNews), ...unseen.slice(0, SETTLED_PER_QUESTION)]
      await settleAll(asked)
      const receipts =
        asked.length === 0 ? before : await deps.store.listReceipts({ projectId, limit: COMPARED_STARTS })
      const { scorer } = await deps.configFor(worktree)
      const sections = projectId === undefined ? scoreSections([], receipts) : await learntFor(projectId)
      return {
        projects: compareStarts(receipts),
        receipts: receipts.filter(didSomething).slice(0, limit),
        pendingSessions: Math.max(0, unseen.length - SETTLED_PER_QUESTION),
        scorer: { isEnabled: scorer.enabled, sections },
      }
    },

    async ledger({ sessionKey, cwd, limit }) {
      const { projectId } = await placeAt(cwd)
      const only = sessionKey === undefined ? undefined : await getSession(sessionKey)
      // Those that said nothing, and those of other projects, are passed over.
      const wide = Math.min(2_000, limit * 10)
      const injections = await deps.store.listInjections({ sessionId: only?.id, limit: wide })
      const sessions = new Map<SessionId, Session | undefined>()
      const told: { readonly injection: Injection; readonly session: Session }[] = []
      for (const injection of injections) {
        if (told.length >= limit) break
        const { sessionId, chars } = injection
        if (!sessions.has(sessionId)) sessions.set(sessionId, await deps.store.findSession(sessionId))
        const session = sessions.get(sessionId)
        const isWanted = projectId === undefined || session?.place?.projectId === projectId
        if (chars === 0 || !isWanted || session === undefined) continue
        if (projectId === undefined || isOfPresentProject(injection, session)) told.push({ injection, session })
      }
      const receipts = await settleAll([...new Set(told.map(({ session }) => session))])
      const entries = told.map(({ injection, session }) => ledgerEntry(injection, session, receipts))
      return { entries, totals: totalsOf(entries) }
    },
  }
}
