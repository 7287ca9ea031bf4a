import type { ResolvedProject } from '../kernel/agent-records.ts'
import { SessionId, SessionKey, datedId, toSessionId } from '../kernel/id.ts'
import type { Session } from '../kernel/session.ts'
import type { AgentApiPorts } from './ports.ts'

/** The session that an agent's call belongs to. */
export interface OwnSession {
  readonly id: SessionId
  readonly harness: string
  readonly key: SessionKey
  /** Absent when no event of it was recorded yet. */
  readonly session?: Session
  readonly isMadeUp: boolean
}

interface SessionHint {
  readonly sessionKey?: string
  readonly harness?: string
  /** The harness to assume for a session that no hook reported. */
  readonly door: string
}

/** The session that the caller names; a new one when it names none, or one of another project. */
export async function resolveOwnSession(
  ports: Pick<AgentApiPorts, 'store' | 'clock' | 'entropy'>,
  caller: SessionHint,
  project: Pick<ResolvedProject, 'projectId'>,
): Promise<OwnSession> {
  const label = caller.sessionKey?.trim() ?? ''
  const session = label === '' ? undefined : await findSessionByLabel(ports, label, caller.harness)
  const isElsewhere = session?.place !== undefined && session.place.projectId !== project.projectId
  if (session !== undefined && !isElsewhere) {
    return { id: session.id, harness: session.harness, key: session.key, session, isMadeUp: false }
  }
  const isMadeUp = label === '' || isElsewhere
  const key = SessionKey(isMadeUp ? datedId('session', ports.clock.now(), ports.entropy.bytes(10)) : label)
  const harness = isMadeUp ? caller.door : (caller.harness ?? caller.door)
  return { id: toSessionId(harness, key), harness, key, isMadeUp }
}

/** `label` is a session key or `harness/key`. Returns the latest when several harnesses have it. */
export async function findSessionByLabel(
  { store }: Pick<AgentApiPorts, 'store'>,
  label: string,
  harness?: string,
): Promise<Session | undefined> {
  const byKey = (await store.findSessionsByKey(SessionKey(label))).filter(
    (session) => harness === undefined || session.harness === harness,
  )
  const latest = byKey.toSorted((a, b) => b.lastEventSeq - a.lastEventSeq)[0]
  return latest ?? (label.includes('/') ? store.findSession(SessionId(label)) : undefined)
}
