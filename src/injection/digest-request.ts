import type { DigestConfig } from '../kernel/config.ts'
import { createInjection, type InjectionText } from '../kernel/injection.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { Session } from '../kernel/session.ts'
import { BoundedMap } from '../kernel/structures/bounded-map.ts'
import type { InjectionSource } from './injection-policy.ts'

const MAX_SESSIONS = 500
const MAX_REQUESTS = 50
const MAX_DIGESTS = 1_000
/** A harness may finish several tools at once: only one of them gets the request. */
const OFFER_AGAIN_MS = 2_000

export type DigestRequestPorts = Pick<ContinuityPorts, 'clock' | 'sha256' | 'configFor' | 'hasTools'> & {
  readonly store: Pick<ContinuityPorts['store'], 'listEvents' | 'listInjections'>
  /** In tokens; undefined if unknown. */
  readonly getContextWindow: (session: Session) => number | undefined
}

/** Until when nothing is due, so that the store is read once and not at every tool call. */
interface NextLook {
  readonly calls: number
  readonly servedCrossing?: string
  readonly offeredMs?: number
}

/** The context that is filling up now: a request is made once for each. */
function toCrossing({ epoch, compactionCount }: Session): string {
  return `context ${epoch}.${compactionCount}`
}

function readCalls(sources: readonly string[]): number {
  return Math.max(0, ...sources.map((source) => Number(/^calls (\d+)$/.exec(source)?.[1] ?? 0)))
}

function renderRequest({ key }: Session, why: string): string {
  return [
    '## Holdfast asks for a handoff',
    `${why} Before you go on, call the Holdfast tool \`session_digest\` once (session_id "${key}"), so that a session after a compaction or a crash can continue. Fields: goal, rules (what the user said that still binds, in their words), done, in_progress, next_action, fails (what does not work), decisions (with reasons). State only what you saw; leave out what is empty. Then continue as you would have.`,
  ].join('\n')
}

/** Asks the agent for a digest when its context fills up, or when much was done since the last one. */
export function createDigestRequest(ports: DigestRequestPorts): InjectionSource {
  const looks = new BoundedMap<Session['id'], NextLook>(MAX_SESSIONS)

  function computePercent(session: Session, windowTokens: number): number | undefined {
    const window = windowTokens || ports.getContextWindow(session)
    if (window === undefined || window <= 0 || session.contextTokens === undefined) return undefined
    return Math.floor((session.contextTokens * 100) / window)
  }

  /** Tool calls since the last digest; of those that count, at most `limit` are read. */
  async function countSinceDigest({ id: sessionId, toolCount }: Session, limit: number): Promise<number> {
    const digests = await ports.store.listEvents({ sessionId, kinds: ['digest-written'], limit: MAX_DIGESTS })
    const last = digests.findLast(({ event }) => event.kind === 'digest-written' && event.author !== 'command')
    if (last === undefined) return toolCount
    return (await ports.store.listEvents({ sessionId, afterSeq: last.seq, kinds: ['tool-finished'], limit })).length
  }

  async function findReason(
    session: Session,
    { askPercent, askAfterCalls }: DigestConfig,
    percent: number,
  ): Promise<string | undefined> {
    const look = looks.get(session.id) ?? { calls: askAfterCalls }
    const crossing = toCrossing(session)
    const isFull = askPercent > 0 && percent >= askPercent && look.servedCrossing !== crossing
    const isMuch = askAfterCalls > 0 && session.toolCount >= look.calls
    if (!isFull && !isMuch) return undefined
    if (ports.clock.monotonicMs() - (look.offeredMs ?? Number.NEGATIVE_INFINITY) < OFFER_AGAIN_MS) return undefined
    const sessionId = session.id
    const past = await ports.store.listInjections({ sessionId, kind: 'digest-request', limit: MAX_REQUESTS })
    const sinceDigest = await countSinceDigest(session, Math.max(1, askAfterCalls))
    const sinceRequest = session.toolCount - Math.max(0, ...past.map(({ sources }) => readCalls(sources)))
    const isServed = past.some(({ sources }) => sources.includes(crossing))
    const due = {
      isFull: isFull && !isServed && sinceDigest > 0,
      isMuch: askAfterCalls > 0 && Math.min(sinceDigest, sinceRequest) >= askAfterCalls,
    }
    if (due.isFull || due.isMuch) {
      looks.set(sessionId, { ...look, offeredMs: ports.clock.monotonicMs() })
      return due.isFull
        ? `The context is ${percent} % full.`
        : `${session.toolCount} tool calls were made, and the state of the work is in no digest yet.`
    }
    looks.set(sessionId, {
      calls: session.toolCount + Math.max(1, askAfterCalls - Math.min(sinceDigest, sinceRequest)),
      ...(isServed && { servedCrossing: crossing }),
    })
    return undefined
  }

  async function offer(session: Session): Promise<InjectionText | undefined> {
    if (session.place === undefined) return undefined
    const { continuity, digest, autosave } = await ports.configFor(session.place.worktree)
    const percent = computePercent(session, autosave.contextWindowTokens) ?? 0
    if (percent < digest.askPercent && session.toolCount < digest.askAfterCalls) return undefined
    if (!continuity.enabled || ports.hasTools?.(session.harness, session.place.worktree) !== true) return undefined
    const why = await findReason(session, digest, percent)
    if (why === undefined) return undefined
    return createInjection(ports, session, 'digest-request', {
      text: renderRequest(session, why),
      sources: [
        ...(percent >= digest.askPercent && digest.askPercent > 0 ? [toCrossing(session)] : []),
        `calls ${session.toolCount}`,
      ],
      reasons: [{ line: 'asks for a session_digest', origin: 'digest', reason: why }],
    })
  }

  return ({ event, session }) => (event.subagent === undefined ? offer(session) : undefined)
}
