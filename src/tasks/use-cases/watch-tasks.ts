import { getErrorMessage } from '../../kernel/errors.ts'
import type { EventOf, SessionEvent } from '../../kernel/event.ts'
import type { SessionId } from '../../kernel/id.ts'
import type { Store, Timers } from '../../kernel/ports/ports.ts'
import type { Session } from '../../kernel/session.ts'
import {
  removeWritten,
  isCheckpointDue,
  NO_WORK,
  observeEvent,
  type ObservedWork,
  writeObservedWork,
} from '../checkpoints/observed-work.ts'
import { listLinkEvents, type LinkStore, type TaskLink } from '../files/task-links.ts'
import { readGovernance } from '../files/governance-config.ts'
import { openTask } from '../files/open-task.ts'
import { findHarnessSession, isDead } from '../files/task-events.ts'
import { suspendSession } from '../sessions/suspend-session.ts'
import { createStopFileWatch } from '../sessions/emergency-stop.ts'
import { readSession } from '../files/task-files.ts'
import type { TaskPorts } from '../files/task-ports.ts'

const DEBOUNCE_MS = 2_500

export interface TaskWatch {
  /** Called after an event of any session was stored. Does nothing for a session without a task. */
  onEvent(event: SessionEvent, session: Session): void
  /** Loads links made before this process started, once. Call it before `tick`. */
  load(): Promise<void>
  /** Suspends task sessions whose process is gone, and applies the stop file. */
  tick(): Promise<void>
  /** Writes pending checkpoints. */
  drain(): Promise<void>
  /** Why a session may not start anything new; undefined for a session without a task. */
  findRefusal(sessionId: SessionId): string | undefined
  findTask(sessionId: SessionId): TaskLink | undefined
  listLinks(): readonly TaskLink[]
}

export interface TaskWatchOptions {
  readonly ports: TaskPorts
  readonly store: LinkStore & Pick<Store, 'findSession'>
  readonly timers: Timers
}

/** The daemon's work for governed tasks: mandatory checkpoints from hook events, and detection of dead sessions. */
export function createTaskWatch({ ports, store, timers }: TaskWatchOptions): TaskWatch {
  const links = new Map<SessionId, TaskLink>()
  const stops = createStopFileWatch(ports)
  const observed = new Map<SessionId, ObservedWork>()
  const waiting = new Map<SessionId, () => void>()
  const running = new Set<Promise<void>>()
  let isLoaded = false

  function updateLink(event: EventOf<'task-session-changed'>, sessionId: SessionId): void {
    const { cwd, task: slug, taskSession } = event
    const isOpen = event.state === 'active' || event.state === 'init'
    if (isOpen && cwd !== undefined) links.set(sessionId, { root: cwd, slug, taskSession })
    else if (links.get(sessionId)?.taskSession === taskSession) {
      links.delete(sessionId)
      observed.delete(sessionId)
    }
  }

  async function writeObserved(sessionId: SessionId): Promise<void> {
    const [link, work] = [links.get(sessionId), observed.get(sessionId)]
    if (link === undefined || work === undefined) return
    observed.set(sessionId, removeWritten(work))
    await writeObservedWork(ports, link, work)
  }

  function track(sessionId: SessionId, work: Promise<void>): void {
    const writing = work
      .catch((error: unknown) => {
        // The events are in the log, and the next checkpoint takes the files from git.
        ports.log.error('task checkpoint failed', { session: sessionId, error: getErrorMessage(error) })
      })
      .finally(() => running.delete(writing))
    running.add(writing)
  }

  function writeInBackground(sessionId: SessionId): void {
    waiting.delete(sessionId)
    track(sessionId, writeObserved(sessionId))
  }

  async function suspendIfDead(sessionId: SessionId, link: TaskLink): Promise<void> {
    const harnessSession = await store.findSession(sessionId)
    const { silenceMs, smokeTimeoutMs } = readGovernance(link.root)
    const task = await openTask(ports, { cwd: link.root, slug: link.slug })
    const session = readSession(task.folder, link.taskSession)
    const nowMs = Date.parse(ports.clock.now())
    // Its harness may live on although the command that started it was killed.
    const isStuck = session?.state === 'init' && nowMs - Date.parse(session.started_at) > smokeTimeoutMs + silenceMs
    if (!isStuck && !isDead(harnessSession, ports, silenceMs)) return
    links.delete(sessionId)
    observed.delete(sessionId)
    if (session?.state === 'init') {
      await suspendSession(ports, task, session, { reason: 'its startup steps did not finish' })
      return
    }
    if (session?.state !== 'active') return
    // The harness is gone, but a supervisor runs the task session and will end it.
    const owner = await findHarnessSession(ports, session)
    if (owner?.id !== sessionId && !isDead(owner, ports, silenceMs)) return
    const reason =
      harnessSession?.phase === 'ended'
        ? 'the harness session ended without the shutdown steps'
        : harnessSession?.process === undefined
          ? 'it was silent for too long'
          : 'its process is gone'
    await suspendSession(ports, task, session, { reason })
    ports.log.warn('task session interrupted', { task: link.slug, session: session.session_id, reason })
  }

  return {
    onEvent(event, { id }) {
      if (event.kind === 'task-session-changed') updateLink(event, id)
      const link = links.get(id)
      if (link === undefined) return
      const work = observeEvent(observed.get(id) ?? NO_WORK, event, link.root)
      observed.set(id, work)
      if (waiting.has(id) || !isCheckpointDue(work)) return
      waiting.set(
        id,
        timers.after(DEBOUNCE_MS, () => writeInBackground(id)),
      )
    },
    async load() {
      if (isLoaded) return
      isLoaded = true
      for (const { event, sessionId } of await listLinkEvents(store, ports.machine)) updateLink(event, sessionId)
    },
    async tick() {
      for (const [sessionId, link] of [...links]) {
        try {
          await stops.stopIfRequested(sessionId, link)
          await suspendIfDead(sessionId, link)
        } catch (error) {
          // A missing checkout or a broken folder must not stop the others.
          ports.log.error('task session not checked', { task: link.slug, error: getErrorMessage(error) })
        }
      }
    },
    async drain() {
      for (const [sessionId, cancel] of [...waiting]) {
        cancel()
        writeInBackground(sessionId)
      }
      while (running.size > 0) await Promise.all(running)
    },
    findRefusal(sessionId) {
      const link = links.get(sessionId)
      const why = stops.findRefusal(sessionId, link)
      if (why !== undefined && link !== undefined) track(sessionId, stops.stopIfRequested(sessionId, link))
      return why
    },
    findTask: (sessionId) => links.get(sessionId),
    listLinks: () => [...links.values()],
  }
}
