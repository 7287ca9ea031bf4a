import type { MemoryId, SessionKey } from '../kernel/id.ts'
import type { Memory, MemoryHit, MemoryType } from '../kernel/memory.ts'

export interface RememberInput {
  readonly content: string
  readonly cwd: string
  readonly type?: MemoryType
  readonly importance?: number
  readonly tags?: readonly string[]
  readonly source: string
  readonly supersedes?: MemoryId
  /** When said inside a session, it also counts towards that session's next checkpoint. */
  readonly session?: { readonly harness: string; readonly sessionKey: SessionKey }
}

export interface RecallInput {
  readonly cwd: string
  readonly text: string
  readonly types?: readonly MemoryType[]
  readonly limit: number
}

/** Memories: remember, recall, list, forget. */
export interface MemoryUseCases {
  /** Refuses text that holds a secret, naming its kind and keeping nothing. */
  remember(input: RememberInput): Promise<Memory>
  recall(input: RecallInput): Promise<readonly MemoryHit[]>
  /** The newest current ones. */
  listMemories(input: {
    readonly cwd: string
    readonly types?: readonly MemoryType[]
    readonly limit: number
  }): Promise<readonly Memory[]>
  /** Refuses an unknown id. */
  forget(id: MemoryId, cwd?: string): Promise<void>
}
