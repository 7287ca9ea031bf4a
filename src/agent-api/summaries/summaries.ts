import type { CheckedSummary, ResolvedProject, SessionSummary } from '../../kernel/agent-records.ts'
import type { Checkpoint } from '../../kernel/checkpoint.ts'
import { isLive, isOnThisMachine } from '../../kernel/ports/liveness.ts'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import { newestCheckpoints } from '../../kernel/ports/newest-first.ts'
import { datedId, EventId } from '../../kernel/id.ts'
import type { Redactor } from '../../kernel/ports/ports.ts'
import type { AgentUseCases } from '../use-cases.ts'
import type { Place } from '../../kernel/project.ts'
import { redactFields } from '../../redaction/redact-fields.ts'
import type { Session } from '../../kernel/session.ts'
import type { AgentDoorDeps } from '../deps.ts'
import { createDoubts } from './claim-check.ts'
import { normalisedFiles } from '../intents.ts'
import type { Projects } from '../projects.ts'
import { findSessionByLabel } from '../session-liveness.ts'

const MAX_SUMMARY_CHARS = 40_000
const MAX_ENTRIES = 200
const CHECKPOINTS_LOOKED_AT = 20
const SESSIONS_BROUGHT_UP = 3
const ENTITIES_LOOKED_AT = 2_000

export interface Summaries extends Pick<AgentUseCases, 'saveSummary' | 'doubt'> {
  /** Newest first, each with what is doubted about it now. */
  recent(project: ResolvedProject, limit: number, known?: readonly Checkpoint[]): Promise<readonly CheckedSummary[]>
  /** Keeps it, and tells what is doubted about it already now. */
  keep(summary: SessionSummary, project: ResolvedProject): Promise<CheckedSummary>
  /** Of the project's worktree, newest first; a session that died has its last one. */
  checkpoints(project: ResolvedProject): Promise<readonly Checkpoint[]>
}

type SummaryInput = Parameters<AgentUseCases['saveSummary']>[0]

/** Read together: a key may be split over the fields, and they have no order that a caller has to keep. */
function cleanInput(input: SummaryInput, redactor: Redactor) {
  const { summary, filesChanged = [], entitiesRegistered = [], checklistProgress = {}, outcome } = input
  return redactFields(
    redactor,
    (field) => {
      const clean = (text: string, column?: string) => field(text.toWellFormed(), column)
      return {
        summary: clean(summary),
        filesChanged: filesChanged.map((path) => clean(path, 'files')),
        entitiesRegistered: entitiesRegistered.slice(0, MAX_ENTRIES).map((name) => clean(name, 'entities')),
        checklistProgress: Object.fromEntries(
          Object.entries(checklistProgress)
            .slice(0, MAX_ENTRIES)
            .map(([item, status]) => [clean(item, 'items'), clean(status, 'statuses')]),
        ),
        ...(outcome !== undefined && { outcome: clean(outcome) }),
      }
    },
    { isAnyOrder: true },
  )
}

export function createSummaries(deps: AgentDoorDeps, projects: Pick<Projects, 'resolveProject'>): Summaries {
  const doubted = createDoubts(deps)

  /** What a killed session did after its last checkpoint is durable as events, and must be weighed too. */
  async function bringDeadUpToDate({ projectId, worktree }: Place): Promise<void> {
    const { daemon } = await deps.configFor(worktree)
    const sessions = await deps.store.listSessions({ projectId, worktree, limit: SESSIONS_BROUGHT_UP })
    for (const session of sessions) {
      if (!session.hasNewWork || !isOnThisMachine(session, deps)) continue
      if (isLive(session, deps, daemon.assumeLiveMs)) continue
      await deps.continuity.bringUpToDate(session).catch((error: unknown) => {
        // The older checkpoints still speak; a briefing without the newest is better than none.
        deps.log.warn('checkpoint of a dead session not composed', { session: session.id, error: messageOf(error) })
      })
    }
  }

  async function checkpoints(project: ResolvedProject): Promise<readonly Checkpoint[]> {
    // A registered folder may hold several repositories: the worktree's own project has its checkpoints.
    const place = await deps.places.locate(project.worktree)
    await bringDeadUpToDate(place)
    const { projectId, worktree } = place
    const stored = await newestCheckpoints(deps.store, { projectId, worktree, limit: CHECKPOINTS_LOOKED_AT })
    return stored.map(({ checkpoint }) => checkpoint)
  }

  async function check(
    summaries: readonly SessionSummary[],
    project: ResolvedProject,
    known?: readonly Checkpoint[],
  ): Promise<readonly CheckedSummary[]> {
    if (summaries.length === 0) return []
    const { projectId } = project
    const entities = await deps.store.listEntities({ projectId, limit: ENTITIES_LOOKED_AT })
    return doubted(summaries, {
      project,
      checkpoints: known ?? (await checkpoints(project)),
      checklist: await deps.checklists.read(project.rootPath),
      entityNames: new Set(entities.map((entity) => entity.name)),
    })
  }

  /** Also an event of the session that said it: so it becomes a checkpoint, and recovery tells it first. */
  async function recordDigest(summary: SessionSummary, session: Session, cwd: string): Promise<void> {
    await deps.continuity
      .record({
        kind: 'digest-written',
        id: EventId(`${summary.id}/digest`),
        harness: session.harness,
        sessionKey: session.key,
        at: summary.savedAt,
        door: 'api',
        cwd,
        summary: summary.summary,
      })
      .catch((error: unknown) => {
        // The summary itself is durable, and that is what was asked for.
        deps.log.warn('summary not recorded as an event', { summary: summary.id, error: messageOf(error) })
      })
  }

  async function keep(summary: SessionSummary, project: ResolvedProject): Promise<CheckedSummary> {
    await deps.store.keepSummary(summary)
    const [checked] = await check([summary], project)
    return checked ?? { ...summary, doubts: [] }
  }

  return {
    checkpoints,
    keep,

    async recent(project, limit, known) {
      return check(await deps.store.listSummaries({ projectId: project.projectId, limit }), project, known)
    },

    async doubt({ text, sessionId, ...ref }) {
      const project = await projects.resolveProject(ref)
      const words: SessionSummary = {
        id: '',
        projectId: project.projectId,
        worktree: project.worktree,
        ...(sessionId === undefined ? {} : { sessionId }),
        summary: text,
        filesChanged: [],
        entitiesRegistered: [],
        checklistProgress: {},
        savedAt: deps.clock.now(),
      }
      return (await check([words], project)).flatMap(({ doubts }) => doubts)
    },

    async saveSummary(input) {
      const project = await projects.resolveProject(input)
      const redactor = await deps.redactors.forWorktree(project.worktree)
      const clean = cleanInput(input, redactor)
      const text = clean.summary
      if (text.trim() === '' || text.length > MAX_SUMMARY_CHARS) {
        throw new HoldfastError(
          'invalid-input',
          `A summary has 1 to ${MAX_SUMMARY_CHARS} characters; this one has ${text.length}.`,
        )
      }
      const savedAt = deps.clock.now()
      const label = input.sessionLabel?.trim() || undefined
      const session = label === undefined ? undefined : await findSessionByLabel(deps, label, input.harness)
      const summary: SessionSummary = {
        id: datedId('summary', savedAt, deps.entropy.bytes(10)),
        projectId: project.projectId,
        worktree: project.worktree,
        ...(label === undefined ? {} : { sessionLabel: label }),
        ...(session === undefined ? {} : { sessionId: session.id }),
        summary: text,
        filesChanged: normalisedFiles(clean.filesChanged, {
          worktree: project.worktree,
          from: input.cwd ?? project.rootPath,
        }),
        entitiesRegistered: clean.entitiesRegistered,
        checklistProgress: clean.checklistProgress,
        savedAt,
      }
      // The order is the promise: whatever breaks after this line, the summary is safe.
      await deps.store.keepSummary(summary)
      if (session !== undefined) await recordDigest(summary, session, input.cwd ?? project.worktree)
      const completedIntents =
        clean.outcome === undefined || label === undefined
          ? 0
          : await deps.store.completeIntents({
              projectId: project.projectId,
              sessionLabel: label,
              completedAt: deps.clock.now(),
              outcome: clean.outcome,
            })
      const [checked] = await check([summary], project)
      return { project, summary: checked ?? { ...summary, doubts: [] }, completedIntents }
    },
  }
}
