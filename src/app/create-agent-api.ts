import type { MarkItemInput, VerifyItemInput } from '../kernel/agent-records.ts'
import type { LocalAgentDoor } from './agent-api.ts'
import { createBriefing } from '../agent-api/briefing/briefing.ts'
import { createEntities } from '../agent-api/entities/entities.ts'
import { createHistory, piecesTerms } from '../agent-api/search-history.ts'
import { createIntents } from '../agent-api/intents.ts'
import { createNamedCheckpoints, type NamedCheckpointDeps } from '../named-checkpoint/named-checkpoints.ts'
import { createProjects } from '../agent-api/projects.ts'
import { createSummaries } from '../agent-api/summaries/summaries.ts'

export function createAgentDoor(deps: NamedCheckpointDeps): LocalAgentDoor {
  const projects = createProjects(deps)
  const intents = createIntents(deps, projects)
  const entities = createEntities(deps, projects)
  const summaries = createSummaries(deps, projects)
  const history = createHistory(deps, projects)
  const { briefing } = createBriefing(deps, { ...intents, projects, summaries, entities })

  async function mark(
    { item, status, note, sessionLabel, ...ref }: MarkItemInput,
    verification?: VerifyItemInput['verification'],
  ) {
    const { rootPath, worktree } = await projects.resolveProject(ref)
    const redactor = await deps.redactors.forWorktree(worktree)
    return deps.checklists.mark(rootPath, {
      item,
      status,
      ...(note === undefined ? {} : { note: redactor.redact(note) }),
      ...(sessionLabel === undefined ? {} : { by: sessionLabel }),
      ...(verification === undefined ? {} : { verification }),
    })
  }

  return {
    ...projects,
    ...createNamedCheckpoints(deps, { projects, summaries }),
    recordIntent: intents.recordIntent,
    completeIntent: intents.completeIntent,
    listIntents: intents.listIntents,
    findConflicts: intents.findConflicts,
    ...history,
    briefing,
    registerEntity: entities.registerEntity,
    listEntities: entities.listEntities,
    forgetEntity: entities.forgetEntity,
    saveSummary: summaries.saveSummary,
    doubt: summaries.doubt,

    async recentSessions({ limit, ...ref }) {
      const project = await projects.resolveProject(ref)
      return {
        project,
        intents: await intents.listIntents({ ...ref, includeCompleted: true, limit }),
        summaries: await summaries.recent(project, limit),
        pieces: await deps.longTermMemory.recent(piecesTerms(project), limit),
      }
    },

    async readChecklist(ref) {
      const { rootPath } = await projects.resolveProject(ref)
      return deps.checklists.read(rootPath)
    },

    markItem: (input) => mark(input),
    verifyItem: ({ verification, ...input }) => mark({ ...input, status: 'verified' }, verification),

    async keepItemRecord({ record, ...ref }) {
      const { rootPath } = await projects.resolveProject(ref)
      await (await deps.checklists.evidence(rootPath)).record(record)
    },
    async listItemRecords(ref) {
      const { rootPath } = await projects.resolveProject(ref)
      return (await deps.checklists.evidence(rootPath)).list()
    },

    async setPhase({ sessionLabel, phase }) {
      await deps.store.keepPhase({ sessionLabel, phase, at: deps.clock.now() })
    },
    findPhase: (sessionLabel) => deps.store.findPhase(sessionLabel),
  }
}
