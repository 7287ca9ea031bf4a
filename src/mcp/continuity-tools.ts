import type { Tool } from './tool/tool.ts'
import { addProjectKeyword } from './tools/continuity/add-project-keyword.ts'
import { completeSessionIntent } from './tools/continuity/complete-session-intent.ts'
import { getChecklist } from './tools/continuity/get-checklist.ts'
import { getEntityRegistry } from './tools/continuity/get-entity-registry.ts'
import { getRecentSessions } from './tools/continuity/get-recent-sessions.ts'
import { listProjects } from './tools/continuity/list-projects.ts'
import { markChecklistItem } from './tools/continuity/mark-checklist-item.ts'
import { recordSessionIntent } from './tools/continuity/record-session-intent.ts'
import { registerEntity } from './tools/continuity/register-entity.ts'
import { registerProject } from './tools/continuity/register-project.ts'
import { saveSessionSummary } from './tools/continuity/save-session-summary.ts'
import { searchHistory } from './tools/continuity/search-history.ts'
import { sessionBriefing } from './tools/continuity/session-briefing.ts'

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
