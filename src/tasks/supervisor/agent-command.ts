import type { TaskSession } from '../model/task-session.ts'
import { STOP_FILE } from '../files/stop-file.ts'

export interface AgentSession {
  readonly session: TaskSession
  readonly attempt: number
  /** The checkout's top. */
  readonly root: string
  readonly opening: string
  readonly openingFile: string
  readonly heartbeatFile: string
}

/** The words of a command with what only this session knows: each stays one argument, whatever stands in it. */
export function fillIn(argv: readonly string[], { session, opening, openingFile }: AgentSession): readonly string[] {
  const values: Readonly<Record<string, string>> = {
    opening,
    'opening-file': openingFile,
    session: session.session_id,
    task: session.task_slug,
  }
  return argv.map((word) =>
    word.replace(/\{\{(opening|opening-file|session|task)\}\}/g, (_, name: string) => values[name] ?? ''),
  )
}

/** What an agent is told by its environment. */
export function agentEnv(env: NodeJS.ProcessEnv, agent: AgentSession): NodeJS.ProcessEnv {
  const { session, attempt, root } = agent
  return {
    ...env,
    HOLDFAST_TASK: session.task_slug,
    HOLDFAST_TASK_DIR: `${root}/tasks/${session.task_slug}`,
    HOLDFAST_SESSION_ID: session.session_id,
    HOLDFAST_GATE: session.current_gate,
    HOLDFAST_ATTEMPT: String(attempt),
    HOLDFAST_OPENING_FILE: agent.openingFile,
    HOLDFAST_HEARTBEAT_FILE: agent.heartbeatFile,
    HOLDFAST_STOP_FILE: `${root}/${STOP_FILE}`,
  }
}
