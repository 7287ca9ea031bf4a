import type { Announce, ContinuityDeps } from '../kernel/runtime.ts'
import { createMemories, type Memories } from './memories.ts'
import { createNegativeMemory, type NegativeMemory } from './failures/failure-memory.ts'
import type { Recording } from '../capture/record-events.ts'

export interface Remembering {
  readonly memories: Memories
  readonly negative: NegativeMemory
}

/** What was told to be remembered, and what was seen to fail: both are memories, and whoever forgets one forgets it for both. */
export function createRemembering(deps: ContinuityDeps, recording: Recording, announce: Announce): Remembering {
  const memories = createMemories(deps, recording, announce)
  const negative = createNegativeMemory(deps, announce)
  return {
    negative,
    memories: {
      ...memories,
      async forget(id, cwd) {
        await memories.forget(id, cwd)
        negative.refresh()
      },
    },
  }
}
