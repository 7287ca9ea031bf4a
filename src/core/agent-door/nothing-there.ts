import { HoldfastError } from '../errors.ts'
import type { Checklists, Codemap, LongTermMemory } from './ports.ts'

/** Where no checklist can be read. */
export const noChecklists: Checklists = {
  read: async () => undefined,
  mark: async (rootPath) => {
    throw new HoldfastError('not-found', `There is no CHECKLIST.md in ${rootPath}.`, {
      hint: 'Create CHECKLIST.md with one `- [ ] …` line for each task.',
    })
  },
}

/** Where no index can be read. */
export const noCodemap: Codemap = {
  indexState: async () => ({ text: '', pair: 'missing' }),
  findSymbol: async () => undefined,
}

/** Without Pieces. */
export const noLongTermMemory: LongTermMemory = { recent: async () => [], search: async () => [] }
