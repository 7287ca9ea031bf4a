import { HoldfastError } from '../../kernel/errors.ts'
import { MemoryId } from '../../kernel/id.ts'
import { type Memory, TASK_SOURCE } from '../../kernel/memory.ts'
import type { BackendMemory, MemoryBackend } from '../model/memory-backend.ts'
import type { TaskContinuity } from '../files/task-ports.ts'

const MAX_MEMORIES = 500

function toAdapterMemory({ id, content, tags, createdAt }: Memory): BackendMemory {
  return { id, content, tags, createdAt }
}

/** The project's own memories. An update supersedes the memory under a new id. */
export function createLocalMemory(continuity: TaskContinuity, cwd: string): MemoryBackend {
  const find = async (id: string) =>
    (await continuity.listMemories({ cwd, includeTasks: true, limit: MAX_MEMORIES })).find((memory) => memory.id === id)
  return {
    name: 'local',
    store: ({ content, importance, tags }) =>
      continuity.remember({ content, cwd, type: 'summary', importance, tags, source: TASK_SOURCE }),
    async update(id, { content, importance, tags }) {
      const known = await find(id)
      if (known === undefined) throw new HoldfastError('not-found', `There is no memory ${id}.`)
      if (known.content === content) return { id }
      const supersedes = MemoryId(id)
      return continuity.remember({ content, cwd, type: 'summary', importance, tags, source: TASK_SOURCE, supersedes })
    },
    async find(id) {
      const found = await find(id)
      return found === undefined ? undefined : toAdapterMemory(found)
    },
    async search(query, limit) {
      const hits = await continuity.recall({ cwd, text: query, includeTasks: true, limit })
      return hits.map(({ memory, coverage }) => ({ ...toAdapterMemory(memory), similarity: coverage }))
    },
  }
}
