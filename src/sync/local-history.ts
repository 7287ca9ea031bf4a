import type { StoredCheckpoint } from '../kernel/checkpoint.ts'
import { getSessionId, type SessionEvent } from '../kernel/event.ts'
import type { SessionId } from '../kernel/id.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { Session } from '../kernel/session.ts'
import { redactCheckpoint } from '../redaction/redact-checkpoint.ts'
import { redactDeep } from '../redaction/redact-deep.ts'
import { redactEvent } from '../redaction/redact-event.ts'
import { isOwnSession } from '../transfer/records/own-records.ts'
import type { DataRecord } from '../transfer/records/record.ts'
import type { RoutedRecord } from './record.ts'
import type { HistoryCursor, HistoryPage } from './replica.ts'

const EVENTS_PER_PAGE = 300
const HEADS_PER_PAGE = 500
const CHECKPOINTS_OF_SHARED = 200

/** Without what is true on this machine only: processes, and paths of files that others do not have. */
function toPortableEvent(event: SessionEvent): SessionEvent {
  const { process: _process, transcriptPath: _transcriptPath, cwd: _cwd, ...portable } = event
  return portable
}

function toPortableCheckpoint({ checkpoint }: StoredCheckpoint): StoredCheckpoint['checkpoint'] {
  const { work } = checkpoint
  const inFlight = work.inFlight?.map(({ pid: _pid, port: _port, ...what }) => what)
  return { ...checkpoint, work: { ...work, ...(inFlight !== undefined && { inFlight }) } }
}

interface LocalHistory {
  readHistory(after: HistoryCursor, toRepository: (record: DataRecord) => string): Promise<HistoryPage>
  /** The checkpoints of a session that was shared. Its events stay with the machines of this person. */
  listSharedHistory(id: SessionId): Promise<readonly DataRecord[]>
}

/** What this machine recorded: its own sessions, in their order. */
export function createLocalHistory(ports: ContinuityPorts): LocalHistory {
  const { store, machine } = ports
  const ref = { id: machine.hostId, name: machine.name }
  const isOwn = (session: Session | undefined) => session === undefined || isOwnSession(session, ports)

  async function listNewCheckpoints(afterSeq: number): Promise<readonly number[]> {
    const seqs: number[] = []
    for (let beforeSeq: number | undefined; ; ) {
      const heads = await store.listCheckpointHeads({
        ...(beforeSeq !== undefined && { beforeSeq }),
        limit: HEADS_PER_PAGE,
      })
      const fresh = heads.filter(({ seq }) => seq > afterSeq)
      seqs.push(...fresh.map(({ seq }) => seq))
      if (fresh.length < HEADS_PER_PAGE) return seqs.toReversed()
      beforeSeq = fresh.at(-1)?.seq
    }
  }

  async function readCheckpoint(seq: number): Promise<StoredCheckpoint | undefined> {
    const [found] = await store.listCheckpoints({ beforeSeq: seq + 1, limit: 1 })
    return found?.seq === seq ? found : undefined
  }

  async function toCheckpointRecord(stored: StoredCheckpoint): Promise<DataRecord> {
    const value = toPortableCheckpoint(stored)
    const redactor = await ports.redactors.forWorktree(value.place.worktree)
    return { kind: 'checkpoint', value: redactCheckpoint(value, redactor) }
  }

  return {
    async readHistory({ eventSeq, checkpointSeq }, toRepository) {
      const route = (record: DataRecord): RoutedRecord => ({ record, repository: toRepository(record) })
      const sessions = new Map<SessionId, Session | undefined>()
      const getSession = async (id: SessionId) => {
        if (!sessions.has(id)) sessions.set(id, await store.findSession(id))
        return sessions.get(id)
      }
      const lastSeq = await store.lastSeq()
      const events = await store.listEvents({ afterSeq: eventSeq, limit: EVENTS_PER_PAGE })
      const isEnd = events.length < EVENTS_PER_PAGE
      const upTo = isEnd ? Math.max(lastSeq, events.at(-1)?.seq ?? eventSeq) : (events.at(-1)?.seq ?? eventSeq)
      const items: { readonly seq: number; readonly record: RoutedRecord }[] = []
      for (const { seq, event } of events) {
        const session = await getSession(getSessionId(event))
        if (!isOwn(session)) continue
        const place = session?.place
        const redactor = await ports.redactors.forWorktree(place?.worktree)
        const record: DataRecord = {
          kind: 'event',
          value: {
            event: redactEvent(toPortableEvent(event), redactor),
            ...(place !== undefined && { place: redactDeep(place, redactor) }),
            machine: ref,
          },
        }
        items.push({ seq, record: route(record) })
      }
      let lastCheckpoint = checkpointSeq
      for (const seq of await listNewCheckpoints(checkpointSeq)) {
        const stored = await readCheckpoint(seq)
        // A damaged row is not sent.
        if (stored !== undefined && stored.checkpoint.eventSeq > upTo) break
        lastCheckpoint = seq
        if (stored === undefined || stored.checkpoint.handedOverBy !== undefined) continue
        if (!isOwn(await getSession(stored.checkpoint.sessionId))) continue
        // After the events that it is made from.
        const after = stored.checkpoint.eventSeq + 0.5
        items.push({ seq: after, record: route(await toCheckpointRecord(stored)) })
      }
      return {
        records: items.toSorted((one, other) => one.seq - other.seq).map(({ record }) => record),
        cursor: { eventSeq: upTo, checkpointSeq: lastCheckpoint },
        isEnd,
      }
    },
    async listSharedHistory(id) {
      const stored = await store.listCheckpoints({ sessionId: id, limit: CHECKPOINTS_OF_SHARED })
      const own = stored.filter(({ checkpoint }) => checkpoint.handedOverBy === undefined)
      return Promise.all(own.toReversed().map(toCheckpointRecord))
    },
  }
}
