import type { ResolvedProject } from '../kernel/agent-records.ts'
import { datedId, type SessionId, SessionKey, sessionIdOf } from '../kernel/id.ts'
import type { Session } from '../kernel/session.ts'
import type { AgentDoorDeps } from './deps.ts'
import { findSessionByLabel } from './session-liveness.ts'

/** The session that somebody's words belong to. */
export interface OwnSession {
  readonly id: SessionId
  readonly harness: string
  readonly key: SessionKey
  /** Absent when nothing of it was seen yet. */
  readonly session?: Session
  readonly isMadeUp: boolean
}

interface Told {
  readonly sessionKey?: string
  readonly harness?: string
  /** The harness of a session that no hook ever told of. */
  readonly door: string
}

/** As the caller told it; a new one when nobody did, or when the one told works in another project. */
export async function ownSession(
  deps: Pick<AgentDoorDeps, 'store' | 'clock' | 'entropy'>,
  told: Told,
  project: Pick<ResolvedProject, 'projectId'>,
): Promise<OwnSession> {
  const label = told.sessionKey?.trim() ?? ''
  const session = label === '' ? undefined : await findSessionByLabel(deps, label, told.harness)
  const isElsewhere = session?.place !== undefined && session.place.projectId !== project.projectId
  if (session !== undefined && !isElsewhere) {
    return { id: session.id, harness: session.harness, key: session.key, session, isMadeUp: false }
  }
  const isMadeUp = label === '' || isElsewhere
  const key = SessionKey(isMadeUp ? datedId('session', deps.clock.now(), deps.entropy.bytes(10)) : label)
  const harness = isMadeUp ? told.door : (told.harness ?? told.door)
  return { id: sessionIdOf(harness, key), harness, key, isMadeUp }
}
