/** What each setting is for, in a user's words. The generated page fails to build when one is missing. */
export const CONFIG_MEANINGS: Readonly<Record<string, string>> = {
  'continuity.enabled': 'Whether sessions are captured and recovered at all.',
  'continuity.promptInterval': 'How many prompts until the next periodic checkpoint.',
  'continuity.timeIntervalMs':
    'How long until the next periodic checkpoint, if there was work. Prompts or time, whichever comes first.',
  'continuity.maxCheckpointsPerSession': 'Kept per session; the oldest periodic ones go first.',
  'continuity.retentionDays': "How long periodic checkpoints are kept. A session's newest, and named ones, stay.",
  'continuity.eventRetentionDays':
    'How long events are kept, and the record of what agents were told. The log is pruned from its beginning, up to the first event of a session that is still in use.',
  'continuity.recoveryBudgetChars': 'The most that recovery may say to a starting session.',
  'continuity.recoveryWindowMs':
    'How old a checkpoint of the same worktree may be to speak to a new session. A resumed session has no limit.',
  'continuity.debounceMs': 'Composing a checkpoint waits this long for more of the same.',
  'memory.inject': 'Whether memories may be put before a prompt.',
  'memory.maxPerPrompt': 'At most this many memories before one prompt.',
  'memory.minCoverage': "The share of a prompt's terms that a memory must contain to be put before it.",
  'daemon.port': 'The loopback port for browsers and scripts; 0 picks a free one at every start.',
  'daemon.idleExitMs': 'The daemon ends after this long without a live session or an open dashboard.',
  'daemon.assumeLiveMs': 'A session whose process is unknown counts as live until it was silent for this long.',
  'resume.confirm': 'Whether an agent asks before it acts on a recovered next action.',
  'store.url': '`sqlite:` is the file in the home; `postgres://…` is a server.',
  'redaction.envFiles': "Whether the values of a project's own env files are redacted too.",
  'log.level': 'What the log holds.',
}
