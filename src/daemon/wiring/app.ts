import type { LocalAgentApi } from '../../app/agent-api.ts'
import type { ContinuityApp } from '../../app/create-continuity.ts'
import type { ToolSet } from '../../mcp/tool/tool.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import type { Store } from '../../kernel/ports/ports.ts'
import type { Sync } from '../../sync/create-sync.ts'
import type { Tasks } from '../../tasks/tasks.ts'

/** The wired application: what the entry points of the daemon call. */
export interface App {
  readonly continuity: ContinuityApp
  readonly agentApi: LocalAgentApi
  readonly tasks: Tasks
  readonly sync: Sync
  /** Why a session may not start new work. Undefined for a session that works for no task. */
  readonly findRefusal: (event: Pick<SessionEvent, 'harness' | 'sessionKey'>) => string | undefined
  /** A task with a session that is degraded to read-only, if any. */
  readonly findDegradedTask: () => Promise<string | undefined>
  /** Whether the user allowed a tool to run any command at all. */
  readonly canRunCommands: boolean
  /** The MCP tools that are listed, by `mcp.tools`. */
  readonly chooseTools: () => ToolSet
  /** From now on, because an MCP client's entry names it. */
  readonly usePiecesFile: (path: string) => void
  readonly store: Pick<Store, 'lastSeq' | 'recordSighting'>
  close(): Promise<void>
}
