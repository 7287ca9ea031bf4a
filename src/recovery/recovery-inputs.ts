import type { StoredCheckpoint } from '../kernel/checkpoint.ts'
import type { SessionId } from '../kernel/id.ts'
import type { SessionState, ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { Session } from '../kernel/session.ts'
import { parseWork } from '../checkpoint/work/state.ts'

const MAX_KEY_CHARS = 48

/** The last line of a block with an overflow: which tool returns it, and for which session. */
export function renderPointer(sessionKey: string): string {
  const isShort = sessionKey.length <= MAX_KEY_CHARS && !/["\s]/.test(sessionKey)
  return `More: MCP tool checkpoint_resume${isShort ? `, session "${sessionKey}"` : ' without arguments'}`
}

/** Inputs of a recovery beside its checkpoints. */
export interface RecoveryInputs {
  /** The harness's own summary of the compaction. */
  readonly summary?: string
  /** Where its agent finds the overflow. */
  readonly pointer?: string
  readonly sessionState?: SessionState
}

export interface RecoveryContext {
  readonly worktree: string
  /** The session that starts; absent for a preview. */
  readonly session: Session | undefined
  readonly checkpoints: readonly StoredCheckpoint[]
}

/** Only after a compaction, and only the newest. */
async function summaryShown(ports: ContinuityPorts, session: Session | undefined): Promise<string | undefined> {
  if (session?.source !== 'compact') return undefined
  const snapshot = await ports.store.findWork(session.id)
  return snapshot === undefined ? undefined : parseWork(snapshot.state).shown?.text
}

/** Only if one of the sessions may have written the file: an older file says nothing about them. */
async function findSessionState(ports: ContinuityPorts, speaking: RecoveryContext): Promise<SessionState | undefined> {
  if (speaking.checkpoints.length === 0) return undefined
  const state = await ports.sessionState?.(speaking.worktree)
  if (state === undefined || state.text.trim() === '') return undefined
  const [newest, ...earlier] = new Set(speaking.checkpoints.map(({ checkpoint }) => checkpoint.sessionId))
  const isOf = async (id: SessionId | undefined) => {
    const author = id === undefined ? undefined : await ports.store.findSession(id)
    return author !== undefined && state.modifiedAt >= author.startedAt
  }
  if (await isOf(newest)) return state
  for (const id of earlier) if (await isOf(id)) return { ...state, isEarlier: true }
  return undefined
}

export async function readRecoveryInputs(ports: ContinuityPorts, speaking: RecoveryContext): Promise<RecoveryInputs> {
  const { session, checkpoints } = speaking
  const [summary, sessionState] = await Promise.all([summaryShown(ports, session), findSessionState(ports, speaking)])
  const key = checkpoints[0]?.checkpoint.sessionKey
  const hasTools = session !== undefined && ports.hasTools?.(session.harness, speaking.worktree) === true
  return {
    summary,
    sessionState,
    pointer: hasTools && key !== undefined ? renderPointer(key) : undefined,
  }
}
