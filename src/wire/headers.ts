/** Header names in lower case, as Node gives them. No library is imported here, because the hook loads this file. */
export const HEADER = {
  /** The event's id, assigned at the first process; a second arrival is a no-op. */
  eventId: 'holdfast-event-id',
  /** UTC ISO time of arrival. */
  receivedAt: 'holdfast-received-at',
  /** The harness's process. */
  pid: 'holdfast-pid',
  /** How long the caller waits, from the moment it sends. */
  deadlineMs: 'holdfast-deadline-ms',
  /** Sent by our own clients (`launcher`, `hook`, `cli`); a harness that calls HTTP itself sends none. */
  client: 'holdfast-client',
  /** On a 503 to a hook: the event was not recorded and must be spooled; the body is still for the agent. */
  unkept: 'holdfast-unkept',
  /** MCP: the session of the caller, by its harness's own id. */
  sessionKey: 'holdfast-session-key',
  /** MCP: the harness of that id. */
  harness: 'holdfast-harness',
  /** MCP: where the harness runs, percent-encoded. */
  cwd: 'holdfast-cwd',
  /** MCP: `all` or `everyday`, where the entry that starts the server sets HOLDFAST_MCP_TOOLS. */
  tools: 'holdfast-tools',
  /** MCP: PIECES_DB_PATH of the entry that starts the server, percent-encoded: the daemon may run without it. */
  pieces: 'holdfast-pieces',
  /** The token in the dashboard's page, with which its scripts call the API. No other page can send it. */
  page: 'holdfast-page',
} as const
