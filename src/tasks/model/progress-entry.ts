import type { CheckpointContent, TaskCheckpoint } from './task-checkpoint.ts'
import type { TaskSession } from './task-session.ts'

export interface ProgressFacts {
  readonly session: TaskSession
  readonly content: CheckpointContent
  /** Of this session, in order. */
  readonly checkpoints: readonly TaskCheckpoint[]
  readonly endedAt: string
}

/** Minutes and hours as people say them; a clock that went back makes no negative time. */
export function durationText(from: string, to: string): string {
  const minutes = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 60_000))
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
const listed = (items: readonly string[]) => (items.length === 0 ? 'none' : items.map(oneLine).join('; '))

/** S2's entry in `work/implementation-log.md`. */
export function progressEntry({ session, content, checkpoints, endedAt }: ProgressFacts): string {
  const done = [content.summary ?? '', ...checkpoints.map(({ summary }) => summary)].filter((text) => text !== '')
  return `
## Session ${session.started_at.slice(0, 10)} (${durationText(session.started_at, endedAt)})

**Session**: ${session.session_id}
**Goal**: ${oneLine(session.goal ?? 'not told')}
**Completed**: ${listed(done.slice(0, 20))}
**Blocked**: ${listed(content.blockers ?? [])}
**Next**: ${listed(content.nextSteps ?? [])}
`
}
