/** What each setting is for, in a user's words. The generated page fails to build when one is missing. */
export const CONFIG_MEANINGS: Readonly<Record<string, string>> = {
  'continuity.enabled': 'Whether sessions are captured and recovered at all.',
  'continuity.promptInterval': 'How many prompts until the next periodic checkpoint.',
  'continuity.timeIntervalMs':
    'How long until the next periodic checkpoint, if there was work. Prompts or time, whichever comes first.',
  'continuity.maxCheckpointsPerSession':
    'Kept per session; the oldest periodic ones go first. A project cannot set it.',
  'continuity.retentionDays':
    "How long periodic checkpoints are kept, in all projects. A session's newest, and named ones, stay. A project cannot set it: what is deleted is the user's.",
  'continuity.eventRetentionDays':
    'How long events are kept, and the record of what agents were told. The log is pruned from its beginning, up to the first event of a session that is still in use. A project cannot set it.',
  'continuity.recoveryBudgetChars': 'The most that recovery may say to a starting session.',
  'continuity.recoveryWindowMs':
    'How old a checkpoint of the same worktree may be to speak to a new session. A resumed session has no limit.',
  'continuity.debounceMs': 'Composing a checkpoint waits this long for more of the same.',
  'memory.inject': 'Whether memories may be put before a prompt.',
  'memory.maxPerPrompt': 'At most this many memories before one prompt.',
  'memory.minCoverage':
    'How much of a short prompt a memory must cover by its telling words, or a long prompt of it, to be put before it.',
  'memory.embeddings':
    'What recall knows of meaning beside words: the table of word vectors that ships with the package, or nothing. Read when the daemon starts.',
  'memory.failedApproaches':
    'Whether what was tried and failed is kept as memories, and told before the same command runs again (docs/negative-memory.md).',
  'loops.warn':
    'Whether agent and user are told of a session that goes round: the same thing failing again and again, or compactions with nothing new in between.',
  'loops.repeats':
    'How often the very same command must fail the same way, with nothing edited in between, to be told of.',
  'index.refreshMs':
    'How often the daemon makes an index pair anew that `holdfast index` wrote, once the project changed and the machine is quiet. Never one that git tracks, and never where there is none. 0 leaves it to the operator.',
  'autosave.mode':
    'Whether Holdfast writes memory/checkpoints/autosave.md into a project by itself, when the context fills up, before a compaction, at a farewell, after a long silence and at the end of a session: off, where-used (only where the project has a SESSION-STATE.md), or always.',
  'autosave.bufferPercent':
    'Share of the context window from which on memory/working-buffer.md is kept, where the project has one (with autosave.mode always: everywhere).',
  'autosave.contextPercent': 'Share of the context window at which autosave.md is written.',
  'autosave.contextWindowTokens': 'Tokens that fit into a context; 0 takes what is known of the harness and its model.',
  'autosave.idleMs': 'Silence of a session with work open, after which autosave.md is written.',
  'autosave.minIntervalMs': 'autosave.md is not written again while it is younger than this.',
  'daemon.port': 'The loopback port for browsers and scripts; 0 picks a free one at every start.',
  'daemon.idleExitMs': 'The daemon ends after this long without a live session or an open dashboard.',
  'daemon.assumeLiveMs': 'A session whose process is unknown counts as live until it was silent for this long.',
  'scorer.enabled':
    'Whether what was learnt of the use of what is shown ([receipt.md](../receipt.md)) moves what the next recovery shows. Off, because replayed on real sessions it does not help.',
  'resume.confirm': 'Whether an agent asks before it acts on a recovered next action.',
  'store.url':
    '`sqlite:` is the file in the home; `postgres://…` is a server. A store on a server belongs to the person who opens it first.',
  'store.person':
    'Who you are to a PostgreSQL store that you use from several homes: what the file `person` in the first one holds. Empty: the id that this home made. Only the user can set it, never a repository.',
  'outbox.url':
    'A webhook for the events of governed tasks: https://…, or http:// on this machine. Empty sends nothing. Only the user can set it, never a repository.',
  'safety.probe':
    'What looks at the end of a governed session for signs of drift: empty for the local phrases, a command that gets the sample on stdin, or an address it is posted to. Only the user can set it, never a repository.',
  'redaction.envFiles':
    "Whether the values of a project's own env files are redacted too. A project can switch it on for itself.",
  'checklist.verifyOverMcp':
    'Commands that `mark_checklist_item` may run to verify an item, each compared as a whole line: `["npm test"]`. Empty: the tool runs nothing. They run in your shell, in the project, outside of the harness\'s permissions. Counts only in the user\'s own `config.json`; read when the daemon starts.',
  'log.level': 'What the log holds.',
}
