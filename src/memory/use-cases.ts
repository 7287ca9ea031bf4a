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
  /** The memory also becomes part of this session's next checkpoint. */
  readonly session?: { readonly harness: string; readonly sessionKey: SessionKey }
}

export interface RecallInput {
  readonly cwd: string
  readonly text: string
  readonly types?: readonly MemoryType[]
  readonly limit: number
}

export interface MemoryUseCases {
  /** Refuses text that contains a secret and names its kind; stores nothing then. */
  remember(input: RememberInput): Promise<Memory>
  recall(input: RecallInput): Promise<readonly MemoryHit[]>
  /** Newest first, without superseded ones. */
  listMemories(input: {
    readonly cwd: string
    readonly types?: readonly MemoryType[]
    readonly limit: number
  }): Promise<readonly Memory[]>
  /** Refuses an unknown id. */
  forget(id: MemoryId, cwd?: string): Promise<void>
}
