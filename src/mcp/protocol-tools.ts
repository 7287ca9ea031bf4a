import type { Tool } from './tool.ts'
import { addProjectKeyword } from './tools/add-project-keyword.ts'
import { completeSessionIntent } from './tools/complete-session-intent.ts'
import { getChecklist } from './tools/get-checklist.ts'
import { getEntityRegistry } from './tools/get-entity-registry.ts'
import { getRecentSessions } from './tools/get-recent-sessions.ts'
import { listProjects } from './tools/list-projects.ts'
import { markChecklistItem } from './tools/mark-checklist-item.ts'
import { recordSessionIntent } from './tools/record-session-intent.ts'
import { registerEntity } from './tools/register-entity.ts'
import { registerProject } from './tools/register-project.ts'
import { saveSessionSummary } from './tools/save-session-summary.ts'
import { searchHistory } from './tools/search-history.ts'
import { sessionBriefing } from './tools/session-briefing.ts'

/** The session protocol: the thirteen tools that session-continuity-mcp has, by its names. */
export const protocolTools: readonly Tool[] = [
  sessionBriefing,
  saveSessionSummary,
  getChecklist,
  markChecklistItem,
  recordSessionIntent,
  completeSessionIntent,
  getRecentSessions,
  getEntityRegistry,
  registerEntity,
  searchHistory,
  registerProject,
  addProjectKeyword,
  listProjects,
]
