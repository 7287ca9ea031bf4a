import type { AgentDoor } from '../../app/agent-api.ts'
import { ROUTES } from '../../api/route-table.ts'
import { bind } from '../http/bind.ts'

export function agentDoorRoutes(door: AgentDoor) {
  return {
    briefing: bind(ROUTES.briefing, async ({ query }) => ({ briefing: await door.briefing(query) })),

    listRegisteredProjects: bind(ROUTES.listRegisteredProjects, async () => ({ projects: await door.listProjects() })),
    registerProject: bind(ROUTES.registerProject, async ({ body }) => ({ project: await door.registerProject(body) })),
    addProjectKeyword: bind(ROUTES.addProjectKeyword, async ({ body }) => ({
      project: await door.addProjectKeyword(body),
    })),
    resolveProject: bind(ROUTES.resolveProject, async ({ query }) => ({ project: await door.resolveProject(query) })),

    listIntents: bind(ROUTES.listIntents, async ({ query }) => ({ intents: await door.listIntents(query) })),
    recordIntent: bind(ROUTES.recordIntent, ({ body }) => door.recordIntent(body)),
    completeIntent: bind(ROUTES.completeIntent, ({ body }) => door.completeIntent(body)),
    findConflicts: bind(ROUTES.findConflicts, async ({ body }) => ({ conflicts: await door.findConflicts(body) })),

    listEntities: bind(ROUTES.listEntities, async ({ query }) => ({ entities: await door.listEntities(query) })),
    forgetEntity: bind(ROUTES.forgetEntity, async ({ query }) => ({ forgotten: await door.forgetEntity(query) })),
    registerEntity: bind(ROUTES.registerEntity, async ({ body }) => ({ entity: await door.registerEntity(body) })),

    saveSummary: bind(ROUTES.saveSummary, ({ body }) => door.saveSummary(body)),
    doubt: bind(ROUTES.doubt, async ({ body }) => ({ doubts: await door.doubt(body) })),
    recentSessions: bind(ROUTES.recentSessions, ({ query }) => door.recentSessions(query)),
    searchHistory: bind(ROUTES.searchHistory, async ({ query }) => ({ hits: await door.searchHistory(query) })),

    readChecklist: bind(ROUTES.readChecklist, async ({ query }) => {
      const checklist = await door.readChecklist(query)
      return checklist === undefined ? {} : { checklist }
    }),
    markItem: bind(ROUTES.markItem, async ({ body }) => ({ item: await door.markItem(body) })),

    keepItemRecord: bind(ROUTES.keepItemRecord, async ({ body }) => {
      await door.keepItemRecord(body)
      return { ok: true }
    }),
    listItemRecords: bind(ROUTES.listItemRecords, async ({ query }) => ({
      records: await door.listItemRecords(query),
    })),

    listNamed: bind(ROUTES.listNamed, async ({ query }) => ({ checkpoints: await door.listNamed(query) })),
    saveNamed: bind(ROUTES.saveNamed, ({ body }) => door.saveNamed(body)),
    resumeNamed: bind(ROUTES.resumeNamed, ({ query }) => door.resumeNamed(query)),
    deleteNamed: bind(ROUTES.deleteNamed, ({ query }) => door.deleteNamed(query)),
    autosave: bind(ROUTES.autosave, ({ body }) => door.autosave(body)),

    setPhase: bind(ROUTES.setPhase, async ({ body }) => {
      await door.setPhase(body)
      return { ok: true }
    }),
    findPhase: bind(ROUTES.findPhase, async ({ params }) => {
      const phase = await door.findPhase(params.sessionLabel)
      return phase === undefined ? {} : { phase }
    }),
  }
}
