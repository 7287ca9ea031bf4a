import { hashOf, type TaskWorld } from './task-ports.ts'
import type { OpenTask } from './open-task.ts'

/**
 * One of S2's lines into the session's own log, as it is, and beside it the same with its fields as JSON. A file for each
 * session: two clones never write the same one.
 */
export async function addLogLine(
  world: Pick<TaskWorld, 'clock'>,
  { folder, governance }: OpenTask,
  sessionId: string | undefined,
  line: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  if (sessionId === undefined) return
  const time = world.clock.now()
  await folder.locked(() => {
    folder.append(`logs/sessions/${sessionId}.log`, `${line.replace(/[\r\n]+/g, ' ')}\n`)
    folder.appendJson(`logs/sessions/${sessionId}.ndjson`, {
      time,
      service: governance.service,
      task: folder.slug,
      session_id: sessionId,
      trace_id: hashOf(sessionId).slice(0, 32),
      line,
      ...fields,
    })
  })
}
