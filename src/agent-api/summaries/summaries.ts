import type { CheckedSummary, ResolvedProject, SessionSummary } from '../../kernel/agent-records.ts'
import type { Checkpoint } from '../../kernel/checkpoint.ts'
import { isLive, isOnThisMachine } from '../../kernel/ports/liveness.ts'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import { listNewestCheckpoints } from '../../kernel/ports/newest-first.ts'
import { datedId, EventId } from '../../kernel/id.ts'
import type { Redactor } from '../../kernel/ports/ports.ts'
import type { AgentUseCases } from '../use-cases.ts'
import type { Location } from '../../kernel/location.ts'
import { redactFields } from '../../redaction/redact-fields.ts'
import type { Session } from '../../kernel/session.ts'
import type { AgentApiPorts } from '../ports.ts'
import { createClaimCheck } from './claim-check.ts'
import { normalizeFiles } from '../intents.ts'
import type { Projects } from '../projects.ts'
import { findSessionByLabel } from '../find-session.ts'

const MAX_SUMMARY_CHARS = 40_000
const MAX_ENTRIES = 200
const MAX_CHECKPOINTS = 20
const MAX_DEAD_SESSIONS = 3
const MAX_ENTITIES = 2_000

export interface Summaries extends Pick<AgentUseCases, 'saveSummary' | 'checkClaims'> {
  /** Newest first, each with its refuted claims. */
  recent(
    project: ResolvedProject,
    page: { readonly limit: number; readonly offset?: number | undefined },
    known?: readonly Checkpoint[],
  ): Promise<readonly CheckedSummary[]>
  /** Stores it, and returns it with its refuted claims. */
  save(summary: SessionSummary, project: ResolvedProject): Promise<CheckedSummary>
  /** Of the project's worktree, newest first, including the last one of a session that died. */
  checkpoints(project: ResolvedProject): Promise<readonly Checkpoint[]>
}

type SummaryInput = Parameters<AgentUseCases['saveSummary']>[0]

/** Redacts the fields together, in any order: a key may be split over them. */
function redactInput(input: SummaryInput, redactor: Redactor) {
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

/** The newest checkpoint of each session without a summary, newest first. */
export function listUnsummarized(
  checkpoints: readonly Checkpoint[],
  summaries: readonly Pick<CheckedSummary, 'sessionId'>[],
): readonly Checkpoint[] {
  const summarized = new Set(summaries.map((summary) => summary.sessionId))
  const newest = new Map(checkpoints.toReversed().map((one) => [one.sessionId, one]))
  return [...newest.values()].toReversed().filter((one) => !summarized.has(one.sessionId))
}

/** Whether the checkpoint's summary repeats what an agent wrote, which nothing has confirmed. */
export function isClaimedSummary({ summary, written }: Pick<Checkpoint, 'summary' | 'written'>): boolean {
  return written !== undefined && written.summary.includes(summary.replace(/…$/, '').slice(0, 60))
}

export function createSummaries(
  deps: AgentApiPorts,
  projects: Pick<Projects, 'resolveProject' | 'resolveForWrite'>,
): Summaries {
  const checkSummaries = createClaimCheck(deps)

  /** Includes what a killed session did after its last checkpoint. */
  async function bringDeadUpToDate({ projectId, worktree }: Location): Promise<void> {
    const { daemon } = await deps.configFor(worktree)
    const sessions = await deps.store.listSessions({ projectId, worktree, limit: MAX_DEAD_SESSIONS })
    for (const session of sessions) {
      if (!session.hasNewWork || !isOnThisMachine(session, deps)) continue
      if (isLive(session, deps, daemon.assumeLiveMs)) continue
      await deps.continuity.bringUpToDate(session).catch((error: unknown) => {
        // A briefing without the newest checkpoint is better than none.
        deps.log.warn('checkpoint of a dead session not composed', {
          session: session.id,
          error: getErrorMessage(error),
        })
      })
    }
  }

  async function checkpoints(project: ResolvedProject): Promise<readonly Checkpoint[]> {
    // A registered folder may contain several repositories: checkpoints belong to the worktree's own project.
    const place = await deps.locator.locate(project.worktree)
    await bringDeadUpToDate(place)
    const { projectId, worktree } = place
    const stored = await listNewestCheckpoints(deps.store, { projectId, worktree, limit: MAX_CHECKPOINTS })
    return stored.map(({ checkpoint }) => checkpoint)
  }

  async function check(
    summaries: readonly SessionSummary[],
    project: ResolvedProject,
    known?: readonly Checkpoint[],
  ): Promise<readonly CheckedSummary[]> {
    if (summaries.length === 0) return []
    const { projectId } = project
    const entities = await deps.store.listEntities({ projectId, limit: MAX_ENTITIES })
    return checkSummaries(summaries, {
      project,
      checkpoints: known ?? (await checkpoints(project)),
      checklist: await deps.checklists.read(project.rootPath),
      entityNames: new Set(entities.map((entity) => entity.name)),
    })
  }

  /** Recorded as an event, it becomes part of a checkpoint, which recovery renders first. */
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
      // The claims are compared with what was observed up to now, not up to the last checkpoint.
      .then(() => deps.continuity.checkpoint(session.id, 'agent'))
      .catch((error: unknown) => {
        // The summary itself is stored.
        deps.log.warn('summary not recorded as an event', { summary: summary.id, error: getErrorMessage(error) })
      })
  }

  async function save(summary: SessionSummary, project: ResolvedProject): Promise<CheckedSummary> {
    await deps.store.saveSummary(summary)
    const [checked] = await check([summary], project)
    return checked ?? { ...summary, doubts: [] }
  }

  return {
    checkpoints,
    save: save,

    async recent(project, page, known) {
      return check(await deps.store.listSummaries({ projectId: project.projectId, ...page }), project, known)
    },

    async checkClaims({ text, sessionId, ...ref }) {
      const project = await projects.resolveProject(ref)
      const draft: SessionSummary = {
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
      return (await check([draft], project)).flatMap(({ doubts }) => doubts)
    },

    async saveSummary(input) {
      const project = await projects.resolveForWrite(input)
      const redactor = await deps.redactors.forWorktree(project.worktree)
      const clean = redactInput(input, redactor)
      const text = clean.summary
      if (text.trim() === '' || text.length > MAX_SUMMARY_CHARS) {
        throw new HoldfastError(
          'invalid-input',
          `A summary must have 1 to ${MAX_SUMMARY_CHARS} characters; this one has ${text.length}.`,
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
        filesChanged: normalizeFiles(clean.filesChanged, {
          worktree: project.worktree,
          from: input.cwd ?? project.rootPath,
        }),
        entitiesRegistered: clean.entitiesRegistered,
        checklistProgress: clean.checklistProgress,
        savedAt,
      }
      // First: whatever fails after this line, the summary is stored.
      await deps.store.saveSummary(summary)
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
