import { createHash } from 'node:crypto'
import type { GitHistory, Clock, Entropy, Git, Log, Places, Processes, Redactors } from '../../kernel/ports/ports.ts'
import type { CaptureUseCases } from '../../capture/use-cases.ts'
import type { CheckpointUseCases } from '../../checkpoint/use-cases.ts'
import type { MemoryUseCases } from '../../memory/use-cases.ts'
import type { EventDoor, ProcessRef } from '../../kernel/event.ts'
import type { Machine } from '../../kernel/machine.ts'
import type { SafetyProbe } from '../context-safety/probe.ts'
import type { MemoryAdapter } from '../model/memory-adapter.ts'

/** The use cases that tasks call: in the daemon directly, in every other process through the client. */
export type TaskContinuity = Pick<CaptureUseCases, 'recordAll' | 'getSession' | 'listEvents' | 'listSessions'> &
  Pick<CheckpointUseCases, 'listCheckpoints'> &
  Pick<MemoryUseCases, 'remember' | 'recall' | 'listMemories'>

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
