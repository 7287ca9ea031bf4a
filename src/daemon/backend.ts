import type { LocalAgentDoor } from '../core/agent-door.ts'
import type { ContinuityEngine } from '../core/continuity/create.ts'
import type { SessionEvent } from '../core/event.ts'
import type { Store } from '../core/ports.ts'
import type { Tasks } from '../core/task/tasks.ts'

/** What the doors stand in front of. */
export interface Backend {
  readonly engine: ContinuityEngine
  readonly door: LocalAgentDoor
  readonly tasks: Tasks
  /** Why a session may not begin anything new, for whoever can tell its harness. Free for one that works for no task. */
  readonly refusalOf: (event: Pick<SessionEvent, 'harness' | 'sessionKey'>) => string | undefined
  /** Whether the user allowed a tool to run any command at all. */
  readonly canRunCommands: boolean
  readonly store: Pick<Store, 'lastSeq' | 'recordSighting'>
  close(): Promise<void>
}
