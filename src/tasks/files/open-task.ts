import { HoldfastError } from '../../kernel/errors.ts'
import type { Location } from '../../kernel/location.ts'
import { findHeads, sortChain } from '../chain/checkpoint-index.ts'
import { type Gate, laterGate } from '../model/gate.ts'
import { parseSlug, type TaskDefinition, type TaskStatus } from '../model/task.ts'
import type { TaskCheckpoint } from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { TaskRef } from '../tasks.ts'
import { type Governance, readGovernance } from './governance-config.ts'
import { listTaskSlugs, openTaskFolder, type TaskFolder } from './task-folder.ts'
import { readChain, readDefinition, readSessions, readStatus, STATUS } from './task-files.ts'
import type { TaskPorts } from './task-ports.ts'

export interface OpenTask {
  readonly folder: TaskFolder
  readonly location: Location
  readonly governance: Governance
}

export async function locateTaskFolder(
  ports: TaskPorts,
  { cwd, slug }: TaskRef,
): Promise<Pick<OpenTask, 'folder' | 'location'>> {
  parseSlug(slug)
  const location = await ports.locator.locate(cwd)
  const redactor = await ports.redactors.forWorktree(location.worktree)
  return { folder: openTaskFolder({ root: location.worktree, slug, redactor }), location }
}

/** Refuses an unknown slug, naming the known ones. */
export async function openTask(ports: TaskPorts, at: TaskRef): Promise<OpenTask> {
  const { folder, location } = await locateTaskFolder(ports, at)
  if (!folder.exists()) {
    const known = listTaskSlugs(location.worktree)
    throw new HoldfastError('not-found', `There is no task ${at.slug} in ${location.worktree}.`, {
      hint:
        known.length === 0
          ? `Create it with \`holdfast task new ${at.slug}\`.`
          : `Known tasks: ${known.slice(0, 10).join(', ')}. \`holdfast task new ${at.slug}\` creates another.`,
    })
  }
  return { folder, location, governance: readGovernance(location.worktree) }
}

export function getStatus(folder: TaskFolder): TaskStatus {
  const status = readStatus(folder)
  if (status !== undefined) return status
  throw new HoldfastError('not-found', `${folder.resolvePath(STATUS)} is missing.`, {
    hint: `Rebuild it from the checkpoints with \`holdfast checkpoints verify --task ${folder.slug} --repair\`.`,
  })
}

/** What is done is gone on with only after a person took it back. */
export function refuseComplete(folder: TaskFolder): void {
  if (getStatus(folder).status !== 'complete') return
  throw new HoldfastError('conflict', `The task ${folder.slug} is complete.`, {
    hint: `Go back to a gate first: \`holdfast task gate ${folder.slug} G4 --reason …\`, or re-open its last session with \`holdfast session reopen\`.`,
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
export function listCheckpoints(folder: TaskFolder): readonly TaskCheckpoint[] {
  return sortChain(readChain(folder).files).map(({ checkpoint }) => checkpoint)
}

export function findNewestCheckpoint(folder: TaskFolder): TaskCheckpoint | null {
  return findHeads(readChain(folder).files).at(-1)?.checkpoint ?? null
}

/** The gate that the newest checkpoint is at; the status file is derived from it and is not believed. */
export function getCurrentGate(folder: TaskFolder): Gate {
  const heads = findHeads(readChain(folder).files).map(({ checkpoint }) => checkpoint.gate)
  return heads.length === 0 ? getStatus(folder).current_gate : heads.reduce(laterGate)
}

export function findActiveSession(sessions: readonly TaskSession[]): TaskSession | undefined {
  return sessions.findLast(({ state }) => state === 'active')
}

/** The newest suspended session that worked; a fork that waits to be started only if there is no such session. */
function findSuspendedSession(sessions: readonly TaskSession[]): TaskSession | undefined {
  const suspended = sessions.filter(({ state }) => state === 'suspended')
  return suspended.findLast(({ transitions }) => transitions.some(({ to }) => to === 'active')) ?? suspended.at(-1)
}

/** By id; without one, the active session, else the newest suspended one. */
export function getCurrentSession(folder: TaskFolder, id?: string): TaskSession {
  const sessions = readSessions(folder)
  const found =
    id === undefined
      ? (findActiveSession(sessions) ?? findSuspendedSession(sessions))
      : sessions.find(({ session_id }) => session_id === id)
  if (found !== undefined) return found
  throw new HoldfastError(
    'not-found',
    id === undefined
      ? `The task ${folder.slug} has no active session.`
      : `There is no session ${id} of ${folder.slug}.`,
    { hint: `Start one with \`holdfast session start --task ${folder.slug}\`.` },
  )
}
