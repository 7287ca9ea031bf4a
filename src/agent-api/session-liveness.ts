import type { Intent, IntentStanding, StandingIntent } from '../kernel/agent-records.ts'
import { isLive, isOver } from '../kernel/ports/liveness.ts'
import { SessionId, SessionKey } from '../kernel/id.ts'
import type { Session } from '../kernel/session.ts'
import type { AgentDoorDeps } from './deps.ts'

type Deps = Pick<AgentDoorDeps, 'store' | 'clock' | 'processes' | 'machine' | 'configFor'>

/** The session that a label names: a session's key, or harness and key; the latest when several harnesses have it. */
export async function findSessionByLabel(
  { store }: Pick<Deps, 'store'>,
  label: string,
  harness?: string,
): Promise<Session | undefined> {
  const byKey = (await store.findSessionsByKey(SessionKey(label))).filter(
    (session) => harness === undefined || session.harness === harness,
  )
  const latest = byKey.toSorted((a, b) => b.lastEventSeq - a.lastEventSeq)[0]
  return latest ?? (label.includes('/') ? store.findSession(SessionId(label)) : undefined)
}

/** Whether anybody still stands behind intents. */
export function createStandings(deps: Deps) {
  async function standingOf(intent: Intent): Promise<IntentStanding> {
    const session = await (intent.sessionId === undefined
      ? findSessionByLabel(deps, intent.sessionLabel)
      : deps.store.findSession(intent.sessionId))
    const { daemon, continuity } = await deps.configFor(intent.worktree)
    const ageMs = Date.parse(deps.clock.now()) - Date.parse(intent.startedAt)
    if (session !== undefined) {
      // To record an intent is a sign of life too, where no process tells.
      const hasJustSpoken = session.process === undefined && !isOver(session) && ageMs < daemon.assumeLiveMs
      return hasJustSpoken || isLive(session, deps, daemon.assumeLiveMs) ? 'live' : 'dead'
    }
    // Nobody saw this session: its word counts for as long as a session of yesterday would not.
    return ageMs < continuity.recoveryWindowMs ? 'unknown' : 'dead'
  }

  return async (intents: readonly Intent[]): Promise<readonly StandingIntent[]> => {
    return Promise.all(
      intents.map(async (intent) => {
        return { ...intent, standing: await standingOf(intent) }
      }),
    )
  }
}
