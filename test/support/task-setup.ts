import { HoldfastError } from '../../src/kernel/errors.ts'
import type { SessionEvent } from '../../src/kernel/event.ts'
import { MemoryId, ProjectId } from '../../src/kernel/id.ts'
import type { Memory } from '../../src/kernel/memory.ts'
import { createRedactor } from '../../src/redaction/redactor.ts'
import { advance, type Session } from '../../src/kernel/session.ts'
import { systemEntropy } from '../../src/platform/base/crypto.ts'
import { createGit } from '../../src/platform/git/git.ts'
import { createGitHistory } from '../../src/platform/git/git-queries.ts'
import { createLocator } from '../../src/platform/locator.ts'
import { DEFAULT_CONFIG } from '../../src/kernel/config.ts'
import { createLocalMemory } from '../../src/tasks/memory/local-memory.ts'
import type { TaskContinuity, TaskPorts } from '../../src/tasks/files/task-ports.ts'

export interface Kept {
  readonly events: SessionEvent[]
  readonly memories: Memory[]
}

/** Use cases in memory: store events and memories, derive sessions from events, refuse secrets in memories. */
function memoryContinuity(kept: Kept): TaskContinuity {
  const redactor = createRedactor()
  return {
    async recordAll(events) {
      const fresh = events.filter(({ id }) => !kept.events.some((known) => known.id === id))
      kept.events.push(...fresh)
      return []
    },
    async remember(input) {
      if (redactor.findings(input.content).length > 0) throw new HoldfastError('secret-refused', 'It holds a secret.')
      const memory: Memory = {
        id: MemoryId(`mem-${kept.memories.length}`),
        projectId: ProjectId('p'),
        type: input.type ?? 'note',
        content: input.content,
        importance: input.importance ?? 5,
        tags: input.tags ?? [],
        source: input.source,
        createdAt: '2026-01-02T03:00:00.000Z',
        hits: 0,
        ...(input.supersedes !== undefined && { supersedes: input.supersedes }),
      }
      kept.memories.push(memory)
      return memory
    },
    recall: async () => [],
    listMemories: async () => kept.memories.toReversed(),
    listCheckpoints: async () => [],
    checkpoint: async () => undefined,
    listEvents: async () => [],
    listSessions: async () => [],
    async getSession(key, harness) {
      const events = kept.events.filter((event) => event.sessionKey === key && event.harness === harness)
      const session = events.reduce<Session | undefined>(
        (known, event, seq) => advance(known, event, { seq, cadence: DEFAULT_CONFIG.continuity }).session,
        undefined,
      )
      if (session === undefined) throw new HoldfastError('not-found', `There is no session ${key}.`)
      return session
    },
  }
}

export interface TaskSetup extends TaskPorts {
  readonly kept: Kept
  /** Whether the processes that sessions name are there. */
  readonly life: { isAlive: boolean }
  readonly warnings: string[]
}

/** This machine's files and git, use cases in memory, and a clock that advances a second at each read. */
export function createTaskSetup(more: Partial<TaskPorts> = {}): TaskSetup {
  let seconds = 0
  const clock = {
    now: () => new Date(Date.UTC(2026, 0, 2, 3, 0, (seconds += 1))).toISOString(),
    monotonicMs: () => seconds * 1_000,
  }
  const kept: Kept = { events: [], memories: [] }
  const life = { isAlive: true }
  const warnings: string[] = []
  const continuity = memoryContinuity(kept)
  const redactor = createRedactor()
  const say = (message: string) => void warnings.push(message)
  return {
    clock,
    entropy: systemEntropy,
    redactors: { forWorktree: async () => redactor },
    locator: createLocator({ clock }),
    git: createGit({ timeoutMs: 60_000 }),
    history: createGitHistory({ timeoutMs: 60_000 }),
    processes: { isAlive: () => life.isAlive, startedAt: () => 'then' },
    machine: { id: 'machine-1', hostId: 'machine-1', name: 'desk', sharesStore: false },
    log: { debug: say, info: say, warn: say, error: say },
    continuity,
    memoryBackends: (cwd) => [createLocalMemory(continuity, cwd)],
    findOwnerProcess: () => undefined,
    entryPoint: 'cli',
    env: { PATH: '/usr/bin:/bin' },
    ...more,
    kept,
    life,
    warnings,
  }
}
