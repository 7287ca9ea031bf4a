import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import type { SessionId } from '../../kernel/id.ts'
import { getEventSource, HOLDFAST_HARNESS } from '../files/task-events.ts'
import { openTask } from '../files/open-task.ts'
import { isStopped, STOP_FILE, STOP_FILE_TRIGGER } from '../files/stop-file.ts'
import { terminateSession } from './terminate-session.ts'
import { EMERGENCY, readSession } from '../files/task-files.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import type { TaskLink } from '../files/task-links.ts'
import type { TaskFolder } from '../files/task-folder.ts'

const EmergencyCheckpoint = z.looseObject({
  timestamp: z.string(),
  trigger: z.string(),
  recovery: z.looseObject({ manual_review_required: z.boolean() }),
})

/** Refuses while the stop file exists, and after an emergency stop until a person has confirmed a review. */
export function requireEmergencyReview(
  folder: TaskFolder,
  given: { readonly isReviewed: boolean; readonly at: string },
): void {
  if (isStopped(folder.root))
    throw new HoldfastError('conflict', `The stop file ${STOP_FILE} exists; not starting.`, {
      hint: 'Remove it once its reason no longer applies.',
    })
  const found = folder.json(EMERGENCY, EmergencyCheckpoint)
  if (found?.recovery.manual_review_required !== true) return
  if (!given.isReviewed)
    throw new HoldfastError(
      'conflict',
      `The task ${folder.slug} was stopped in an emergency at ${found.timestamp} (${found.trigger}) and has not been reviewed.`,
      { hint: `Read ${folder.resolvePath(EMERGENCY)} and the patch beside it, then run again with --reviewed.` },
    )
  folder.writeJson(EMERGENCY, {
    ...found,
    recovery: { ...found.recovery, manual_review_required: false, reviewed_at: given.at },
  })
}

/** Time a supervisor gets to end its own session and write its records. */
const SUPERVISOR_MS = 10_000

export interface StopFileWatch {
  /** Why this session may not start anything new; undefined if it has no task or no stop file exists. */
  findRefusal(sessionId: SessionId, link: TaskLink | undefined): string | undefined
  /** Terminates the task session if the stop file exists. */
  stopIfRequested(sessionId: SessionId, link: TaskLink): Promise<void>
}

/** The emergency stop by the stop file. Applies only to sessions linked to a task. */
export function createStopFileWatch(ports: TaskPorts): StopFileWatch {
  /** Refused sessions stay refused while the file exists, even after their task session has ended. */
  const refused = new Map<SessionId, string>()
  const firstSeenMs = new Map<string, number>()

  return {
    findRefusal(sessionId, link) {
      const root = link?.root ?? refused.get(sessionId)
      if (root === undefined) return undefined
      if (!isStopped(root)) {
        refused.delete(sessionId)
        return undefined
      }
      refused.set(sessionId, root)
      return `The stop file ${STOP_FILE} exists: nothing new may start in this task. A person has to remove it and review the emergency checkpoint.`
    },

    async stopIfRequested(sessionId, link) {
      if (!isStopped(link.root)) {
        firstSeenMs.delete(link.taskSession)
        return
      }
      const task = await openTask(ports, { cwd: link.root, slug: link.slug })
      const session = readSession(task.folder, link.taskSession)
      if (session?.state !== 'active') return
      // A supervisor ends its own session within seconds and knows more about it, so it goes first.
      const nowMs = ports.clock.monotonicMs()
      const sinceMs = firstSeenMs.get(link.taskSession) ?? nowMs
      firstSeenMs.set(link.taskSession, sinceMs)
      if (getEventSource(session).harness === HOLDFAST_HARNESS && nowMs - sinceMs < SUPERVISOR_MS) return
      refused.set(sessionId, link.root)
      await terminateSession(ports, task, session, { trigger: STOP_FILE_TRIGGER, reason: STOP_FILE_TRIGGER.what })
      ports.log.warn('task session ended by the stop file', { task: link.slug, session: link.taskSession })
    },
  }
}
