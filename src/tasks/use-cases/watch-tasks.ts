import { messageOf } from '../../kernel/errors.ts'
import type { EventOf, SessionEvent } from '../../kernel/event.ts'
import type { SessionId } from '../../kernel/id.ts'
import type { Store, Timers } from '../../kernel/ports/ports.ts'
import type { Session } from '../../kernel/session.ts'
import { afterWriting, isCheckpointDue, NOTHING_SEEN, seeWork, type WorkSeen } from '../model/work-seen.ts'
import { findLinkEvents, type LinkStore, type TaskLink } from '../files/find-links.ts'
import { readGovernance } from '../files/governance-config.ts'
import { openTask } from '../files/open-task.ts'
import { findSpeaker, isDead } from '../files/task-events.ts'
import { suspendSession } from '../sessions/stop-session.ts'
import { createStopWatch } from '../sessions/stop-watch.ts'
import { readSessions } from '../files/task-files.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import { writeSeenWork } from '../checkpoints/write-seen.ts'

const DEBOUNCE_MS = 2_500

export interface TaskWatch {
  /** After an event of any session was kept. Costs nothing for a session that works for no task. */
  follow(event: SessionEvent, session: Session): void
  /** Finds links that were made before this process, once. Call it before sessions are attended to. */
  load(): Promise<void>
  /** Suspends the task sessions that nobody is behind any more. */
  tick(): Promise<void>
  /** Writes what still waits. */
  drain(): Promise<void>
  /** Why a session may not begin anything new; undefined for one that works for no task. */
  refusal(sessionId: SessionId): string | undefined
  /** Undefined for a session that works for no task. */
  taskOf(sessionId: SessionId): TaskLink | undefined
  /** Those of every session that works for a task now, after `load`. */
  links(): readonly TaskLink[]
}

export interface TaskWatchDeps {
  readonly world: TaskWorld
  readonly store: LinkStore & Pick<Store, 'findSession'>
  readonly timers: Timers
}

/** What the daemon does for governed tasks by itself: mandatory checkpoints from what hooks show, and finding the dead. */
export function createTaskWatch({ world, store, timers }: TaskWatchDeps): TaskWatch {
  const links = new Map<SessionId, TaskLink>()
  const stops = createStopWatch(world)
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
    seen.set(sessionId, afterWriting(work))
    await writeSeenWork(world, link, work)
  }

  function follow(sessionId: SessionId, work: Promise<void>): void {
    const writing = work
      .catch((error: unknown) => {
        // The events behind it are in the log; the next checkpoint of the task has git's word for the files.
        world.log.error('task checkpoint failed', { session: sessionId, error: messageOf(error) })
      })
      .finally(() => underWay.delete(writing))
    underWay.add(writing)
  }

  function writeInBackground(sessionId: SessionId): void {
    waiting.delete(sessionId)
    follow(sessionId, writeSeen(sessionId))
  }

  async function attend(sessionId: SessionId, link: TaskLink): Promise<void> {
    const behind = await store.findSession(sessionId)
    if (!isDead(behind, world, readGovernance(link.root).silenceMs)) return
    const task = await openTask(world, { cwd: link.root, slug: link.slug })
    const session = readSessions(task.folder).find(({ session_id }) => session_id === link.taskSession)
    links.delete(sessionId)
    seen.delete(sessionId)
    if (session?.state !== 'active') return
    // Its harness is gone, and somebody else is behind the task's session: a supervisor, who ends it in order.
    const speaker = await findSpeaker(world, session)
    if (speaker?.id !== sessionId && !isDead(speaker, world, readGovernance(link.root).silenceMs)) return
    const reason =
      behind?.phase === 'ended'
        ? 'the harness session ended without the shutdown ritual'
        : behind?.process === undefined
          ? 'nothing was heard of it for too long'
          : 'its process is gone'
    await suspendSession(world, task, session, { reason })
    world.log.warn('task session interrupted', { task: link.slug, session: session.session_id, reason })
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
      for (const { event, sessionId } of await findLinkEvents(store, world.machine)) note(event, sessionId)
    },
    async tick() {
      for (const [sessionId, link] of [...links]) {
        try {
          await stops.attend(sessionId, link)
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
    refusal(sessionId) {
      const link = links.get(sessionId)
      const why = stops.refusal(sessionId, link)
      if (why !== undefined && link !== undefined) follow(sessionId, stops.attend(sessionId, link))
      return why
    },
    taskOf: (sessionId) => links.get(sessionId),
    links: () => [...links.values()],
  }
}
