/** What each setting is for, in a user's words. The generated page fails to build when one is missing. */
export const CONFIG_MEANINGS: Readonly<Record<string, string>> = {
  'continuity.enabled': 'Whether sessions are recorded and recovered at all.',
  'continuity.promptInterval': 'How many prompts until the next periodic checkpoint.',
  'continuity.timeIntervalMs':
    'How long until the next periodic checkpoint, if there was work. Prompts or time, whichever comes first.',
  'continuity.maxCheckpointsPerSession':
    'Maximum number of checkpoints of a session; the oldest periodic ones are deleted first. A project cannot set it.',
  'continuity.retentionDays':
    "How many days periodic checkpoints are stored, in all projects. A session's newest checkpoint and named ones stay. A project cannot set it, because the data is the user's.",
  'continuity.eventRetentionDays':
    'How many days events, injections and outcomes are stored. The log is pruned from its beginning, up to the first event of a session that is still in use. A project cannot set it.',
  'continuity.recoveryBudgetChars': 'Maximum length of a recovery, in characters.',
  'continuity.recoveryWindowMs':
    'Maximum age of a checkpoint of the same worktree for the recovery of a new session. A resumed session has no limit.',
  'continuity.debounceMs': 'How long a checkpoint waits for further events before it is composed.',
  'memory.inject': 'Whether memories may be injected before a prompt.',
  'memory.maxPerPrompt': 'Maximum number of memories injected before one prompt.',
  'memory.minCoverage': 'Minimum keyword overlap (0 to 1) between a prompt and a memory before the memory is injected.',
  'memory.embeddings':
    'Similarity in meaning for recall: the table of word vectors that ships with the package, or nothing. Read when the daemon starts.',
  'memory.failedApproaches':
    'Whether failed approaches are stored as memories and injected before the same command runs again ([failed-approaches.md](../failed-approaches.md)).',
  'loops.warn':
    'Whether agent and user are warned of a session that loops: the same thing failing repeatedly, or compactions without new work in between.',
  'loops.repeats':
    'How often the same command must fail the same way, with nothing edited in between, before the warning.',
  'index.refreshMs':
    'How often the daemon updates an index pair that `holdfast index` wrote, when the project changed and the machine is idle. It never updates a pair that git tracks, and never creates one. 0 switches it off.',
  'autosave.mode':
    'Whether Holdfast writes memory/checkpoints/autosave.md into a project automatically, when the context fills up, before a compaction, when the user says goodbye, after a long silence and at the end of a session: off, where-used (only where the project has a SESSION-STATE.md), or always.',
  'autosave.bufferPercent':
    'Share of the context window from which memory/working-buffer.md is written, where the project has one (with autosave.mode always: everywhere).',
  'autosave.contextPercent': 'Share of the context window at which autosave.md is written.',
  'autosave.contextWindowTokens':
    'Size of the context window in tokens; 0 uses what is known of the harness and its model.',
  'autosave.idleMs': 'How long a session with unfinished work must be silent before autosave.md is written.',
  'autosave.minIntervalMs': 'autosave.md is not written again while it is younger than this.',
  'daemon.port': 'The loopback port for browsers and scripts; 0 picks a free one at every start.',
  'daemon.idleExitMs': 'The daemon exits after this long without a live session or an open dashboard.',
  'daemon.assumeLiveMs': 'A session whose process is unknown counts as live until it has been silent for this long.',
  'scorer.enabled':
    'Accepted for compatibility; has no effect. It used to adjust the recovery by how often its lines were used ([outcomes.md](../outcomes.md)).',
  'resume.confirm': 'Whether an agent asks before it acts on a recovered next action.',
  'store.url':
    '`sqlite:` is the file in the home; `postgres://…` is a server. A store on a server belongs to the person who opens it first.',
  'store.person':
    'Your id in a PostgreSQL store that you use from several homes: the content of the file `person` in the first one. Empty: the id of this home. Only the user can set it, never a repository.',
  'outbox.url':
    'A webhook for the events of governed tasks: https://…, or http:// on this machine. Empty sends nothing. Only the user can set it, never a repository.',
  'safety.probe':
    'The probe that checks a governed session for signs of drift: empty for the local phrases, a command that gets the sample on stdin, or a URL to which it is posted. Only the user can set it, never a repository.',
  'redaction.envFiles':
    "Whether the values of a project's own env files are redacted too. A project can switch it on for itself.",
  'checklist.verifyOverMcp':
    'Commands that `mark_checklist_item` may run to verify an item, each compared as a whole line: `["npm test"]`. Empty: the tool runs nothing. They run in your shell, in the project, outside the harness\'s permissions. Effective only in the user\'s own `config.json`; read when the daemon starts.',
  'log.level': 'Minimum level of log lines.',
}
