import type { SessionEvent } from '../kernel/event.ts'
import type { AppendEntry, AppendResult } from '../kernel/ports/ports.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import { advance, type CadenceConfig } from '../kernel/session.ts'
import { limitEvent } from '../redaction/capture-level.ts'
import { redactEvent } from '../redaction/redact-event.ts'
import type { EventOrigin, OnEvent } from './on-event.ts'
import type { RecordResult } from './use-cases.ts'

/** Locates, redacts and stores events in order, then notifies the subscribers of each new one. A known id is a no-op. */
export type RecordEvents = (events: readonly SessionEvent[], origin: EventOrigin) => Promise<readonly RecordResult[]>

/** The result for an event of a project in which capturing is switched off: nothing is written. */
function skip({ event, location }: AppendEntry, cadence: CadenceConfig): AppendResult {
  const { session } = advance(undefined, event, { seq: 0, location, cadence })
  return { seq: 0, isNew: false, session, effects: [] }
}

export function createRecordEvents(
  ports: Pick<ContinuityPorts, 'locator' | 'redactors' | 'machine' | 'configFor' | 'store'>,
  onEvent: OnEvent,
): RecordEvents {
  async function toEntry(event: SessionEvent): Promise<AppendEntry> {
    const location = event.cwd === undefined ? undefined : await ports.locator.locate(event.cwd)
    const redactor = await ports.redactors.forWorktree(location?.worktree, event.cwd)
    const { id, name } = ports.machine
    return { event: redactEvent(event, redactor), location, machine: { id, name } }
  }

  return async (events, origin) => {
    if (events.length === 0) return []
    const entries = await Promise.all(events.map(toEntry))
    const configs = await Promise.all(entries.map(({ location }) => ports.configFor(location?.worktree)))
    const wanted = entries.flatMap((entry, index) => {
      const { continuity } = configs[index] ?? {}
      return continuity?.enabled === true ? [{ ...entry, event: limitEvent(entry.event, continuity.capture) }] : []
    })
    const cadence = configs.find(({ continuity }) => continuity.enabled)?.continuity
    const appended = cadence === undefined ? [] : await ports.store.append(wanted, cadence)
    wanted.forEach(({ event }, index) => {
      const result = appended[index]
      if (result?.isNew === true) onEvent(origin, event, result)
    })
    const stored = appended.values()
    return entries.flatMap((entry, index) => {
      const { continuity } = configs[index] ?? {}
      const result = continuity?.enabled === false ? skip(entry, continuity) : stored.next().value
      return result === undefined ? [] : [{ seq: result.seq, isNew: result.isNew, session: result.session }]
    })
  }
}
