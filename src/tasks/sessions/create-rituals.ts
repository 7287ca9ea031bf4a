import type { Rituals } from '../rituals.ts'
import { endSession } from './end-session.ts'
import { getCurrentSession, openTask } from '../files/open-task.ts'
import { createHeartbeatEvent } from '../files/task-events.ts'
import { startSession } from './start-session.ts'
import { giveUpSession, reopenSession } from './close-session.ts'
import { suspendSession } from './suspend-session.ts'
import { terminateSession } from './terminate-session.ts'
import { addIncident } from '../files/task-files.ts'
import type { TaskPorts } from '../files/task-ports.ts'

export function createRituals(ports: TaskPorts): Rituals {
  return {
    start: (input) => startSession(ports, input),
    end: (input) => endSession(ports, input),
    async suspend({ sessionId, reason, content, ...at }) {
      const task = await openTask(ports, at)
      return suspendSession(ports, task, getCurrentSession(task.folder, sessionId), { reason, content })
    },
    reopen: async ({ sessionId, reason, ...at }) =>
      reopenSession(ports, await openTask(ports, at), { sessionId, reason }),
    giveUp: async ({ sessionId, reason, ...at }) =>
      giveUpSession(ports, await openTask(ports, at), { sessionId, reason }),
    async terminate({ sessionId, reason, content, trigger, ...at }) {
      const task = await openTask(ports, at)
      return terminateSession(ports, task, getCurrentSession(task.folder, sessionId), { reason, content, trigger })
    },
    async heartbeat({ sessionId, process, ...at }) {
      const { folder, location } = await openTask(ports, at)
      const session = getCurrentSession(folder, sessionId)
      const context = { at: ports.clock.now(), cwd: location.worktree, ports, process }
      await ports.continuity.recordAll([createHeartbeatEvent(session, context)])
    },
    async addIncident(at, incident) {
      const { folder } = await openTask(ports, at)
      await addIncident(folder, { at: ports.clock.now(), ...incident })
    },
  }
}
