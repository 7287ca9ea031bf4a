import type { Config } from '../kernel/config.ts'
import type { CheckpointTrigger } from '../kernel/checkpoint.ts'
import type { SessionEvent } from '../kernel/event.ts'
import type { SessionId } from '../kernel/id.ts'
import type { Machine } from '../kernel/machine.ts'
import type {
  Clock,
  Entropy,
  Files,
  Git,
  Log,
  Places,
  Processes,
  Redactors,
  Store,
  GitHistory,
} from '../kernel/ports/ports.ts'
import type { Session } from '../kernel/session.ts'
import type { Checklists, Codemap, ExpectedHook, LongTermMemory, RealPath } from './ports.ts'
import type { DoorStore } from '../kernel/ports/agent-store.ts'

export type AgentDoorStore = DoorStore &
  Pick<
    Store,
    | 'findSession'
    | 'findSessionsByKey'
    | 'listSessions'
    | 'listCheckpoints'
    | 'listEvents'
    | 'deleteCheckpoint'
    | 'searchMemories'
    | 'searchWork'
    | 'listMemories'
    | 'listSightings'
    | 'listLocations'
  >

/** The part of the spine that the door leans on. */
export interface DoorContinuity {
  /** A summary of a known session is also an event of it, and so a checkpoint. */
  record(event: SessionEvent): Promise<unknown>
  /** Brings the checkpoints of a session that died up to what is durable of it. */
  bringUpToDate(session: Session): Promise<void>
  /** Composes one now, waiting for what is under way. */
  checkpoint(sessionId: SessionId, trigger: CheckpointTrigger): Promise<unknown>
}

/** The world, as the agent's door sees it. */
export interface AgentDoorDeps {
  readonly store: AgentDoorStore
  readonly continuity: DoorContinuity
  readonly clock: Clock
  readonly entropy: Entropy
  readonly files: Files
  readonly git: Pick<Git, 'state'>
  readonly history: GitHistory
  readonly places: Places
  readonly processes: Processes
  readonly machine: Machine
  readonly redactors: Redactors
  readonly realPath: RealPath
  readonly userHome: string
  readonly checklists: Checklists
  readonly codemap: Codemap
  readonly longTermMemory: LongTermMemory
  /** What the connectors install. */
  readonly expectedHooks: readonly ExpectedHook[]
  readonly log: Log
  /** Hex. */
  readonly sha256: (text: string) => string
  readonly configFor: (worktree: string | undefined) => Promise<Config>
}
