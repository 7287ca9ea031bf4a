import type { MarkItemInput, VerifyItemInput } from '../kernel/agent-records.ts'
import type { LocalAgentApi } from './agent-api.ts'
import { createBriefing } from '../agent-api/briefing/briefing.ts'
import { createEntities } from '../agent-api/entities/entities.ts'
import { createHistorySearch, getPiecesTerms } from '../agent-api/search-history.ts'
import { createIntents } from '../agent-api/intents.ts'
import { createNamedCheckpoints, type NamedCheckpointPorts } from '../named-checkpoint/named-checkpoints.ts'
import { createObservedEdits } from '../agent-api/observed-edits.ts'
import { createProjects } from '../agent-api/projects.ts'
import { createSummaries, isClaimedSummary, listUnsummarized } from '../agent-api/summaries/summaries.ts'

export function createAgentApi(ports: NamedCheckpointPorts): LocalAgentApi {
  const projects = createProjects(ports)
  const intents = createIntents(ports, projects)
  const entities = createEntities(ports, projects)
  const summaries = createSummaries(ports, projects)
  const history = createHistorySearch(ports, projects)
  const named = createNamedCheckpoints(ports, { projects, summaries })
  const { briefing } = createBriefing(ports, { ...intents, ...named, projects, summaries, entities })

  async function mark(
    { item, status, note, sessionLabel, ...ref }: MarkItemInput,
    verification?: VerifyItemInput['verification'],
  ) {
    const { rootPath, worktree } = await projects.resolveForWrite(ref)
    const redactor = await ports.redactors.forWorktree(worktree)
    return ports.checklists.mark(rootPath, {
      item,
      status,
      ...(note === undefined ? {} : { note: redactor.redact(note) }),
      ...(sessionLabel === undefined ? {} : { by: sessionLabel }),
      ...(verification === undefined ? {} : { verification }),
    })
  }

  return {
    ...projects,
    ...named,
    recordIntent: intents.recordIntent,
    completeIntent: intents.completeIntent,
    listIntents: intents.listIntents,
    findConflicts: intents.findConflicts,
    listObservedEdits: createObservedEdits(ports, projects),
    ...history,
    briefing,
    registerEntity: entities.registerEntity,
    listEntities: entities.listEntities,
    forgetEntity: entities.forgetEntity,
    saveSummary: summaries.saveSummary,
    checkClaims: summaries.checkClaims,

    async recentSessions({ limit, offset, ...ref }) {
      const project = await projects.resolveProject(ref)
      const checkpoints = await summaries.checkpoints(project)
      const saved = await summaries.recent(project, { limit, offset }, checkpoints)
      return {
        project,
        intents: await intents.listIntents({
          ...ref,
          includeCompleted: true,
          limit,
          ...(offset !== undefined && { offset }),
        }),
        summaries: saved,
        checkpoints: listUnsummarized(checkpoints, saved)
          .slice(0, limit)
          .map((one) => ({
            sessionKey: one.sessionKey,
            at: one.createdAt,
            summary: one.summary,
            ...(one.nextAction !== undefined && { nextAction: one.nextAction }),
            evidence: isClaimedSummary(one) ? 'claimed' : 'observed',
          })),
        pieces: await ports.longTermMemory.recent(getPiecesTerms(project), limit),
      }
    },

    async readChecklist(ref) {
      const { rootPath } = await projects.resolveProject(ref)
      return ports.checklists.read(rootPath)
    },

    markItem: (input) => mark(input),
    verifyItem: ({ verification, ...input }) => mark({ ...input, status: 'verified' }, verification),

    async saveItemRecord({ record, ...ref }) {
      const { rootPath } = await projects.resolveForWrite(ref)
      await (await ports.checklists.evidence(rootPath)).record(record)
    },
    async listItemRecords(ref) {
      const { rootPath } = await projects.resolveProject(ref)
      return (await ports.checklists.evidence(rootPath)).list()
    },

    async setPhase({ sessionLabel, phase }) {
      await ports.store.savePhase({ sessionLabel, phase, at: ports.clock.now() })
    },
    findPhase: (sessionLabel) => ports.store.findPhase(sessionLabel),
  }
}
