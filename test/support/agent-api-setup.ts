import type { AgentApi } from '../../src/app/agent-api.ts'
import { createAgentApi } from '../../src/app/create-agent-api.ts'
import type { NamedCheckpointPorts } from '../../src/named-checkpoint/named-checkpoints.ts'
import { noCheckpointFiles, noCodemap, noLongTermMemory } from './missing-ports.ts'
import type { CommitLine, Store } from '../../src/kernel/ports/ports.ts'
import type { ChecklistView } from '../../src/kernel/agent-records.ts'
import { type ContinuityApp, createContinuity } from '../../src/app/create-continuity.ts'
import type { SessionEvent } from '../../src/kernel/event.ts'
import { EventId, SessionKey } from '../../src/kernel/id.ts'
import { openSqliteStore } from '../../src/storage/sqlite/engine.ts'
import { FakePorts } from './fake-ports.ts'

export const ROOT = '/home/dev/shop'

/** The agent API on a real store and a fake machine. */
export class AgentApiSetup extends FakePorts implements AsyncDisposable {
  readonly directories = new Set<string>([ROOT])
  checklist: ChecklistView | undefined
  commits: readonly CommitLine[] | undefined = []
  readonly store: Store
  readonly engine: ContinuityApp
  readonly door: AgentApi
  #events = 0

  private constructor(store: Store, overrides: Partial<NamedCheckpointPorts>) {
    super()
    this.store = store
    const deps = this.deps(store)
    this.engine = createContinuity(deps)
    this.door = createAgentApi({
      ...deps,
      files: { ...deps.files, isDirectory: async (path) => this.directories.has(path) },
      continuity: {
        record: (event) => this.engine.record(event),
        checkpoint: (id, trigger) => this.engine.checkpoint(id, trigger),
        findWork: (cwd) => this.engine.findWork(cwd),
        bringUpToDate: async ({ id }) => void (await this.engine.checkpoint(id, 'interrupted')),
      },
      history: {
        log: async () => this.commits,
        filesNamed: async (worktree, names) =>
          [...this.files.keys()]
            .filter((path) => path.startsWith(`${worktree}/`))
            .map((path) => path.slice(worktree.length + 1))
            .filter((path) => names.includes(path.slice(path.lastIndexOf('/') + 1))),
      },
      realPath: async (path) => path,
      userHome: '/home/dev',
      checklists: {
        read: async () => this.checklist,
        evidence: () => Promise.reject(new Error('nothing is kept here')),
        mark: () => Promise.reject(new Error('nobody marks here')),
      },
      checkpointFiles: noCheckpointFiles,
      codemap: noCodemap,
      longTermMemory: noLongTermMemory,
      expectedHooks: [],
      ...overrides,
    })
  }

  static async open(overrides: Partial<NamedCheckpointPorts> = {}): Promise<AgentApiSetup> {
    return new AgentApiSetup(await openSqliteStore({ file: ':memory:' }), overrides)
  }

  /** Something that a session did in the project. */
  async happen(key: string, event: EventBody, cwd: string = ROOT): Promise<void> {
    this.#events += 1
    const base = {
      id: EventId(`e${this.#events}`),
      harness: 'claude-code',
      sessionKey: SessionKey(key),
      at: this.time.now(),
      door: 'hook',
      cwd,
    } as const
    await this.engine.record({ ...base, ...event })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.drain()
    await this.store[Symbol.asyncDispose]()
  }
}

type Base = 'id' | 'harness' | 'sessionKey' | 'at' | 'door' | 'cwd'
type WithoutBase<Event> = Event extends SessionEvent ? Omit<Event, Base> : never
export type EventBody = WithoutBase<SessionEvent>
