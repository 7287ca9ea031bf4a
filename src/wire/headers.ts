/** Header names as Node gives them: lower case. No library is imported here, so the hook may use it. */
export const HEADER = {
  /** The event's id, made where the payload entered; a second arrival is a no-op. */
  eventId: 'holdfast-event-id',
  /** UTC ISO time of entry. */
  receivedAt: 'holdfast-received-at',
  /** The harness's process. */
  pid: 'holdfast-pid',
  /** How long the caller goes on waiting, from the moment it sends. */
  deadlineMs: 'holdfast-deadline-ms',
  /** Named by our own clients (`launcher`, `hook`, `cli`); a harness that calls HTTP itself sends none. */
  client: 'holdfast-client',
  /** On a 503 to a hook: the event was not kept and wants spooling, and the body is for the agent all the same. */
  unkept: 'holdfast-unkept',
  /** MCP: the session that the caller is, by its harness's own id. */
  sessionKey: 'holdfast-session-key',
  /** MCP: whose id that is. */
  harness: 'holdfast-harness',
  /** MCP: where the harness runs, percent-encoded. */
  cwd: 'holdfast-cwd',
  /** The value that stands in the dashboard's page: what a script of the page calls the API with. No other page can send it. */
  page: 'holdfast-page',
} as const
