import { HoldfastError } from '../../kernel/errors.ts'
import type { Place } from '../../kernel/project.ts'
import { headsOf, inChainOrder } from '../chain/checkpoint-index.ts'
import { parseSlug } from '../model/slug.ts'
import type { TaskCheckpoint } from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { TaskDefinition, TaskStatus } from '../model/task-status.ts'
import type { TaskAt } from '../tasks.ts'
import { type Governance, readGovernance } from './governance-config.ts'
import { listTaskSlugs, openTaskFolder, type TaskFolder } from './task-folder.ts'
import { readChain, readDefinition, readSessions, readStatus, STATUS } from './task-files.ts'
import type { TaskWorld } from './task-ports.ts'

export interface OpenTask {
  readonly folder: TaskFolder
  readonly place: Place
  readonly governance: Governance
}

export async function folderAt(world: TaskWorld, { cwd, slug }: TaskAt): Promise<{ folder: TaskFolder; place: Place }> {
  parseSlug(slug)
  const place = await world.places.locate(cwd)
  const redactor = await world.redactors.forWorktree(place.worktree)
  return { folder: openTaskFolder({ root: place.worktree, slug, redactor }), place }
}

/** Refuses an unknown slug, naming those there are. */
export async function openTask(world: TaskWorld, at: TaskAt): Promise<OpenTask> {
  const { folder, place } = await folderAt(world, at)
  if (!folder.exists()) {
    const known = listTaskSlugs(place.worktree)
    throw new HoldfastError('not-found', `There is no task ${at.slug} in ${place.worktree}.`, {
      hint:
        known.length === 0
          ? `Make it with \`holdfast task new ${at.slug}\`.`
          : `There are: ${known.slice(0, 10).join(', ')}. \`holdfast task new ${at.slug}\` makes another.`,
    })
  }
  return { folder, place, governance: readGovernance(place.worktree) }
}

export function getStatus(folder: TaskFolder): TaskStatus {
  const status = readStatus(folder)
  if (status !== undefined) return status
  throw new HoldfastError('not-found', `${folder.pathOf(STATUS)} is missing.`, {
    hint: `Make it again from the checkpoints with \`holdfast checkpoints verify --task ${folder.slug} --repair\`.`,
  })
}

export function getDefinition(folder: TaskFolder): TaskDefinition {
  const known = readDefinition(folder)
  if (known !== undefined) return known
  const { flow, last_activity: at } = getStatus(folder)
  return {
    schema_version: 1,
    task_slug: folder.slug,
    title: folder.slug,
    flow,
    acceptance_criteria: [],
    created_at: at,
  }
}

/** In chain order. */
export function checkpointsOf(folder: TaskFolder): readonly TaskCheckpoint[] {
  return inChainOrder(readChain(folder).files).map(({ checkpoint }) => checkpoint)
}

export function newestCheckpoint(folder: TaskFolder): TaskCheckpoint | null {
  return headsOf(readChain(folder).files).at(-1)?.checkpoint ?? null
}

export function findActive(sessions: readonly TaskSession[]): TaskSession | undefined {
  return sessions.findLast(({ state }) => state === 'active')
}

/** The session by id; the active one, else the newest suspended one, unless told. */
export function getCurrentSession(folder: TaskFolder, id?: string): TaskSession {
  const sessions = readSessions(folder)
  const found =
    id === undefined
      ? (findActive(sessions) ?? sessions.findLast(({ state }) => state === 'suspended'))
      : sessions.find(({ session_id }) => session_id === id)
  if (found !== undefined) return found
  throw new HoldfastError(
    'not-found',
    id === undefined
      ? `The task ${folder.slug} has no session under way.`
      : `There is no session ${id} of ${folder.slug}.`,
    { hint: `Start one with \`holdfast session start --task ${folder.slug}\`.` },
  )
}
