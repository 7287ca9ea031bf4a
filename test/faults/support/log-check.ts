import type { SessionEvent, StoredEvent } from '../../../src/kernel/event.ts'
import type { Store } from '../../../src/kernel/ports/ports.ts'
import { openSqliteStore } from '../../../src/storage/sqlite/engine.ts'
import { resolveHome } from '../../../src/platform/base/home.ts'

/** What the log keeps of an event, as far as these tests ask. */
export interface LogRow {
  readonly seq: number
  readonly id: string
  readonly session: string
}

/** What was acknowledged to senders, and what they tried. */
export interface Sent {
  /** Durable, the daemon said: id to seq, in the order in which each session sent them. */
  readonly acknowledged: ReadonlyMap<string, number>
  readonly attempted: ReadonlySet<string>
}

/** Everything that is wrong with a log, in sentences; empty when it kept its word. */
export function faultsIn(log: readonly LogRow[], { acknowledged, attempted }: Sent): readonly string[] {
  const faults: string[] = []
  const seqOf = new Map<string, number>()
  const sessionOf = new Map<string, string>()
  log.forEach(({ seq, id, session }, index) => {
    if (seq !== index + 1) faults.push(`seq ${seq} stands where ${index + 1} should`)
    if (seqOf.has(id)) faults.push(`${id} is there twice`)
    if (!attempted.has(id)) faults.push(`${id} was never sent`)
    seqOf.set(id, seq)
    sessionOf.set(id, session)
  })
  const latest = new Map<string, number>()
  for (const [id, promised] of acknowledged) {
    const seq = seqOf.get(id)
    const session = sessionOf.get(id) ?? ''
    if (seq === undefined) faults.push(`${id} was acknowledged and is lost`)
    else if (seq !== promised) faults.push(`${id} was acknowledged as ${promised} and is ${seq}`)
    else if (seq < (latest.get(session) ?? 0)) faults.push(`${id} is out of its session's order`)
    if (seq !== undefined) latest.set(session, seq)
  }
  return faults
}

export async function allEvents(store: Store): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  for (;;) {
    const page = await store.listEvents({ afterSeq: events.at(-1)?.seq ?? 0, limit: 1_000 })
    if (page.length === 0) return events
    events.push(...page)
  }
}

export interface KeptLog {
  readonly events: readonly StoredEvent[]
  readonly rows: readonly LogRow[]
  /** What the store itself finds wrong. */
  readonly findings: readonly unknown[]
}

const rowOf = ({ seq, event }: { seq: number; event: SessionEvent }): LogRow => ({
  seq,
  id: event.id,
  session: event.sessionKey,
})

/** Opens the database of a home whose daemon is gone. Damage is set aside only if a place for it is named. */
export async function readKeptLog(home: string, quarantineDir?: string): Promise<KeptLog> {
  await using store = await openSqliteStore({ file: resolveHome({ HOLDFAST_HOME: home }).databaseFile, quarantineDir })
  const events = await allEvents(store)
  return { events, rows: events.map(rowOf), findings: await store.verify() }
}
