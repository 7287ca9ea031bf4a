/** Our MCP tools that only read, and those that store the work of the session in the store alone. */
const ALLOWED: ReadonlySet<string> = new Set([
  'recall',
  'find',
  'checkpoint_list',
  'checkpoint_resume',
  'session_briefing',
  'get_checklist',
  'get_recent_sessions',
  'get_entity_registry',
  'search_history',
  'list_projects',
  'task_status',
  'remember',
  'rules',
  'session_digest',
  'save_session_summary',
  'record_session_intent',
  'complete_session_intent',
  'register_entity',
])

/** Whether one of our MCP tools runs while a session is degraded to read-only; a new tool does not unless it is listed. */
export function runsWhileDegraded(tool: string): boolean {
  return ALLOWED.has(tool)
}
