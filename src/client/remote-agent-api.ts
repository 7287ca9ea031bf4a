import type { AgentDoor } from '../app/agent-api.ts'
import { ROUTES } from '../api/route-table.ts'
import { ensureDaemon } from './daemon-process.ts'
import { createCall } from './remote-call.ts'
import type { RemoteContinuityOptions } from './remote-continuity.ts'

const said = (flag: boolean | undefined) => (flag === undefined ? undefined : String(flag))

/** The use cases of the agent's door over the daemon's socket. */
export function createRemoteAgentDoor({ home, env, script, timeoutMs = 30_000 }: RemoteContinuityOptions): AgentDoor {
  const call = createCall({ home, ensure: () => ensureDaemon({ home, env, script }), timeoutMs })

  return {
    registerProject: async (input) => (await call(ROUTES.registerProject, { body: input })).project,
    listProjects: async () => (await call(ROUTES.listRegisteredProjects)).projects,
    addProjectKeyword: async (input) => (await call(ROUTES.addProjectKeyword, { body: input })).project,
    resolveProject: async (ref) => (await call(ROUTES.resolveProject, { query: { ...ref } })).project,

    recordIntent: (input) => call(ROUTES.recordIntent, { body: input }),
    completeIntent: (input) => call(ROUTES.completeIntent, { body: input }),
    listIntents: async ({ includeCompleted, ...rest }) =>
      (await call(ROUTES.listIntents, { query: { ...rest, includeCompleted: said(includeCompleted) } })).intents,
    findConflicts: async (input) => (await call(ROUTES.findConflicts, { body: input })).conflicts,

    registerEntity: async (input) => (await call(ROUTES.registerEntity, { body: input })).entity,
    listEntities: async (input) => (await call(ROUTES.listEntities, { query: { ...input } })).entities,
    forgetEntity: async (input) => (await call(ROUTES.forgetEntity, { query: { ...input } })).forgotten,

    saveSummary: (input) => call(ROUTES.saveSummary, { body: input }),
    doubt: async (input) => (await call(ROUTES.doubt, { body: input })).doubts,
    recentSessions: (input) => call(ROUTES.recentSessions, { query: { ...input } }),
    searchHistory: async ({ text, ...rest }) =>
      (await call(ROUTES.searchHistory, { query: { q: text, ...rest } })).hits,

    readChecklist: async (ref) => (await call(ROUTES.readChecklist, { query: { ...ref } })).checklist,
    markItem: async (input) => (await call(ROUTES.markItem, { body: input })).item,

    async keepItemRecord(input) {
      await call(ROUTES.keepItemRecord, { body: input })
    },
    listItemRecords: async (ref) => (await call(ROUTES.listItemRecords, { query: { ...ref } })).records,

    saveNamed: (input) => call(ROUTES.saveNamed, { body: input }),
    listNamed: async (ref) => (await call(ROUTES.listNamed, { query: { ...ref } })).checkpoints,
    resumeNamed: (input) => call(ROUTES.resumeNamed, { query: { ...input } }),
    deleteNamed: (input) => call(ROUTES.deleteNamed, { query: { ...input } }),
    autosave: (input) => call(ROUTES.autosave, { body: input }),

    briefing: async ({ afterCompaction, ...rest }) =>
      (await call(ROUTES.briefing, { query: { ...rest, afterCompaction: said(afterCompaction) } })).briefing,
    async setPhase(input) {
      await call(ROUTES.setPhase, { body: input })
    },
    findPhase: async (sessionLabel) => (await call(ROUTES.findPhase, { params: { sessionLabel } })).phase,
  }
}
