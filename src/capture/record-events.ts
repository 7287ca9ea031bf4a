import type { CaptureUseCases, Recorded } from './use-cases.ts'
import type { SessionEvent } from '../kernel/event.ts'
import type { AppendEntry, Appended } from '../kernel/ports/ports.ts'
import { redactEvent } from '../redaction/redact-event.ts'
import { advance, type CadenceConfig } from '../kernel/session.ts'
import type { ContinuityDeps } from '../kernel/ports/runtime.ts'

export interface Recording {
  readonly recordAll: CaptureUseCases['recordAll']
  /** Redacts and keeps; tells which were new, and follows no effects. What the transcript is caught up with. */
  append(events: readonly SessionEvent[]): Promise<readonly Appended[]>
}

/** The one way in for facts: locate, redact, keep durably, then tell. */
export function createRecording(
  deps: ContinuityDeps,
  tell: (appended: Appended, event: SessionEvent) => void,
  follow: (appended: Appended) => void,
): Recording {
  async function entryOf(event: SessionEvent): Promise<AppendEntry> {
    const place = event.cwd === undefined ? undefined : await deps.places.locate(event.cwd)
    const redactor = await deps.redactors.forWorktree(place?.worktree, event.cwd)
    const { id, name } = deps.machine
    return { event: redactEvent(event, redactor), place, machine: { id, name } }
  }

  /** Where capturing is switched off: an answer as for an event that is known, and nothing is written. */
  function leftOut({ event, place }: AppendEntry, cadence: CadenceConfig): Appended {
    const { session } = advance(undefined, event, { seq: 0, place, cadence })
    return { seq: 0, isNew: false, session, effects: [] }
  }

  async function append(events: readonly SessionEvent[]): Promise<readonly Appended[]> {
    if (events.length === 0) return []
    const entries = await Promise.all(events.map(entryOf))
    const configs = await Promise.all(entries.map(({ place }) => deps.configFor(place?.worktree)))
    const isWanted = (_: unknown, index: number) => configs[index]?.continuity.enabled === true
    const wanted = entries.filter(isWanted)
    const cadence = configs.find(({ continuity }) => continuity.enabled)?.continuity
    const appended = cadence === undefined ? [] : await deps.store.append(wanted, cadence)
    wanted.forEach(({ event }, index) => {
      const result = appended[index]
      if (result?.isNew === true) tell(result, event)
    })
    const rest = appended.values()
    return entries.flatMap((entry, index) => {
      const { continuity } = configs[index] ?? {}
      return continuity?.enabled === false ? [leftOut(entry, continuity)] : (rest.next().value ?? [])
    })
  }

  async function recordAll(events: readonly SessionEvent[]): Promise<readonly Recorded[]> {
    const appended = await append(events)
    for (const result of appended) if (result.isNew) follow(result)
    return appended.map(({ seq, isNew, session }) => ({ seq, isNew, session }))
  }

  return { recordAll, append }
}
