import { messageOf } from '../../kernel/errors.ts'
import { estimateTokens } from '../context-safety/estimate.ts'
import type { Config } from '../../kernel/config.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import type { SessionId } from '../../kernel/id.ts'
import type { Session } from '../../kernel/session.ts'
import { openTask } from '../files/open-task.ts'
import { readSession } from '../files/task-files.ts'
import type { TaskLink } from '../files/find-links.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import { attendContext, type Measurement, rearm } from './attend-context.ts'
import { contextLimits } from '../context-safety/io/context-limits.ts'

const ESTIMATED_EVENTS = 5_000

export interface ContextWatchDeps {
  readonly world: TaskWorld
  readonly taskOf: (sessionId: SessionId) => TaskLink | undefined
  readonly configFor: (worktree: string | undefined) => Promise<Config>
  /** The session with what its transcript tells up to this event. */
  readonly catchUp: (event: SessionEvent) => Promise<Session | undefined>
  /** How many tokens fit into the session's context; undefined where nobody knows. */
  readonly contextWindowOf: (session: Session) => number | undefined
}

export interface ContextWatch {
  /** After an event of any session was kept. Costs nothing for a session that works for no task. */
  follow(event: SessionEvent, session: Session): void
  drain(): Promise<void>
}

/** Measures the context of sessions that work for a task, at the end of each turn, tool and compaction. */
export function createContextWatch(deps: ContextWatchDeps): ContextWatch {
  const { world } = deps
  const queues = new Map<SessionId, Promise<void>>()

  async function measured(session: Session): Promise<Measurement> {
    if (session.contextTokens !== undefined) return { tokens: session.contextTokens, source: 'measured' }
    const events = await world.continuity.listEvents({ sessionId: session.id, limit: ESTIMATED_EVENTS })
    return { tokens: estimateTokens(events.map(({ event }) => event)), source: 'estimated' }
  }

  async function attend(event: SessionEvent, link: TaskLink, isEmptied: boolean): Promise<void> {
    const task = await openTask(world, { cwd: link.root, slug: link.slug })
    const taskSession = readSession(task.folder, link.taskSession)
    if (taskSession?.state !== 'active') return
    if (isEmptied) return await rearm(task, taskSession)
    const session = await deps.catchUp(event)
    if (session === undefined) return
    const { autosave } = await deps.configFor(link.root)
    const limits = contextLimits(task.governance, autosave, deps.contextWindowOf(session))
    await attendContext(world, task, taskSession, { ...(await measured(session)), limits })
  }

  return {
    follow(event, session) {
      const link = deps.taskOf(session.id)
      if (link === undefined || event.subagent !== undefined) return
      const isEmptied =
        event.kind === 'compaction-finished' || (event.kind === 'session-started' && event.source === 'clear')
      if (!isEmptied && event.kind !== 'turn-ended' && event.kind !== 'tool-finished') return
      const next: Promise<void> = (queues.get(session.id) ?? Promise.resolve())
        .then(() => attend(event, link, isEmptied))
        .catch((error: unknown) => {
          world.log.error('context not attended', { task: link.slug, error: messageOf(error) })
        })
        .finally(() => {
          if (queues.get(session.id) === next) queues.delete(session.id)
        })
      queues.set(session.id, next)
    },
    async drain() {
      while (queues.size > 0) await Promise.all(queues.values())
    },
  }
}
