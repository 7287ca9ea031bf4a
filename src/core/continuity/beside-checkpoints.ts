import type { StoredCheckpoint } from '../checkpoint.ts'
import type { SessionState } from '../recovery/fold.ts'
import { pointerTo } from '../recovery/pointer.ts'
import type { Session } from '../session.ts'
import { parseWork } from '../work/state.ts'
import type { ContinuityDeps } from './deps.ts'

/** What a recovery goes by beside the checkpoints that speak. */
export interface BesideCheckpoints {
  /** What the session's own harness wrote when it compacted, and shows its agent. */
  readonly summary?: string
  /** Where its agent finds the rest. */
  readonly pointer?: string
  readonly sessionState?: SessionState
}

export interface Speaking {
  readonly worktree: string
  /** Who is told; absent for a preview. */
  readonly session: Session | undefined
  readonly checkpoints: readonly StoredCheckpoint[]
}

/** Only a compaction leaves one in the context, and only the newest. */
async function summaryShown(deps: ContinuityDeps, session: Session | undefined): Promise<string | undefined> {
  if (session?.source !== 'compact') return undefined
  const snapshot = await deps.store.findWork(session.id)
  return snapshot === undefined ? undefined : parseWork(snapshot.state).shown?.text
}

/** The file speaks for the session that wrote it: one that was there before, a repository's own, says nothing of it. */
async function stateOf(deps: ContinuityDeps, speaking: Speaking): Promise<SessionState | undefined> {
  const newest = speaking.checkpoints[0]?.checkpoint
  const state = newest === undefined ? undefined : await deps.sessionState?.(speaking.worktree)
  if (newest === undefined || state === undefined || state.text.trim() === '') return undefined
  const author = await deps.store.findSession(newest.sessionId)
  return author !== undefined && state.modifiedAt >= author.startedAt ? state : undefined
}

export async function besideCheckpoints(deps: ContinuityDeps, speaking: Speaking): Promise<BesideCheckpoints> {
  const { session, checkpoints } = speaking
  const [summary, sessionState] = await Promise.all([summaryShown(deps, session), stateOf(deps, speaking)])
  const key = checkpoints[0]?.checkpoint.sessionKey
  const hasTools = session !== undefined && deps.hasTools?.(session.harness, speaking.worktree) === true
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(sessionState === undefined ? {} : { sessionState }),
    ...(hasTools && key !== undefined ? { pointer: pointerTo(key) } : {}),
  }
}
