import type { Codemap, LongTermMemory } from '../../src/agent-api/ports.ts'
import type { CheckpointFiles } from '../../src/named-checkpoint/checkpoint-files.ts'

/** Where no index can be read. */
export const noCodemap: Codemap = {
  indexState: async () => ({ text: '', pair: 'missing' }),
  symbols: async () => ({ symbols: [] }),
}

/** Without Pieces. */
export const noLongTermMemory: LongTermMemory = { recent: async () => [], search: async () => [] }

/** Where nothing was saved by name, and nothing can be. */
export const noCheckpointFiles: CheckpointFiles = {
  save: () => Promise.reject(new Error('nothing is saved here')),
  list: async () => [],
  find: async () => undefined,
  staleness: async () => [],
  delete: async () => false,
  autosave: async () => ({ isDue: false, because: 'there is nothing to save' }),
  startBuffer: async () => false,
  appendBuffer: async () => undefined,
}
