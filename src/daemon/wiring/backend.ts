import type { LocalAgentDoor } from '../../app/agent-api.ts'
import type { ContinuityEngine } from '../../app/create-continuity.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import type { Store } from '../../kernel/ports/ports.ts'
import type { Tasks } from '../../tasks/tasks.ts'

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
