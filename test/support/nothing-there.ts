import type { Codemap, LongTermMemory } from '../../src/core/agent-door/ports.ts'

/** Where no index can be read. */
export const noCodemap: Codemap = {
  indexState: async () => ({ text: '', pair: 'missing' }),
  findSymbol: async () => undefined,
}

/** Without Pieces. */
export const noLongTermMemory: LongTermMemory = { recent: async () => [], search: async () => [] }
