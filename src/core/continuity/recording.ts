import type { Continuity, Recorded } from '../continuity.ts'
import type { SessionEvent } from '../event.ts'
import { sessionIdOfEvent } from '../event.ts'
import type { AppendEntry, Appended } from '../ports.ts'
import { redactEvent } from '../redact-event.ts'
import type { Announce, ContinuityDeps } from './deps.ts'

export interface Recording {
  readonly recordAll: Continuity['recordAll']
  /** Redacts and keeps; tells which were new, and follows no effects. What the transcript is caught up with. */
  append(events: readonly SessionEvent[]): Promise<readonly Appended[]>
}

/** The one way in for facts: locate, redact, keep durably, then tell. */
export function createRecording(
  deps: ContinuityDeps,
  announce: Announce,
  follow: (appended: Appended) => void,
): Recording {
  async function entryOf(event: SessionEvent): Promise<AppendEntry> {
    const place = event.cwd === undefined ? undefined : await deps.places.locate(event.cwd)
    const redactor = await deps.redactors.forWorktree(place?.worktree)
    return { event: redactEvent(event, redactor), place }
  }

  async function append(events: readonly SessionEvent[]): Promise<readonly Appended[]> {
    if (events.length === 0) return []
    const entries = await Promise.all(events.map(entryOf))
    const { continuity } = await deps.configFor(entries[0]?.place?.worktree)
    const appended = await deps.store.append(entries, continuity)
    appended.forEach((result, index) => {
      const event = events[index]
      if (!result.isNew || event === undefined) return
      announce({ seq: result.seq, kind: 'event', sessionId: sessionIdOfEvent(event), detail: event.kind })
    })
    return appended
  }

  async function recordAll(events: readonly SessionEvent[]): Promise<readonly Recorded[]> {
    const appended = await append(events)
    for (const result of appended) if (result.isNew) follow(result)
    return appended.map(({ seq, isNew, session }) => ({ seq, isNew, session }))
  }

  return { recordAll, append }
}
