import type { StoredCheckpoint } from '../kernel/checkpoint.ts'
import type { ProjectId, SessionId } from '../kernel/id.ts'
import type { SessionState, ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { Rule } from '../kernel/rule.ts'
import type { Session } from '../kernel/session.ts'
import { parseWork } from '../checkpoint/work/state.ts'
import type { InFlightPorts } from './revalidate/check-in-flight.ts'

const MAX_KEY_CHARS = 48

/** The last line of a block with an overflow: which tool returns it, and for which session. */
export function renderPointer(sessionKey: string): string {
  const isShort = sessionKey.length <= MAX_KEY_CHARS && !/["\s]/.test(sessionKey)
  return `More: MCP tool checkpoint_resume${isShort ? `, session_id "${sessionKey}"` : ' without arguments'}`
}

/** Inputs of a recovery beside its checkpoints. */
export interface RecoveryInputs {
  /** The harness's own summary of the compaction. */
  readonly summary?: string
  /** Where its agent finds the overflow. */
  readonly pointer?: string
  readonly sessionState?: SessionState
  /** Rules of the user in this project, newest first. */
  readonly rules?: readonly Pick<Rule, 'text' | 'since'>[]
}

export interface RecoveryContext {
  readonly worktree: string
  readonly projectId: ProjectId
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
  const [summary, sessionState, rules = []] = await Promise.all([
    summaryShown(ports, session),
    findSessionState(ports, speaking),
    ports.activeRules?.(speaking.projectId),
  ])
  const key = checkpoints[0]?.checkpoint.sessionKey
  const hasTools = session !== undefined && ports.hasTools?.(session.harness, speaking.worktree) === true
  return {
    summary,
    sessionState,
    rules: rules.map(({ text, since }) => ({ text, since })),
    pointer: hasTools && key !== undefined ? renderPointer(key) : undefined,
  }
}

/** The process whose subagents and calls may still run. */
export function getStarter({ phase, process }: Session): InFlightPorts['startedBy'] {
  return phase === 'ended' || phase === 'interrupted' ? 'ended' : process
}
