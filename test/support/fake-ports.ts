import { createHash, randomBytes } from 'node:crypto'
import { type Config, DEFAULT_CONFIG } from '../../src/kernel/config.ts'
import type { ClockTrust, ContinuityPorts } from '../../src/kernel/ports/runtime.ts'
import type { ProcessRef, TranscriptItem } from '../../src/kernel/event.ts'
import { ProjectId } from '../../src/kernel/id.ts'
import type { Machine } from '../../src/kernel/location.ts'
import type { Clock, Log, Redactor, Store, Timers } from '../../src/kernel/ports/ports.ts'
import type { GitState } from '../../src/kernel/location.ts'

/** Time that moves only when a test says so; what was asked to run later runs on the way. */
export class FakeTime implements Clock, Timers {
  #wallMs: number
  #monotonicMs = 0
  #due: { readonly atMs: number; readonly run: () => void }[] = []

  constructor(start = '2026-01-02T03:00:00.000Z') {
    this.#wallMs = Date.parse(start)
  }

  now(): string {
    return new Date(this.#wallMs).toISOString()
  }

  monotonicMs(): number {
    return this.#monotonicMs
  }

  after(ms: number, run: () => void): () => void {
    const entry = { atMs: this.#monotonicMs + ms, run }
    this.#due.push(entry)
    return () => {
      this.#due = this.#due.filter((other) => other !== entry)
    }
  }

  advance(ms: number): void {
    const end = this.#monotonicMs + ms
    for (;;) {
      const [next] = this.#due.filter((entry) => entry.atMs <= end).toSorted((a, b) => a.atMs - b.atMs)
      if (next === undefined) break
      this.#due = this.#due.filter((entry) => entry !== next)
      this.#wallMs += next.atMs - this.#monotonicMs
      this.#monotonicMs = next.atMs
      next.run()
    }
    this.#wallMs += end - this.#monotonicMs
    this.#monotonicMs = end
  }

  /** The wall clock alone, as when somebody sets it. */
  jump(ms: number): void {
    this.#wallMs += ms
  }
}

const SECRET = 'sk-planted-secret'

const plantedRedactor: Redactor = {
  redact: (text) => text.replaceAll(SECRET, '[REDACTED]'),
  redactAll: (texts) => texts.map((text) => text.replaceAll(SECRET, '[REDACTED]')),
  findings: (text) => (text.includes(SECRET) ? ['planted secret'] : []),
  isPiece: () => false,
}

const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/** Everything outside the core, in memory; only the store is real. */
export class FakePorts {
  readonly time = new FakeTime()
  readonly files = new Map<string, string>()
  /** When a file was last written; now, where it is not said. */
  readonly writtenAt = new Map<string, string>()
  readonly transcripts = new Map<string, TranscriptItem[]>()
  readonly dead = new Set<number>()
  readonly logged: string[] = []
  /** Survives what a test calls a restart: another `createContinuity` on the same ports. */
  clockTrust: ClockTrust | undefined
  git: GitState | undefined = { branch: 'main', head: 'a'.repeat(40) }
  config: Config = DEFAULT_CONFIG
  machine: Machine = { id: 'machine-1', hostId: 'machine-1', name: 'desk', sharesStore: false }
  person = { id: 'person-1', name: 'dev@desk' }
  /** What git does not have. */
  readonly missingCommits = new Set<string>()
  /** A signature is the hash of key and text. */
  keys: ContinuityPorts['keys'] = {
    loadSigner: async () => {
      const publicKey = `key of ${this.machine.id}`
      return { publicKey, sign: (text) => sha256(`${publicKey} ${text}`) }
    },
    isSignedBy: (publicKey, text, signature) => signature === sha256(`${publicKey} ${text}`),
  }
  /** The text that `deps.redactors` knows as a secret. */
  readonly secret = SECRET

  deps(store: Store): ContinuityPorts {
    return {
      store,
      clock: this.time,
      clockTrust: {
        read: () => this.clockTrust,
        write: (trust) => {
          this.clockTrust = trust
        },
      },
      timers: this.time,
      entropy: { bytes: (count) => randomBytes(count) },
      files: {
        facts: async (path) => {
          const text = this.files.get(path)
          return text === undefined
            ? undefined
            : { size: text.length, modifiedAt: this.writtenAt.get(path) ?? this.time.now() }
        },
        contentHash: async (path) => {
          const text = this.files.get(path)
          return text === undefined ? undefined : sha256(text)
        },
        readText: async (path, maxBytes) => this.files.get(path)?.slice(0, maxBytes),
        isDirectory: async () => true,
      },
      git: {
        state: async () => this.git,
        hasCommit: async (_worktree, commit) => !this.missingCommits.has(commit),
        heldCommits: async (_worktree, commits) => new Set(commits),
        countCommitsSince: async () => undefined,
        isInHistory: async () => true,
        renames: async () => undefined,
      },
      locator: {
        locate: async (cwd) => {
          // The packages of a monorepo are folders of one worktree.
          const worktree = cwd.replace(/\/packages\/.*$/, '')
          const repository = worktree.split('#')[0] ?? worktree
          return {
            projectId: ProjectId(sha256(repository).slice(0, 16)),
            project: worktree,
            projectNormalized: repository,
            worktree,
            branch: this.git?.branch,
            head: this.git?.head,
          }
        },
      },
      processes: {
        isAlive: (process: ProcessRef) => !this.dead.has(process.pid),
        startedAt: () => undefined,
      },
      machine: this.machine,
      person: this.person,
      keys: this.keys,
      transcripts: {
        readFrom: async ({ path }, offset) => {
          const items = this.transcripts.get(path) ?? []
          return { items: items.slice(offset), nextOffset: items.length, isTail: false }
        },
      },
      redactors: { forWorktree: async () => plantedRedactor },
      log: { ...silent, error: (message, fields) => this.logged.push(`${message} ${JSON.stringify(fields)}`) },
      sha256,
      configFor: async () => this.config,
    }
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
