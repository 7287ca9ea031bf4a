import { getErrorMessage } from '../../kernel/errors.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import { EventId } from '../../kernel/id.ts'
import type { Clock } from '../../kernel/ports/ports.ts'
import type { Session } from '../../kernel/session.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { ProcessRow } from './process/process-table.ts'

export interface HarnessLinks {
  /** Open sessions of this checkout. */
  readonly list: () => Promise<readonly Session[]>
  readonly record: (events: readonly SessionEvent[]) => Promise<unknown>
}

function runsIn({ process }: Session, rows: readonly ProcessRow[]): boolean {
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

/** Links each harness session that runs in a process of this run to the task session, so that its events become task checkpoints. */
export function createLinker(options: LinkerOptions): (session: TaskSession, rows: readonly ProcessRow[]) => void {
  const linked = new Set<string>()
  let isLinking = false
  let hasReported = false

  async function link(session: TaskSession, rows: readonly ProcessRow[]): Promise<void> {
    for (const found of await options.list()) {
      if (linked.has(found.id) || !runsIn(found, rows)) continue
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
          reason: 'it runs in a supervised process of this task',
        },
      ])
      linked.add(found.id)
    }
  }

  return (session, rows) => {
    if (isLinking) return
    isLinking = true
    link(session, rows)
      .catch((thrown: unknown) => {
        if (!hasReported) options.onProblem(`The agent's own session is not linked: ${getErrorMessage(thrown)}`)
        hasReported = true
      })
      .finally(() => {
        isLinking = false
      })
  }
}
