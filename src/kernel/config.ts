import {
  choice,
  commands,
  decimal,
  flag,
  isLarger,
  isEarlierIn,
  isOff,
  isOn,
  isSmaller,
  isZero,
  type ConfigSetting,
  text,
  whole,
} from './setting.ts'

const DAY_MS = 86_400_000

/** `words`: the word vectors that ship with the package. `off`: full-text search only. */
const EMBEDDINGS_MODES = ['words', 'off'] as const
/** `where-used`: only if the project has a SESSION-STATE.md. */
const AUTOSAVE_MODES = ['off', 'where-used', 'always'] as const
/** From the most restrictive one. */
const REVIEW_MODES = ['inbox', 'off'] as const
/** From the most restrictive one. */
const CAPTURE_LEVELS = ['off', 'commands', 'full'] as const
const ACCEPT_MODES = ['automatic', 'ask'] as const
const RESUME_CONFIRMS = ['always', 'interactive', 'never'] as const

/** Matches the whole host: `localhost.example` is another machine. */
const THIS_MACHINE = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:[/?#]|$)`

/** Every setting, once: default, valid values, meaning, and who may set it. S1's continuity keys keep their names and defaults. */
const SETTINGS = {
  continuity: {
    enabled: flag(true, 'Whether sessions are recorded and recovered at all.', { tightens: isOff }),
    capture: choice(
      'full',
      CAPTURE_LEVELS,
      'Which parts of a session are stored: `full`; `commands`: commands, files and results, without the text of prompts, answers, plans and todos; `off`: nothing, as with `continuity.enabled: false`. The short name `capture` is accepted. What you or an agent store on purpose (memories, notes, named checkpoints) is stored with `commands` too ([library.md](../library.md)).',
      { tightens: isEarlierIn(CAPTURE_LEVELS) },
    ),
    promptInterval: whole(10, [1, 1_000], 'How many prompts until the next periodic checkpoint.'),
    timeIntervalMs: whole(
      900_000,
      [1_000, 7 * DAY_MS],
      'How long until the next periodic checkpoint, if there was work. Prompts or time, whichever comes first.',
    ),
    maxCheckpointsPerSession: whole(
      50,
      [1, 10_000],
      'Maximum number of checkpoints of a session; the oldest periodic ones are deleted first. A project cannot set it.',
      { isRetention: true },
    ),
    retentionDays: whole(
      7,
      [1, 36_500],
      "How many days checkpoints are stored, in all projects. A session's newest one, named ones and those of tasks stay. A project cannot set it, because the data is the user's.",
      { isRetention: true },
    ),
    eventRetentionDays: whole(
      30,
      [1, 36_500],
      'How many days events, injections and outcomes are stored. The log is pruned from its beginning, up to the first event of a session that is still in use. A project cannot set it.',
      { isRetention: true },
    ),
    // In JSON, quotes and newlines take two characters, and a hook's output over 9,500 characters is not printed at all.
    recoveryBudgetChars: whole(2_000, [200, 8_000], 'Maximum length of a recovery, in characters.', {
      tightens: isSmaller,
    }),
    recoveryWindowMs: whole(
      4 * 3_600_000,
      [0, 3_650 * DAY_MS],
      'How long earlier work in the same worktree counts as under way; after that its age comes first. `recoveryWindowDays` limits the age of what is recovered at all.',
      { tightens: isSmaller },
    ),
    recoveryWindowDays: whole(
      14,
      [0, 3_650],
      'How many days old work of the same worktree may be for the recovery of a new session. A resumed session has no limit.',
      { tightens: isSmaller },
    ),
    notifyUser: flag(
      true,
      'Whether the harness shows the user one line when a session starts with a recovery, where it can (Claude Code).',
      { tightens: isOff },
    ),
    debounceMs: whole(2_500, [0, 600_000], 'How long a checkpoint waits for further events before it is composed.'),
  },
  memory: {
    inject: flag(true, 'Whether memories may be injected before a prompt.', { tightens: isOff }),
    maxPerPrompt: whole(3, [0, 20], 'Maximum number of memories injected before one prompt.', { tightens: isSmaller }),
    startBudgetChars: whole(
      600,
      [0, 4_000],
      "Maximum characters of the user's rules and of the memories that every start gets: preferences, decisions, importance 7 and more. 0: none.",
      { tightens: isSmaller },
    ),
    minCoverage: decimal(
      0.7,
      [0, 1],
      'Minimum keyword overlap (0 to 1) between a prompt and a memory before the memory is injected.',
      { tightens: isLarger },
    ),
    embeddings: choice(
      'words',
      EMBEDDINGS_MODES,
      'Similarity in meaning for recall: the table of word vectors that ships with the package, or nothing. Read when the daemon starts.',
    ),
    review: choice(
      'off',
      REVIEW_MODES,
      'With `inbox`, what an agent proposes to remember waits until the user approves, rewords or rejects it (`holdfast memories review`).',
      { tightens: isEarlierIn(REVIEW_MODES) },
    ),
    failedApproaches: flag(
      true,
      'Whether failed approaches are stored as memories and injected before the same command runs again ([failed-approaches.md](../failed-approaches.md)).',
      { tightens: isOff },
    ),
  },
  archive: {
    enabled: flag(
      true,
      'Whether what is said and done in a project is added to the archive that `holdfast find` searches, and is found from other projects ([library.md](../library.md)).',
      { tightens: isOff },
    ),
    retentionDays: whole(
      730,
      [1, 36_500],
      'How many days the archive stores an entry. Events are deleted earlier (`continuity.eventRetentionDays`). A project cannot set it.',
      { isRetention: true },
    ),
    maxMegabytes: whole(
      500,
      [1, 1_000_000],
      'Maximum size of the text in the archive, in millions of characters; the oldest entries are deleted first. A project cannot set it.',
      { isRetention: true },
    ),
  },
  loops: {
    warn: flag(
      true,
      'Whether agent and user are warned of a session that loops: the same thing failing repeatedly, or compactions without new work in between.',
      { tightens: isOff },
    ),
    repeats: whole(
      3,
      [2, 100],
      'How often the same command must fail the same way, with nothing edited in between, before the warning.',
      { tightens: isLarger },
    ),
  },
  daemon: {
    port: whole(0, [0, 65_535], 'The loopback port for browsers and scripts; 0 picks a free one at every start.'),
    idleExitMs: whole(
      900_000,
      [1_000, 30 * DAY_MS],
      'The daemon exits after this long without a live session or an open dashboard.',
    ),
    assumeLiveMs: whole(
      900_000,
      [1_000, 30 * DAY_MS],
      'A session whose process is unknown counts as live until it has been silent for this long.',
    ),
  },
  autosave: {
    mode: choice(
      'where-used',
      AUTOSAVE_MODES,
      'Whether Holdfast writes memory/checkpoints/autosave.md into a project automatically, when the context fills up, before a compaction, when the user says goodbye, after a long silence and at the end of a session: off, where-used (only where the project has a SESSION-STATE.md), or always.',
      { tightens: isEarlierIn(AUTOSAVE_MODES) },
    ),
    bufferPercent: whole(
      60,
      [1, 100],
      'Share of the context window from which memory/working-buffer.md is written, where the project has one (with autosave.mode always: everywhere).',
    ),
    contextPercent: whole(70, [1, 100], 'Share of the context window at which autosave.md is written.'),
    contextWindowTokens: whole(
      0,
      [0, 100_000_000],
      'Size of the context window in tokens; 0 uses what is known of the harness and its model.',
    ),
    idleMs: whole(
      600_000,
      [60_000, 7 * DAY_MS],
      'How long a session with unfinished work must be silent before autosave.md is written.',
    ),
    minIntervalMs: whole(300_000, [0, 7 * DAY_MS], 'autosave.md is not written again while it is younger than this.'),
  },
  digest: {
    askPercent: whole(
      65,
      [0, 100],
      'Share of the context window at which the agent is asked, once, for a `session_digest` ([digest.md](../digest.md)); 0 never asks.',
      { tightens: isZero },
    ),
    askAfterCalls: whole(
      100,
      [0, 100_000],
      'Tool calls since the last digest after which the agent is asked for one; 0 never asks.',
      { tightens: isZero },
    ),
    command: text(
      '',
      [/^.{0,2000}$/s, 'empty, the name of a preset, or a program with its arguments'],
      "The program that writes a handoff from a redacted excerpt of the session: a preset (the client of a harness, or a server on this machine), or a program with its arguments, which runs without a shell ([digest.md](../digest.md)). Empty: none. Effective only in the user's own `config.json`; read when the daemon starts.",
      { isUserFileOnly: true },
    ),
    url: text(
      'http://127.0.0.1:11434/v1',
      [new RegExp(`^http://${THIS_MACHINE}`), 'a URL on this machine, such as http://127.0.0.1:11434/v1'],
      "The server of the preset `local`, which speaks the OpenAI protocol on this machine. Effective only in the user's own `config.json`.",
      { isUserFileOnly: true },
    ),
    model: text(
      '',
      [/^(?:$|[\w.:/@-]{1,200}$)/, 'empty, or the name of a model'],
      "The model that a preset asks for; empty uses the program's default, or the server's first model. Effective only in the user's own `config.json`.",
      { isUserFileOnly: true },
    ),
    timeoutMs: whole(120_000, [1_000, 600_000], 'How long that program may take.', { tightens: isSmaller }),
    maxRunsPerHour: whole(6, [0, 1_000], 'Maximum number of runs by the daemon in an hour, of all sessions together.', {
      tightens: isSmaller,
    }),
    maxRunsPerSession: whole(12, [0, 1_000], 'Maximum number of runs by the daemon for one session.', {
      tightens: isSmaller,
    }),
  },
  index: {
    refreshMs: whole(
      600_000,
      [0, 30 * DAY_MS],
      'How often the daemon updates an index pair that `holdfast index` wrote, when the project changed and the machine is idle. It never updates a pair that git tracks, and never creates one. 0 switches it off.',
      { tightens: isZero },
    ),
  },
  scorer: {
    enabled: flag(
      false,
      'Accepted for compatibility; has no effect. It used to adjust the recovery by how often its lines were used ([outcomes.md](../outcomes.md)).',
      { tightens: isOff },
    ),
  },
  resume: {
    confirm: choice(
      'interactive',
      RESUME_CONFIRMS,
      'Whether an agent asks before it acts on a recovered next action.',
      { tightens: isEarlierIn(RESUME_CONFIRMS) },
    ),
  },
  store: {
    url: text(
      'sqlite:',
      [/^(?:sqlite:|postgres:\/\/|postgresql:\/\/)/, 'a URL starting with sqlite: or postgres://'],
      '`sqlite:` is the file in the home; `postgres://…` is a server. A store on a server belongs to the person who opens it first.',
      { isAddress: true },
    ),
    person: text(
      '',
      [/^(?:$|[\w-]{8,64}$)/, 'empty, or the content of the file `person` in another home'],
      'Your id in a PostgreSQL store that you use from several homes: the content of the file `person` in the first one. Empty: the id of this home. Only the user can set it, never a repository.',
    ),
  },
  sync: {
    acceptMachines: choice(
      'automatic',
      ACCEPT_MODES,
      'How a new machine becomes a member of a space ([sync.md](../sync.md)): `automatic` trusts it when it is first seen, because only machines with access to the space can write to it; `ask` waits for `holdfast sync accept`. Only the user can set it, never a repository.',
      { isUserFileOnly: true },
    ),
    everyMs: whole(
      180_000,
      [1_000, DAY_MS],
      'How often the daemon exchanges records with each space while it runs, besides soon after a checkpoint. An unreachable space is tried less and less often, down to once an hour.',
      { isUserFileOnly: true },
    ),
  },
  outbox: {
    url: text(
      '',
      [
        new RegExp(`^(?:$|https://|http://${THIS_MACHINE})`),
        'empty, or a URL starting with https:// (http:// only on this machine)',
      ],
      'A webhook for the events of governed tasks: https://…, or http:// on this machine. Empty sends nothing. Only the user can set it, never a repository.',
      { isAddress: true },
    ),
  },
  tasks: {
    memoryUrl: text(
      '',
      [
        new RegExp(`^(?:$|https://|http://${THIS_MACHINE})`),
        'empty, or a URL starting with https:// (http:// only on this machine)',
      ],
      'A REST server to which the memories of governed tasks are copied; its key is in `LOCAL_MEMORY_API_KEY`. `LOCAL_MEMORY_BASE_URL` in a shell is used instead. Empty: only the store. Only the user can set it, never a repository.',
      { isAddress: true },
    ),
  },
  safety: {
    probe: text(
      '',
      [
        new RegExp(`^(?!http://(?!${THIS_MACHINE})).{0,2000}$`, 's'),
        'empty, a command, or a URL starting with https:// (http:// only on this machine)',
      ],
      'The probe that checks a governed session for signs of drift: empty for the local phrases, a command that gets the sample on stdin, or a URL to which it is posted. Only the user can set it, never a repository.',
      { isAddress: true },
    ),
  },
  redaction: {
    envFiles: flag(
      true,
      "Whether the values of a project's own env files are redacted too. A project can switch it on for itself.",
      { tightens: isOn },
    ),
  },
  checklist: {
    verifyOverMcp: commands(
      'Commands that `mark_checklist_item` may run to verify an item, each compared as a whole line: `["npm test"]`. Empty: the tool runs nothing. They run in your shell, in the project, outside the harness\'s permissions. Effective only in the user\'s own `config.json`; read when the daemon starts.',
      { isUserFileOnly: true },
    ),
  },
  mcp: {
    tools: choice(
      'auto',
      ['auto', 'everyday', 'all'],
      "Which MCP tools are listed: the six everyday ones, or all. `auto`: the everyday ones, unless `holdfast init --with` installed skills or instructions, which use all. `HOLDFAST_MCP_TOOLS` in a server's entry sets it for that entry. Read when the daemon starts.",
    ),
  },
  log: {
    level: choice('info', ['debug', 'info', 'warn', 'error'], 'Minimum level of log lines.'),
  },
} as const

type SettingValue<S> = S extends ConfigSetting<infer T> ? T : never
type Settings = typeof SETTINGS

export type Config = {
  readonly [Section in keyof Settings]: {
    readonly [Key in keyof Settings[Section]]: SettingValue<Settings[Section][Key]>
  }
}
export type CaptureLevel = Config['continuity']['capture']
export type MemoryConfig = Config['memory']
export type LoopConfig = Config['loops']
export type AutosaveConfig = Config['autosave']
export type DigestConfig = Config['digest']

/** By dotted key, in display order. */
export const SETTINGS_BY_KEY: ReadonlyMap<string, ConfigSetting<unknown>> = new Map(
  Object.entries(SETTINGS).flatMap(([section, settings]) =>
    Object.entries<ConfigSetting<unknown>>(settings).map(([key, setting]) => [`${section}.${key}`, setting]),
  ),
)

/** A setting by its short name: `capture` is `continuity.capture`. */
export function toSettingKey(name: string): string {
  return name === 'capture' ? 'continuity.capture' : name
}

function isConfig(value: Readonly<Record<string, Readonly<Record<string, unknown>>>>): value is Config {
  return [...SETTINGS_BY_KEY].every(([name, { rule }]) => {
    const [section = '', key = ''] = name.split('.')
    return rule.parse(value[section]?.[key]) !== undefined
  })
}

/** The configuration with these values, by dotted key; every other setting has its default. */
export function createConfig(values: ReadonlyMap<string, unknown> = new Map()): Config {
  const sections: Record<string, Record<string, unknown>> = {}
  for (const [name, { initial }] of SETTINGS_BY_KEY) {
    const [section = '', key = ''] = name.split('.')
    sections[section] = { ...sections[section], [key]: values.has(name) ? values.get(name) : initial }
  }
  if (!isConfig(sections)) throw new TypeError('A setting has a value that its rule does not accept.')
  return sections
}

export const DEFAULT_CONFIG: Config = createConfig()

/** Whether several homes can open it. */
export function isSharedStore({ url }: Pick<Config['store'], 'url'>): boolean {
  return !url.startsWith('sqlite:')
}
