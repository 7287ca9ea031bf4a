import type { StoredCheckpoint } from '../kernel/checkpoint.ts'
import type { SessionId } from '../kernel/id.ts'
import type { SessionState, ContinuityDeps } from '../kernel/ports/runtime.ts'
import type { Session } from '../kernel/session.ts'
import { parseWork } from '../checkpoint/work/state.ts'

const MAX_KEY_CHARS = 48

/** The last line of a block that could not say everything: which tool says the rest, and of which session. */
export function pointerTo(sessionKey: string): string {
  const isShort = sessionKey.length <= MAX_KEY_CHARS && !/["\s]/.test(sessionKey)
  return `More: MCP tool checkpoint_resume${isShort ? `, session "${sessionKey}"` : ' without arguments'}`
}

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

/** The file speaks for the sessions that may have written it: one that was there before, a repository's own, says nothing of them. */
async function stateOf(deps: ContinuityDeps, speaking: Speaking): Promise<SessionState | undefined> {
  if (speaking.checkpoints.length === 0) return undefined
  const state = await deps.sessionState?.(speaking.worktree)
  if (state === undefined || state.text.trim() === '') return undefined
  const [newest, ...earlier] = new Set(speaking.checkpoints.map(({ checkpoint }) => checkpoint.sessionId))
  const isOf = async (id: SessionId | undefined) => {
    const author = id === undefined ? undefined : await deps.store.findSession(id)
    return author !== undefined && state.modifiedAt >= author.startedAt
  }
  if (await isOf(newest)) return state
  for (const id of earlier) if (await isOf(id)) return { ...state, isEarlier: true }
  return undefined
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
