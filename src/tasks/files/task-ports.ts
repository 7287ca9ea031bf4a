import type { GitHistory, Clock, Entropy, Git, Log, Locator, Processes, Redactors } from '../../kernel/ports/ports.ts'
import type { CaptureUseCases } from '../../capture/use-cases.ts'
import type { CheckpointUseCases } from '../../checkpoint/use-cases.ts'
import type { MemoryUseCases } from '../../memory/use-cases.ts'
import type { EntryPoint, ProcessRef } from '../../kernel/event.ts'
import type { Machine } from '../../kernel/location.ts'
import type { SafetyProbe } from '../context-safety/safety-probe.ts'
import type { MemoryBackend } from '../model/memory-backend.ts'

/** The use cases that tasks call, directly in the daemon and through the client elsewhere. */
export type TaskContinuity = Pick<CaptureUseCases, 'recordAll' | 'getSession' | 'listEvents' | 'listSessions'> &
  Pick<CheckpointUseCases, 'listCheckpoints' | 'checkpoint'> &
  Pick<MemoryUseCases, 'remember' | 'recall' | 'listMemories'>

export interface TaskPorts {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly redactors: Redactors
  readonly locator: Locator
  readonly git: Git
  readonly history: Pick<GitHistory, 'log'>
  readonly processes: Processes
  readonly machine: Machine
  readonly log: Log
  readonly continuity: TaskContinuity
  /** Memory backends of a checkout: the local store, then the REST backend if configured. */
  readonly memoryBackends: (cwd: string) => readonly MemoryBackend[]
  /** The process whose end means that the caller is gone; undefined if unknown. */
  readonly findOwnerProcess: () => ProcessRef | undefined
  /** Configured by the user; default: the local probe. */
  readonly probe?: SafetyProbe
  readonly entryPoint: EntryPoint
  /** Environment for commands of the project. */
  readonly env: NodeJS.ProcessEnv
}
