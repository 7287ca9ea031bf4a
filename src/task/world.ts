import { createHash } from 'node:crypto'
import type { GitHistory } from '../core/agent-door/ports.ts'
import type { Continuity } from '../core/continuity.ts'
import type { EventDoor, ProcessRef } from '../core/event.ts'
import type { Machine } from '../core/identity/machine.ts'
import type { Clock, Entropy, Git, Log, Places, Processes, Redactors } from '../core/ports.ts'
import type { SafetyProbe } from '../core/context/probe.ts'
import type { MemoryAdapter } from '../core/task/memory-adapter.ts'

/** The part of the spine that tasks lean on: the engine itself in the daemon, the client in every other process. */
export type TaskContinuity = Pick<
  Continuity,
  | 'recordAll'
  | 'remember'
  | 'recall'
  | 'listMemories'
  | 'listCheckpoints'
  | 'getSession'
  | 'listEvents'
  | 'listSessions'
>

/** The world, as governed tasks see it. */
export interface TaskWorld {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly redactors: Redactors
  readonly places: Places
  readonly git: Git
  readonly history: Pick<GitHistory, 'log'>
  readonly processes: Processes
  readonly machine: Machine
  readonly log: Log
  readonly continuity: TaskContinuity
  /** Who keeps memories of this checkout: the local store, then the REST keeper where one is configured. */
  readonly memories: (cwd: string) => readonly MemoryAdapter[]
  /** The process whose end means that whoever speaks here is gone; undefined when that cannot be told. */
  readonly behind: () => ProcessRef | undefined
  /** Another probe than the local one, where the user configured it. */
  readonly probe?: SafetyProbe
  /** By which way in this process speaks. */
  readonly door: EventDoor
  /** For commands of the project: what they inherit. */
  readonly env: NodeJS.ProcessEnv
}

export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
