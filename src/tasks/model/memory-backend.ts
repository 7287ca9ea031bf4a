import { TASK_TAG_PREFIX } from '../../kernel/memory.ts'

export interface BackendMemory {
  readonly id: string
  readonly content: string
  readonly tags: readonly string[]
  readonly createdAt?: string
  /** 0 to 1, if the backend reports it. */
  readonly similarity?: number
}

export interface BackendInput {
  readonly content: string
  /** 1 to 10. */
  readonly importance: number
  readonly tags: readonly string[]
}

/** Where a task's memories are stored. A call resolves only after the backend confirmed it; ids are the backend's own. */
export interface MemoryBackend {
  /** For logs and the manifest: `local`, or the backend's URL. */
  readonly name: string
  store(input: BackendInput): Promise<{ readonly id: string }>
  /** Returns a new id if the backend never changes memories in place. Refuses an unknown id. */
  update(id: string, input: BackendInput): Promise<{ readonly id: string }>
  find(id: string): Promise<BackendMemory | undefined>
  search(query: string, limit: number): Promise<readonly BackendMemory[]>
}

/** Tags are `lowercase_underscores`. */
export function createTaskTag(slug: string): string {
  return `${TASK_TAG_PREFIX}${slug.replaceAll('-', '_')}`
}
