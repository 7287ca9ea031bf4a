/** S1's continuity keys keep their names and defaults. */
export interface ContinuityConfig {
  readonly enabled: boolean
  readonly promptInterval: number
  readonly timeIntervalMs: number
  readonly maxCheckpointsPerSession: number
  readonly retentionDays: number
  /** Retention of events and of data that is useful only with them. Checkpoints have their own retention. */
  readonly eventRetentionDays: number
  readonly recoveryBudgetChars: number
  /** Maximum age of a checkpoint of the same worktree for a new session's recovery; lineage has no limit. */
  readonly recoveryWindowMs: number
  /** Debounce before a checkpoint is taken. */
  readonly debounceMs: number
}

/** `words`: the word vectors that ship with the package. `off`: full-text search only. */
export const EMBEDDINGS_MODES = ['words', 'off'] as const
export type EmbeddingsMode = (typeof EMBEDDINGS_MODES)[number]

export interface MemoryConfig {
  readonly inject: boolean
  readonly maxPerPrompt: number
  /** Minimum keyword overlap (0 to 1) between a prompt and a memory before the memory is injected. */
  readonly minCoverage: number
  /** Semantic search beside full-text search. */
  readonly embeddings: EmbeddingsMode
  /** Whether failed approaches are stored, and injected before they are tried again. */
  readonly failedApproaches: boolean
}

export interface LoopConfig {
  readonly warn: boolean
  /** How often the same command must fail the same way, without an edit in between. */
  readonly repeats: number
}

export interface DaemonConfig {
  /** 0 picks a free port at every start. */
  readonly port: number
  readonly idleExitMs: number
  /** A session without a known process counts as live until it is silent this long. */
  readonly assumeLiveMs: number
}

/** `where-used`: only if the project has a SESSION-STATE.md. `always`: in every project, from what was observed. */
export const AUTOSAVE_MODES = ['off', 'where-used', 'always'] as const
export type AutosaveMode = (typeof AUTOSAVE_MODES)[number]

/** S3's autosave into the project. */
export interface AutosaveConfig {
  readonly mode: AutosaveMode
  /** Share of the context window at which `memory/working-buffer.md` begins. */
  readonly bufferPercent: number
  /** Share of the context window at which `autosave.md` is written. */
  readonly contextPercent: number
  /** Context window; 0: as known for the harness and its model. */
  readonly contextWindowTokens: number
  /** Silence of a session, with work open, after which it is written. */
  readonly idleMs: number
  /** Minimum interval between two autosaves. */
  readonly minIntervalMs: number
}

export interface IndexConfig {
  /** How often the index pair is refreshed after its project changed; 0: never. */
  readonly refreshMs: number
}

export interface StoreConfig {
  /** `sqlite:` (the file in the home) or `postgres://…`. */
  readonly url: string
  /** The person this home belongs to; empty: generated for the home. Never from a repository's file. */
  readonly person: string
}

/** Whether several homes can open it. */
export function isSharedStore({ url }: Pick<StoreConfig, 'url'>): boolean {
  return !url.startsWith('sqlite:')
}

export type ResumeConfirm = 'always' | 'interactive' | 'never'

export interface Config {
  readonly continuity: ContinuityConfig
  readonly memory: MemoryConfig
  readonly loops: LoopConfig
  readonly daemon: DaemonConfig
  readonly autosave: AutosaveConfig
  readonly index: IndexConfig
  /** Accepted for compatibility; has no effect. */
  readonly scorer: { readonly enabled: boolean }
  readonly resume: { readonly confirm: ResumeConfirm }
  readonly store: StoreConfig
  /** Where events of governed tasks are sent; empty: nowhere. Never from a repository's file, which could redirect them. */
  readonly outbox: { readonly url: string }
  /** The probe at the end of a task's session: empty for the local one, else a command or a URL. Never from a repository's file. */
  readonly safety: { readonly probe: string }
  /** Read the project's env files for values to redact. */
  readonly redaction: { readonly envFiles: boolean }
  /** Shell lines that an agent may run with `mark_checklist_item`, each compared as a whole. Only from the user's own file. */
  readonly checklist: { readonly verifyOverMcp: readonly string[] }
  readonly log: { readonly level: 'debug' | 'info' | 'warn' | 'error' }
}

export const DEFAULT_CONFIG: Config = {
  continuity: {
    enabled: true,
    promptInterval: 10,
    timeIntervalMs: 900_000,
    maxCheckpointsPerSession: 50,
    retentionDays: 7,
    eventRetentionDays: 30,
    recoveryBudgetChars: 2_000,
    recoveryWindowMs: 4 * 3_600_000,
    debounceMs: 2_500,
  },
  memory: { inject: true, maxPerPrompt: 3, minCoverage: 0.7, embeddings: 'words', failedApproaches: true },
  loops: { warn: true, repeats: 3 },
  daemon: { port: 0, idleExitMs: 900_000, assumeLiveMs: 900_000 },
  autosave: {
    mode: 'where-used',
    bufferPercent: 60,
    contextPercent: 70,
    contextWindowTokens: 0,
    idleMs: 600_000,
    minIntervalMs: 300_000,
  },
  index: { refreshMs: 600_000 },
  scorer: { enabled: false },
  resume: { confirm: 'interactive' },
  store: { url: 'sqlite:', person: '' },
  outbox: { url: '' },
  safety: { probe: '' },
  redaction: { envFiles: true },
  checklist: { verifyOverMcp: [] },
  log: { level: 'info' },
}
