import type { Rituals } from '../rituals.ts'
import { endSession } from './end-ritual.ts'
import { getCurrentSession, openTask } from '../files/open-task.ts'
import { heartbeatEvent } from '../files/task-events.ts'
import { startSession } from './start-ritual.ts'
import { suspendSession, terminateSession } from './stop-session.ts'
import { addIncident } from '../files/task-files.ts'
import type { TaskWorld } from '../files/task-ports.ts'

export function createRituals(world: TaskWorld): Rituals {
  return {
    start: (input) => startSession(world, input),
    end: (input) => endSession(world, input),
    async suspend({ sessionId, reason, content, ...at }) {
      const task = await openTask(world, at)
      return suspendSession(world, task, getCurrentSession(task.folder, sessionId), { reason, content })
    },
    async terminate({ sessionId, reason, content, trigger, ...at }) {
      const task = await openTask(world, at)
      return terminateSession(world, task, getCurrentSession(task.folder, sessionId), { reason, content, trigger })
    },
    async heartbeat({ sessionId, process, ...at }) {
      const { folder, place } = await openTask(world, at)
      const session = getCurrentSession(folder, sessionId)
      const saying = { at: world.clock.now(), cwd: place.worktree, world }
      await world.continuity.recordAll([
        heartbeatEvent(session, { ...saying, ...(process !== undefined && { process }) }),
      ])
    },
    async incident(at, incident) {
      const { folder } = await openTask(world, at)
      await addIncident(folder, { at: world.clock.now(), ...incident })
    },
  }
}
