import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../core/errors.ts'
import type { EventOf, SessionEvent } from '../core/event.ts'
import type { SessionId } from '../core/id.ts'
import type { Store, Timers } from '../core/ports.ts'
import type { Session } from '../core/session.ts'
import { areFilesDue, isCheckpointDue, NOTHING_SEEN, seeWork, type WorkSeen } from '../core/task/work-seen.ts'
import { readGovernance } from './governance-config.ts'
import { openTask } from './open-task.ts'
import { isDead } from './speaking.ts'
import { suspendSession } from './stop-session.ts'
import { readSessions } from './task-files.ts'
import { TASKS_FOLDER } from './task-folder.ts'
import type { TaskWorld } from './world.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

const DEBOUNCE_MS = 2_500
const SESSIONS_LOOKED_AT = 200
const EVENTS_LOOKED_AT = 500

/** The task session that a session of the event log works for. */
export interface TaskLink {
  readonly root: string
  readonly slug: string
  readonly taskSession: string
}

export interface TaskWatch {
  /** After an event of any session was kept. Costs nothing for a session that works for no task. */
  follow(event: SessionEvent, session: Session): void
  /** Finds links that were made before this process, once. Call it before sessions are attended to. */
  load(): Promise<void>
  /** Suspends the task sessions that nobody is behind any more. */
  tick(): Promise<void>
  /** Writes what still waits. */
  drain(): Promise<void>
  /** Undefined for a session that works for no task. */
  taskOf(sessionId: SessionId): TaskLink | undefined
}

export interface TaskWatchDeps {
  readonly world: TaskWorld
  readonly store: Pick<Store, 'listSessions' | 'listEvents' | 'findSession'>
  readonly timers: Timers
}

/** What the daemon does for governed tasks by itself: mandatory checkpoints from what hooks show, and finding the dead. */
export function createTaskWatch({ world, store, timers }: TaskWatchDeps): TaskWatch {
  const links = new Map<SessionId, TaskLink>()
  const seen = new Map<SessionId, WorkSeen>()
  const waiting = new Map<SessionId, () => void>()
  const underWay = new Set<Promise<void>>()
  let isLoaded = false

  function note(event: EventOf<'task-session-changed'>, sessionId: SessionId): void {
    const { cwd, task: slug, taskSession } = event
    if (event.state === 'active' && cwd !== undefined) links.set(sessionId, { root: cwd, slug, taskSession })
    else if (links.get(sessionId)?.taskSession === taskSession && event.state !== 'init') {
      links.delete(sessionId)
      seen.delete(sessionId)
    }
  }

  async function writeSeen(sessionId: SessionId): Promise<void> {
    const [link, work] = [links.get(sessionId), seen.get(sessionId)]
    if (link === undefined || work === undefined) return
    const isFiles = areFilesDue(work)
    seen.set(sessionId, { ...NOTHING_SEEN, failing: work.failing, files: isFiles ? NOTHING_SEEN.files : work.files })
    const task = await openTask(world, { cwd: link.root, slug: link.slug })
    const session = readSessions(task.folder).find(({ session_id }) => session_id === link.taskSession)
    if (session?.state !== 'active') return
    const request = { session, isObserved: true }
    const files = [...work.files].map(([path, action]) => ({ path, action }))
    if (isFiles) {
      const summary = files
        .map(({ path, action }) => `${action} ${path}`)
        .slice(0, 8)
        .join(', ')
      await writeCheckpoint(world, task, { ...request, type: 'file_change', content: { files, summary } })
    }
    for (const recovery of work.recoveries)
      await writeCheckpoint(world, task, { ...request, type: 'error_recovery', content: { errors: [recovery] } })
    for (const decision of work.decisions)
      await writeCheckpoint(world, task, { ...request, type: 'decision', content: { decisions: [decision] } })
  }

  function writeInBackground(sessionId: SessionId): void {
    waiting.delete(sessionId)
    const writing = writeSeen(sessionId)
      .catch((error: unknown) => {
        // The events behind it are in the log; the next checkpoint of the task has git's word for the files.
        world.log.error('task checkpoint failed', { session: sessionId, error: messageOf(error) })
      })
      .finally(() => underWay.delete(writing))
    underWay.add(writing)
  }

  async function attend(sessionId: SessionId, link: TaskLink): Promise<void> {
    const behind = await store.findSession(sessionId)
    if (!isDead(behind, world, readGovernance(link.root).silenceMs)) return
    const task = await openTask(world, { cwd: link.root, slug: link.slug })
    const session = readSessions(task.folder).find(({ session_id }) => session_id === link.taskSession)
    links.delete(sessionId)
    seen.delete(sessionId)
    if (session?.state !== 'active') return
    const reason =
      behind?.phase === 'ended'
        ? 'the harness session ended without the shutdown ritual'
        : behind?.process === undefined
          ? 'nothing was heard of it for too long'
          : 'its process is gone'
    await suspendSession(world, task, session, { reason })
    world.log.warn('task session interrupted', { task: link.slug, session: session.session_id, reason })
  }

  /** Only sessions of checkouts that have tasks are looked at: nobody else pays for this. */
  async function findLinks(): Promise<void> {
    const sessions = await store.listSessions({ limit: SESSIONS_LOOKED_AT })
    const roots = new Map<string, boolean>()
    for (const { id, place } of sessions) {
      if (place === undefined) continue
      const hasTasks = roots.get(place.worktree) ?? existsSync(join(place.worktree, TASKS_FOLDER))
      roots.set(place.worktree, hasTasks)
      if (!hasTasks || links.has(id)) continue
      const kinds = ['task-session-changed'] as const
      const events = await store.listEvents({ sessionId: id, kinds, limit: EVENTS_LOOKED_AT })
      for (const { event } of events) if (event.kind === 'task-session-changed') note(event, id)
    }
  }

  return {
    follow(event, { id }) {
      if (event.kind === 'task-session-changed') note(event, id)
      const link = links.get(id)
      if (link === undefined) return
      const work = seeWork(seen.get(id) ?? NOTHING_SEEN, event, link.root)
      seen.set(id, work)
      if (waiting.has(id) || !isCheckpointDue(work)) return
      waiting.set(
        id,
        timers.after(DEBOUNCE_MS, () => writeInBackground(id)),
      )
    },
    async load() {
      if (isLoaded) return
      isLoaded = true
      await findLinks()
    },
    async tick() {
      for (const [sessionId, link] of [...links]) {
        try {
          await attend(sessionId, link)
        } catch (error) {
          // A checkout that is gone, a folder that a merge left broken: the others are attended to all the same.
          world.log.error('task session not attended', { task: link.slug, error: messageOf(error) })
        }
      }
    },
    async drain() {
      for (const [sessionId, cancel] of [...waiting]) {
        cancel()
        writeInBackground(sessionId)
      }
      while (underWay.size > 0) await Promise.all(underWay)
    },
    taskOf: (sessionId) => links.get(sessionId),
  }
}
