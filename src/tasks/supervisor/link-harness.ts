import { messageOf } from '../../kernel/errors.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import { EventId } from '../../kernel/id.ts'
import type { Clock } from '../../kernel/ports/ports.ts'
import type { Session } from '../../kernel/session.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { ProcessRow } from './process/process-table.ts'

/** How a supervised agent's own session in the event log comes to work for the task. */
export interface HarnessLinks {
  /** Sessions of this checkout that are under way. */
  readonly list: () => Promise<readonly Session[]>
  readonly record: (events: readonly SessionEvent[]) => Promise<unknown>
}

function isBehind({ process }: Session, rows: readonly ProcessRow[]): boolean {
  return rows.some(
    ({ pid, startedAt }) =>
      pid === process?.pid && (process.startedAt ?? startedAt).split(':').at(-1) === startedAt.split(':').at(-1),
  )
}

export interface LinkerOptions extends HarnessLinks {
  readonly root: string
  readonly clock: Pick<Clock, 'now'>
  readonly onProblem: (text: string) => void
}

/**
 * Says of every harness session that runs in a process of ours that it works for this task session, so that what its
 * hooks show becomes checkpoints of the task. Once for each; one that has no hooks is never seen, and loses nothing else.
 */
export function createLinker(options: LinkerOptions): (session: TaskSession, rows: readonly ProcessRow[]) => void {
  const linked = new Set<string>()
  let isUnderWay = false
  let isMute = false

  async function link(session: TaskSession, rows: readonly ProcessRow[]): Promise<void> {
    for (const found of await options.list()) {
      if (linked.has(found.id) || !isBehind(found, rows)) continue
      await options.record([
        {
          kind: 'task-session-changed',
          id: EventId(`${session.session_id}/linked/${found.id}`),
          harness: found.harness,
          sessionKey: found.key,
          at: options.clock.now(),
          door: 'cli',
          cwd: options.root,
          task: session.task_slug,
          taskSession: session.session_id,
          state: 'active',
          gate: session.current_gate,
          reason: 'it runs under the supervision of this task',
        },
      ])
      linked.add(found.id)
    }
  }

  return (session, rows) => {
    if (isUnderWay) return
    isUnderWay = true
    link(session, rows)
      .catch((thrown: unknown) => {
        if (!isMute) options.onProblem(`The agent's own session is not followed: ${messageOf(thrown)}`)
        isMute = true
      })
      .finally(() => {
        isUnderWay = false
      })
  }
}
