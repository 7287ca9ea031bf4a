export interface AdapterMemory {
  readonly id: string
  readonly content: string
  readonly tags: readonly string[]
  readonly createdAt?: string
  /** 0 to 1 where the keeper says so. */
  readonly similarity?: number
}

export interface AdapterInput {
  readonly content: string
  /** 1 to 10. */
  readonly importance: number
  readonly tags: readonly string[]
}

/** S2's Memory Adapter. Every call that resolves has happened; there is no made-up id. */
export interface MemoryAdapter {
  /** For logs and the manifest: `local`, or the address of the keeper. */
  readonly name: string
  store(input: AdapterInput): Promise<{ readonly id: string }>
  /** The id may be a new one where memories are never changed in place. Refuses an unknown id. */
  update(id: string, input: AdapterInput): Promise<{ readonly id: string }>
  /** Undefined when there is none. */
  find(id: string): Promise<AdapterMemory | undefined>
  search(query: string, limit: number): Promise<readonly AdapterMemory[]>
}

/** Tags are `lowercase_underscores`. */
export function taskTag(slug: string): string {
  return `task_${slug.replaceAll('-', '_')}`
}
