import type { SessionId } from '../../kernel/id.ts'
import { speakerOf, OWN_HARNESS } from '../files/task-events.ts'
import { openTask } from '../files/open-task.ts'
import { isStopped, STOP_FILE, STOP_FILE_TRIGGER } from '../files/stop-file.ts'
import { terminateSession } from './stop-session.ts'
import { readSession } from '../files/task-files.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import type { TaskLink } from '../files/find-links.ts'

/** What a supervisor has to end its own session, records included. */
const SUPERVISOR_MS = 10_000

export interface StopWatch {
  /** Why nothing new may be begun in this session; undefined where it works for no task, or nobody asked for a stop. */
  refusal(sessionId: SessionId, link: TaskLink | undefined): string | undefined
  /** Ends the task session with its emergency checkpoint where a stop was asked for. */
  attend(sessionId: SessionId, link: TaskLink): Promise<void>
}

/** S2's kill switch for sessions that work for a task. Sessions that do not are never looked at. */
export function createStopWatch(world: TaskWorld): StopWatch {
  /** Those that were refused stay so while the file is there, though their task session has been ended. */
  const refused = new Map<SessionId, string>()
  const firstSeenMs = new Map<string, number>()

  return {
    refusal(sessionId, link) {
      const root = link?.root ?? refused.get(sessionId)
      if (root === undefined) return undefined
      if (!isStopped(root)) {
        refused.delete(sessionId)
        return undefined
      }
      refused.set(sessionId, root)
      return `The stop file ${STOP_FILE} is there: nothing new is begun in this task. A person has to remove it, and to review what was left.`
    },

    async attend(sessionId, link) {
      if (!isStopped(link.root)) {
        firstSeenMs.delete(link.taskSession)
        return
      }
      const task = await openTask(world, { cwd: link.root, slug: link.slug })
      const session = readSession(task.folder, link.taskSession)
      if (session?.state !== 'active') return
      // A session of our own may have a supervisor, which ends it within seconds and has seen more: it goes first.
      const nowMs = world.clock.monotonicMs()
      const sinceMs = firstSeenMs.get(link.taskSession) ?? nowMs
      firstSeenMs.set(link.taskSession, sinceMs)
      if (speakerOf(session).harness === OWN_HARNESS && nowMs - sinceMs < SUPERVISOR_MS) return
      refused.set(sessionId, link.root)
      await terminateSession(world, task, session, { trigger: STOP_FILE_TRIGGER, reason: STOP_FILE_TRIGGER.what })
      world.log.warn('task session ended by the stop file', { task: link.slug, session: link.taskSession })
    },
  }
}
