import type { Intent, IntentConflict, ResolvedProject } from '../kernel/agent-records.ts'
import type { AgentUseCases } from './use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { datedId, type SessionId } from '../kernel/id.ts'
import { relativePath } from '../kernel/paths/paths.ts'
import type { AgentDoorDeps } from './deps.ts'
import { patternsMeet } from '../kernel/paths/path-pattern.ts'
import type { Projects } from './projects.ts'
import { createStandings, findSessionByLabel } from './session-liveness.ts'

const MAX_TEXT_CHARS = 4_000
const MAX_FILES = 200
const MAX_OPEN = 200
const OF_ONE_SESSION = 100

export interface Intents
  extends Pick<AgentUseCases, 'recordIntent' | 'completeIntent' | 'listIntents' | 'findConflicts'> {
  /** `files` are normalised already. */
  conflictsOf(project: ResolvedProject, files: readonly string[], self: Self): Promise<readonly IntentConflict[]>
}

/** Worktree-relative, each once; what is no path is left out. */
export function normalisedFiles(
  files: readonly string[],
  { worktree, from }: { worktree: string; from: string },
): readonly string[] {
  const normal = files.flatMap((file) => relativePath(file.toWellFormed(), { worktree, cwd: from }) ?? [])
  return [...new Set(normal)].slice(0, MAX_FILES)
}

interface Self {
  readonly sessionLabel?: string
  readonly sessionId?: SessionId
}

export function createIntents(deps: AgentDoorDeps, projects: Pick<Projects, 'resolveProject'>): Intents {
  const withStanding = createStandings(deps)

  async function conflictsOf(
    project: ResolvedProject,
    files: readonly string[],
    self: Self,
  ): Promise<readonly IntentConflict[]> {
    if (files.length === 0) return []
    const open = await deps.store.listIntents({ projectId: project.projectId, isOpen: true, limit: MAX_OPEN })
    const others = open.filter(
      (intent) =>
        intent.sessionLabel !== self.sessionLabel &&
        (intent.sessionId === undefined || intent.sessionId !== self.sessionId),
    )
    const meeting = others.flatMap((intent) => {
      const shared = intent.files.filter((theirs) => files.some((ours) => patternsMeet(theirs, ours)))
      return shared.length === 0 ? [] : [{ intent, files: shared }]
    })
    const standing = await withStanding(meeting.map(({ intent }) => intent))
    return standing.flatMap((intent, index) =>
      intent.standing === 'dead'
        ? []
        : [{ intent, files: meeting[index]?.files ?? [], isSameWorktree: intent.worktree === project.worktree }],
    )
  }

  return {
    conflictsOf,

    async recordIntent(input) {
      const project = await projects.resolveProject(input)
      const redactor = await deps.redactors.forWorktree(project.worktree)
      const text = redactor.redact(input.intent.toWellFormed().trim())
      if (text === '' || text.length > MAX_TEXT_CHARS) {
        throw new HoldfastError(
          'invalid-input',
          `An intent has 1 to ${MAX_TEXT_CHARS} characters; this one has ${text.length}.`,
        )
      }
      const startedAt = deps.clock.now()
      const label = input.sessionLabel?.trim()
      const session =
        label === undefined || label === '' ? undefined : await findSessionByLabel(deps, label, input.harness)
      const intent: Intent = {
        id: datedId('intent', startedAt, deps.entropy.bytes(10)),
        projectId: project.projectId,
        worktree: project.worktree,
        sessionLabel: label || datedId('session', startedAt, deps.entropy.bytes(10)),
        ...(session === undefined ? {} : { sessionId: session.id }),
        intent: text,
        files: normalisedFiles(redactor.redactAll(input.files ?? []), {
          worktree: project.worktree,
          from: input.cwd ?? project.rootPath,
        }),
        startedAt,
      }
      await deps.store.keepIntent(intent)
      return { project, intent, conflicts: await conflictsOf(project, intent.files, intent) }
    },

    async completeIntent({ sessionLabel, outcome, ...ref }) {
      const project = await projects.resolveProject(ref)
      const redactor = await deps.redactors.forWorktree(project.worktree)
      const { projectId } = project
      const completedNow = await deps.store.completeIntents({
        projectId,
        sessionLabel,
        completedAt: deps.clock.now(),
        ...(outcome === undefined ? {} : { outcome: redactor.redact(outcome.toWellFormed()) }),
      })
      const intents = await deps.store.listIntents({ projectId, sessionLabel, limit: OF_ONE_SESSION })
      if (intents.length > 0) return { project, intents, completedNow }
      throw new HoldfastError('not-found', `Session "${sessionLabel}" has recorded no intent in ${project.name}.`, {
        hint: 'Record what was done with record_session_intent first, under the same session id, then complete it.',
      })
    },

    async listIntents({ includeCompleted = false, limit, ...ref }) {
      const { projectId } = await projects.resolveProject(ref)
      return withStanding(
        await deps.store.listIntents({ projectId, ...(includeCompleted ? {} : { isOpen: true }), limit }),
      )
    },

    async findConflicts({ files, sessionLabel, ...ref }) {
      const project = await projects.resolveProject(ref)
      const session = sessionLabel === undefined ? undefined : await findSessionByLabel(deps, sessionLabel)
      const normal = normalisedFiles(files, { worktree: project.worktree, from: ref.cwd ?? project.rootPath })
      return conflictsOf(project, normal, {
        ...(sessionLabel === undefined ? {} : { sessionLabel }),
        ...(session === undefined ? {} : { sessionId: session.id }),
      })
    },
  }
}
