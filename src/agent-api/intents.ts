import type {
  Intent,
  IntentConflict,
  IntentLiveness,
  IntentWithLiveness,
  ResolvedProject,
} from '../kernel/agent-records.ts'
import type { AgentUseCases } from './use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { datedId, type SessionId } from '../kernel/id.ts'
import { relativePath } from '../kernel/paths/paths.ts'
import type { AgentApiPorts } from './ports.ts'
import { canPatternsOverlap } from '../kernel/paths/path-pattern.ts'
import type { Projects } from './projects.ts'
import { findSessionByLabel } from './find-session.ts'
import { isLive, isOver } from '../kernel/ports/liveness.ts'

const MAX_TEXT_CHARS = 4_000
const MAX_FILES = 200
const MAX_OPEN = 200
const MAX_OF_SESSION = 100

export interface Intents
  extends Pick<AgentUseCases, 'recordIntent' | 'completeIntent' | 'listIntents' | 'findConflicts'> {
  /** `files` must be normalized. */
  findIntentConflicts(
    project: ResolvedProject,
    files: readonly string[],
    self: SessionSelf,
  ): Promise<readonly IntentConflict[]>
}

/** Relative to the worktree and without duplicates; what is not a path is left out. */
export function normalizeFiles(
  files: readonly string[],
  { worktree, from }: { worktree: string; from: string },
): readonly string[] {
  const normal = files.flatMap((file) => relativePath(file.toWellFormed(), { worktree, cwd: from }) ?? [])
  return [...new Set(normal)].slice(0, MAX_FILES)
}

interface SessionSelf {
  readonly sessionLabel?: string
  readonly sessionId?: SessionId
}

/** Adds to each intent whether its session is still alive. */
function createIntentLiveness(deps: Pick<AgentApiPorts, 'store' | 'clock' | 'processes' | 'machine' | 'configFor'>) {
  async function checkLiveness(intent: Intent): Promise<IntentLiveness> {
    const session = await (intent.sessionId === undefined
      ? findSessionByLabel(deps, intent.sessionLabel)
      : deps.store.findSession(intent.sessionId))
    const { daemon, continuity } = await deps.configFor(intent.worktree)
    const ageMs = Date.parse(deps.clock.now()) - Date.parse(intent.startedAt)
    if (session !== undefined) {
      // Without a known process, a recently recorded intent counts as a sign of life.
      const isRecent = session.process === undefined && !isOver(session) && ageMs < daemon.assumeLiveMs
      return isRecent || isLive(session, deps, daemon.assumeLiveMs) ? 'live' : 'dead'
    }
    // No hook reported this session: assume that it may be alive within the recovery window.
    return ageMs < continuity.recoveryWindowMs ? 'unknown' : 'dead'
  }

  return async (intents: readonly Intent[]): Promise<readonly IntentWithLiveness[]> => {
    return Promise.all(
      intents.map(async (intent) => {
        return { ...intent, standing: await checkLiveness(intent) }
      }),
    )
  }
}

export function createIntents(
  deps: AgentApiPorts,
  projects: Pick<Projects, 'resolveProject' | 'resolveForWrite'>,
): Intents {
  const withLiveness = createIntentLiveness(deps)

  async function findIntentConflicts(
    project: ResolvedProject,
    files: readonly string[],
    self: SessionSelf,
  ): Promise<readonly IntentConflict[]> {
    if (files.length === 0) return []
    const open = await deps.store.listIntents({ projectId: project.projectId, isOpen: true, limit: MAX_OPEN })
    const others = open.filter(
      (intent) =>
        intent.sessionLabel !== self.sessionLabel &&
        (intent.sessionId === undefined || intent.sessionId !== self.sessionId),
    )
    const overlapping = others.flatMap((intent) => {
      const shared = intent.files.filter((theirs) => files.some((ours) => canPatternsOverlap(theirs, ours)))
      return shared.length === 0 ? [] : [{ intent, files: shared }]
    })
    const alive = await withLiveness(overlapping.map(({ intent }) => intent))
    return alive.flatMap((intent, index) =>
      intent.standing === 'dead'
        ? []
        : [{ intent, files: overlapping[index]?.files ?? [], isSameWorktree: intent.worktree === project.worktree }],
    )
  }

  return {
    findIntentConflicts,

    async recordIntent(input) {
      const project = await projects.resolveForWrite(input)
      const redactor = await deps.redactors.forWorktree(project.worktree)
      const text = redactor.redact(input.intent.toWellFormed().trim())
      if (text === '' || text.length > MAX_TEXT_CHARS) {
        throw new HoldfastError(
          'invalid-input',
          `An intent must have 1 to ${MAX_TEXT_CHARS} characters; this one has ${text.length}.`,
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
        files: normalizeFiles(redactor.redactAll(input.files ?? []), {
          worktree: project.worktree,
          from: input.cwd ?? project.rootPath,
        }),
        startedAt,
      }
      await deps.store.saveIntent(intent)
      return { project, intent, conflicts: await findIntentConflicts(project, intent.files, intent) }
    },

    async completeIntent({ sessionLabel, outcome, ...ref }) {
      const project = await projects.resolveForWrite(ref)
      const redactor = await deps.redactors.forWorktree(project.worktree)
      const { projectId } = project
      const completedNow = await deps.store.completeIntents({
        projectId,
        sessionLabel,
        completedAt: deps.clock.now(),
        ...(outcome === undefined ? {} : { outcome: redactor.redact(outcome.toWellFormed()) }),
      })
      const intents = await deps.store.listIntents({ projectId, sessionLabel, limit: MAX_OF_SESSION })
      if (intents.length > 0) return { project, intents, completedNow }
      throw new HoldfastError('not-found', `Session "${sessionLabel}" has no intent in ${project.name}.`, {
        hint: 'Call record_session_intent with the same session id first, then complete it.',
      })
    },

    async listIntents({ includeCompleted = false, limit, offset, ...ref }) {
      const { projectId } = await projects.resolveProject(ref)
      return withLiveness(
        await deps.store.listIntents({ projectId, ...(includeCompleted ? {} : { isOpen: true }), limit, offset }),
      )
    },

    async findConflicts({ files, sessionLabel, ...ref }) {
      const project = await projects.resolveProject(ref)
      const session = sessionLabel === undefined ? undefined : await findSessionByLabel(deps, sessionLabel)
      const normal = normalizeFiles(files, { worktree: project.worktree, from: ref.cwd ?? project.rootPath })
      return findIntentConflicts(project, normal, {
        ...(sessionLabel === undefined ? {} : { sessionLabel }),
        ...(session === undefined ? {} : { sessionId: session.id }),
      })
    },
  }
}
