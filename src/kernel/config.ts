/** S1's continuity keys keep their names and defaults. */
export interface ContinuityConfig {
  readonly enabled: boolean
  readonly promptInterval: number
  readonly timeIntervalMs: number
  readonly maxCheckpointsPerSession: number
  readonly retentionDays: number
  /** How long events are kept, and what is only of use together with them. Checkpoints have their own days. */
  readonly eventRetentionDays: number
  readonly recoveryBudgetChars: number
  /** How old a checkpoint of the same worktree may be to speak to a new session; lineage has no limit. */
  readonly recoveryWindowMs: number
  /** Composing waits this long for more of the same, then takes the latest state. */
  readonly debounceMs: number
}

/** `words`: the table of word vectors that ships with the package. `off`: full text alone. */
export const EMBEDDINGS_MODES = ['words', 'off'] as const
export type EmbeddingsMode = (typeof EMBEDDINGS_MODES)[number]

export interface MemoryConfig {
  /** Whether memories may be put before a prompt at all. */
  readonly inject: boolean
  readonly maxPerPrompt: number
  /** How much of a short prompt a memory must cover, or a long prompt of it, by their telling words: 0 to 1. */
  readonly minCoverage: number
  /** What recall knows of meaning beside words. */
  readonly embeddings: EmbeddingsMode
  /** Whether what was tried and failed is kept, and told before it is tried again. */
  readonly failedApproaches: boolean
}

/** Sessions that do the same again and get the same. */
export interface LoopConfig {
  /** Whether agent and user are told. */
  readonly warn: boolean
  /** How often the very same command must fail the same way, with nothing edited in between. */
  readonly repeats: number
}

export interface DaemonConfig {
  /** 0 picks a free port at every start. */
  readonly port: number
  readonly idleExitMs: number
  /** A session of unknown process is taken for live until silent this long. */
  readonly assumeLiveMs: number
}

/** `where-used`: only where the project has a SESSION-STATE.md already. `always`: in every project, from what was seen. */
export const AUTOSAVE_MODES = ['off', 'where-used', 'always'] as const
export type AutosaveMode = (typeof AUTOSAVE_MODES)[number]

/** Saving into the project without being asked, as S3 has it. */
export interface AutosaveConfig {
  readonly mode: AutosaveMode
  /** Share of the context window at which `memory/working-buffer.md` begins. */
  readonly bufferPercent: number
  /** Share of the context window at which `autosave.md` is written. */
  readonly contextPercent: number
  /** Tokens that fit into a context; 0 leaves it to what is known of the harness and its model. */
  readonly contextWindowTokens: number
  /** Silence of a session, with work open, after which it is written. */
  readonly idleMs: number
  /** None is written when the last one is younger. */
  readonly minIntervalMs: number
}

export interface IndexConfig {
  /** How often a pair that `holdfast index` wrote is made anew when its project changed; 0 leaves that to the operator. */
  readonly refreshMs: number
}

export interface StoreConfig {
  /** `sqlite:` (the file in the home) or `postgres://…`. */
  readonly url: string
  /** Who this home is of, where another home's person is meant; empty: the one that the home made for itself. Never from a repository's file. */
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
  /** Whether what was learnt of the use of what is shown moves what is shown next. */
  readonly scorer: { readonly enabled: boolean }
  readonly resume: { readonly confirm: ResumeConfirm }
  readonly store: StoreConfig
  /** Where events of governed tasks go; empty: nowhere. Never from a repository's file: it would be told what others do. */
  readonly outbox: { readonly url: string }
  /** What looks at the end of a task's session: empty for the local probe, else a command or an address. Never from a repository's file. */
  readonly safety: { readonly probe: string }
  /** Read the project's env files for values to redact. */
  readonly redaction: { readonly envFiles: boolean }
  /** Shell lines that an agent may have run by `mark_checklist_item`, each compared as a whole. Only from the user's own file. */
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
