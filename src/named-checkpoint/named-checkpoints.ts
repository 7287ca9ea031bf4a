import type { ResolvedProject, SessionSummary } from '../kernel/agent-records.ts'
import type { Checkpoint, StoredCheckpoint } from '../kernel/checkpoint.ts'
import { HoldfastError, getErrorMessage } from '../kernel/errors.ts'
import { datedId, EventId } from '../kernel/id.ts'
import type { CheckpointFiles } from './checkpoint-files.ts'
import { lintCheckpoint } from './format/lint.ts'
import { AUTOSAVE, AUTOSAVE_LOG, parseName } from './format/name.ts'
import type { NamedCheckpoint } from './format/file-format.ts'
import { composeDigest, toSections, redactInput } from './save-input.ts'
import { readStored } from './compose.ts'
import type { NamedCheckpoints, NamedListing, ResumedNamed, SaveNamedInput } from './use-cases.ts'
import type { CheckpointQuery } from '../kernel/ports/store-queries.ts'
import type { AgentApiPorts } from '../agent-api/ports.ts'
import { type OwnSession, resolveOwnSession } from '../agent-api/find-session.ts'
import type { Projects } from '../agent-api/projects.ts'
import type { Summaries } from '../agent-api/summaries/summaries.ts'

const MAX_CHECKPOINTS = 1_000
const SUGGESTED = 8

export interface NamedCheckpointPorts extends AgentApiPorts {
  readonly checkpointFiles: CheckpointFiles
}

interface NamedCheckpointParts {
  readonly projects: Pick<Projects, 'resolveProject' | 'resolveForWrite'>
  readonly summaries: Pick<Summaries, 'save'>
}

/** Writes the file first, because users read it; then the store, which recovery uses. */
export function createNamedCheckpoints(deps: NamedCheckpointPorts, parts: NamedCheckpointParts): NamedCheckpoints {
  const { store, continuity, checkpointFiles: files } = deps

  async function findNewest(query: Pick<CheckpointQuery, 'sessionId' | 'worktree' | 'projectId'>) {
    return (await store.listCheckpoints({ ...query, limit: 1 }))[0]?.checkpoint
  }

  /** By path and project, because another repository may have been at the same path. */
  async function inWorktree(path: string): Promise<Pick<CheckpointQuery, 'worktree' | 'projectId'>> {
    const { worktree, projectId } = await deps.locator.locate(path)
    return { worktree, projectId }
  }

  /** The newest checkpoint of this session; without one, of the work that is under way here. */
  async function findObserved({ id, session }: OwnSession, worktree: string): Promise<Checkpoint | undefined> {
    if (session?.hasNewWork === true) {
      await continuity.checkpoint(session.id, 'periodic').catch((error: unknown) => {
        deps.log.warn('saved from an older checkpoint', { session: session.id, error: getErrorMessage(error) })
      })
    }
    const own = session === undefined ? undefined : await findNewest({ sessionId: id })
    return own ?? continuity.findWork(worktree)
  }

  async function record(saved: NamedCheckpoint, input: SaveNamedInput, where: { who: OwnSession; cwd: string }) {
    const { harness, key: sessionKey, id, isMadeUp } = where.who
    const base = { harness, sessionKey, at: saved.createdAt, door: input.door, cwd: where.cwd } as const
    const eventId = () => EventId(datedId('save', saved.createdAt, deps.entropy.bytes(10)))
    const { summary, nextAction } = composeDigest(input, saved)
    await continuity.record({
      ...base,
      kind: 'digest-written',
      id: eventId(),
      name: saved.name,
      // An agent that runs the command is known by its harness's environment.
      author: input.door === 'cli' && input.harness === undefined ? 'user' : 'agent',
      summary,
      decisions: input.decisions ?? [],
      blockers: input.blockers ?? [],
      ...(nextAction !== undefined && { nextAction }),
      ...(input.waitingFor !== undefined && { waitingFor: input.waitingFor }),
    })
    // `record` has requested the checkpoint already; this waits for it.
    await continuity.checkpoint(id, 'explicit')
    // A session generated for one save on the command line must not count as live.
    if (isMadeUp && input.door === 'cli')
      await continuity.record({ ...base, kind: 'session-ended', id: eventId(), reason: 'other' })
    return (await store.listCheckpoints({ sessionId: id, name: saved.name, limit: 1 }))[0]?.checkpoint
  }

  function createSummary(
    saved: NamedCheckpoint,
    project: ResolvedProject,
    { key, session }: OwnSession,
  ): SessionSummary {
    const { progress, nextAction } = saved.sections
    return {
      id: datedId('summary', saved.createdAt, deps.entropy.bytes(10)),
      projectId: project.projectId,
      worktree: project.worktree,
      sessionLabel: key,
      ...(session !== undefined && { sessionId: session.id }),
      summary: [saved.task || saved.name, progress, nextAction && `Next: ${nextAction}`].filter(Boolean).join('\n'),
      filesChanged: [],
      entitiesRegistered: [],
      checklistProgress: {},
      savedAt: saved.createdAt,
    }
  }

  /** Stored checkpoints without a file, the newest of each name. */
  async function listStoredOnly(worktree: string, known: ReadonlySet<string>): Promise<readonly StoredCheckpoint[]> {
    const found = new Map<string, StoredCheckpoint>()
    for (const stored of await store.listCheckpoints({ ...(await inWorktree(worktree)), limit: MAX_CHECKPOINTS })) {
      const { name } = stored.checkpoint
      if (name !== undefined && !known.has(name) && !found.has(name)) found.set(name, stored)
    }
    return [...found.values()]
  }

  async function list(worktree: string): Promise<readonly NamedListing[]> {
    const saved = await files.list(worktree)
    const stored = await listStoredOnly(worktree, new Set(saved.map(({ name }) => name)))
    const listings = [
      ...saved.map(({ name, path, savedAt, parsed, isOurs, text }) => ({
        name,
        path,
        savedAt,
        task: parsed.task,
        nextAction: parsed.sections.nextAction,
        ...(parsed.git?.branch !== undefined && { branch: parsed.git.branch }),
        isOurs,
        score: lintCheckpoint(text).score,
      })),
      ...stored.map(({ checkpoint }) => ({ ...readStored(checkpoint).listing, isOurs: true })),
    ]
    return listings.sort((a, b) => (a.savedAt < b.savedAt ? 1 : -1))
  }

  async function refuseUnknown(name: string, worktree: string): Promise<never> {
    if (name.startsWith('ckpt-'))
      throw new HoldfastError('not-found', `${JSON.stringify(name)} is an id, not a name.`, {
        hint: `\`holdfast checkpoints show ${name}\` shows that checkpoint; \`holdfast checkpoints named\` lists names.`,
      })
    const names = (await list(worktree)).map((listing) => listing.name)
    throw new HoldfastError('not-found', `There is no checkpoint named ${JSON.stringify(name)} in ${worktree}.`, {
      hint:
        names.length === 0
          ? 'Save one with `holdfast checkpoint save <name>` or the tool checkpoint_save.'
          : `Known checkpoints: ${names.slice(0, SUGGESTED).join(', ')}.`,
    })
  }

  async function confirmFor(worktree: string, isOurs: boolean): Promise<ResumedNamed['confirm']> {
    const { confirm } = (await deps.configFor(worktree)).resume
    return confirm === 'never' && !isOurs ? 'interactive' : confirm
  }

  async function findNamed(
    name: string,
    worktree: string,
  ): Promise<Omit<ResumedNamed, 'project' | 'confirm' | 'warnings'>> {
    const file = await files.find(worktree, name)
    if (file !== undefined) {
      const { path, savedAt, isOurs, parsed: read } = file
      return { name, path, savedAt, isOurs, task: read.task, sections: read.sections, git: read.git, files: read.files }
    }
    const [stored] = await store.listCheckpoints({ ...(await inWorktree(worktree)), name, limit: 1 })
    if (stored === undefined) return refuseUnknown(name, worktree)
    const { read, listing } = readStored(stored.checkpoint)
    const { task, sections, git, files: marks } = read
    return { name, savedAt: listing.savedAt, isOurs: true, task, sections, git, files: marks }
  }

  return {
    async saveNamed(given) {
      const project = await parts.projects.resolveForWrite(given)
      const { worktree } = project
      // Before it is split: the first line becomes the task and the others progress.
      const redactor = await deps.redactors.forWorktree(worktree)
      const input = { ...given, ...redactInput(given, redactor) }
      const { task, sections } = toSections(input)
      const name = parseName(input.name, task)
      const who = await resolveOwnSession(deps, input, project)
      const seen = await findObserved(who, worktree)
      const { checkpoint, path, isReplaced, lint } = await files.save(worktree, {
        name,
        now: deps.clock.now(),
        given: sections,
        canReplace: input.canReplace === true,
        ...(task !== undefined && { task }),
        ...(seen !== undefined && { observed: seen }),
      })
      const kept = await record(checkpoint, input, { who, cwd: worktree }).catch((error: unknown) => {
        // The file is saved. The missing checkpoint id shows that the store has no copy.
        deps.log.warn('named checkpoint not recorded', { error: getErrorMessage(error) })
        return undefined
      })
      const { doubts } = await parts.summaries.save(createSummary(checkpoint, project, who), project)
      return {
        project,
        name,
        path,
        savedAt: checkpoint.createdAt,
        task: checkpoint.task,
        nextAction: checkpoint.sections.nextAction,
        isReplaced,
        lint,
        sessionKey: who.key,
        isSessionMadeUp: who.isMadeUp,
        ...(kept !== undefined && { checkpointId: kept.id }),
        doubts,
      }
    },

    async listNamed(ref) {
      return list((await parts.projects.resolveProject(ref)).worktree)
    },

    async resumeNamed({ name: given, ...ref }) {
      const project = await parts.projects.resolveProject(ref)
      const { worktree } = project
      const content = await findNamed(given.normalize('NFC').trim(), worktree)
      const warnings = await files.staleness(worktree, { ...content, createdAt: content.savedAt })
      return { project, ...content, warnings, confirm: await confirmFor(worktree, content.isOurs) }
    },

    async deleteNamed({ name: given, ...ref }) {
      const name = given.normalize('NFC').trim()
      if (name === AUTOSAVE || name === AUTOSAVE_LOG)
        throw new HoldfastError(
          'forbidden',
          `${JSON.stringify(name)} is written by Holdfast itself and cannot be deleted by name.`,
          { hint: 'Set autosave.mode to off, and delete the file by hand.' },
        )
      const { worktree } = await parts.projects.resolveForWrite(ref)
      const file = await files.find(worktree, name)
      const stored = await store.listCheckpoints({ ...(await inWorktree(worktree)), name, limit: MAX_CHECKPOINTS })
      if (file === undefined && stored.length === 0) return refuseUnknown(name, worktree)
      if (file !== undefined) await files.delete(worktree, name)
      for (const { checkpoint } of stored) await store.deleteCheckpoint(checkpoint.id)
      return { name, stored: stored.length, ...(file !== undefined && { path: file.path }) }
    },

    async autosave({ reason, ...ref }) {
      const { worktree } = await parts.projects.resolveForWrite(ref)
      const { autosave } = await deps.configFor(worktree)
      if (autosave.mode === 'off') return { isWritten: false, because: 'autosave.mode is off' }
      const verdict = await files.autosave(worktree, {
        now: deps.clock.now(),
        minIntervalMs: autosave.minIntervalMs,
        canUseObserved: autosave.mode === 'always',
        observe: async () => findNewest(await inWorktree(worktree)),
        ...(reason !== undefined && { reason }),
      })
      return verdict.isDue
        ? { isWritten: true, path: `memory/checkpoints/${AUTOSAVE}.md` }
        : { isWritten: false, because: verdict.because }
    },
  }
}
