import type { SyncEntry, SyncEntryName } from '../kernel/ports/sync-store.ts'
import type { SealedBatch, SyncLog } from '../kernel/ports/sync-transport.ts'
import type { ExchangePorts } from './exchange-ports.ts'
import { type KnownVersion, toEntry, toLogName, toRangeName } from './ledger.ts'
import { type BatchContent, getRecordKey, getVersion, isHistory, isMissingThere } from './record.ts'
import type { RecordSource } from './replica.ts'
import { RefusedBatch } from './sealing.ts'

const READ_BYTES = 4_000_000

/** Parses and validates the content of a batch; throws a `RefusedBatch`. */
export type ReadContent = (text: string, batch: SealedBatch) => BatchContent

export interface ReceivePorts extends ExchangePorts {
  readonly readContent: ReadContent
}

/** Stores what is new in these records; returns the versions to note with the position of the log. */
async function applyContent(ports: ReceivePorts, batch: SealedBatch, content: BatchContent): Promise<SyncEntry[]> {
  const { ledger, replica, sha256 } = ports
  const { audience, machine, principal } = batch
  // The name is what the machine calls itself; the id is the one whose key signed.
  const source: RecordSource = { machine: { id: machine, name: content.machine.name }, principal, audience }
  await replica.storeRecords(content.records, source)
  const things = content.records.filter((record) => !isHistory(record))
  const keys = things.map((record) => getRecordKey(record, sha256))
  const there = await ledger.versions(audience, keys)
  const changed = new Map<string, KnownVersion>()
  for (const [index, key] of keys.entries()) {
    const record = things[index]
    if (record === undefined) continue
    const version = getVersion(record, sha256)
    if (isMissingThere(changed.get(key) ?? there.get(key), version)) changed.set(key, { ...version, by: machine })
  }
  return [...changed].map(([key, version]) => ledger.versionEntry(audience, key, version))
}

/** Verifies, opens and stores one batch; the returned entries are to be written with its position. */
async function takeBatch(ports: ReceivePorts, batch: SealedBatch): Promise<readonly SyncEntry[]> {
  const isOwn = batch.machine === ports.replica.machine.id
  const signKey = isOwn ? ports.sealing.keys.signKey : ports.members.get(batch.machine)?.signKey
  if (signKey === undefined) throw new RefusedBatch('unknown-machine')
  if (!ports.audiences.includes(batch.audience)) throw new RefusedBatch('damaged')
  // A folder is for the machines of one person; of a team, each machine belongs to the person that it joined with.
  const principal = batch.audience === 'me' ? ports.principal : ports.members.get(batch.machine)?.principal
  if (!isOwn && batch.principal !== principal) throw new RefusedBatch('author')
  const content = ports.readContent(await ports.sealing.open(batch, signKey, ports.keys), batch)
  if (content.records.length !== batch.last - batch.first + 1) throw new RefusedBatch('damaged')
  const entries = await applyContent(ports, batch, content)
  ports.onProgress({ sent: 0, received: content.records.length })
  return entries
}

function toRange(ports: ReceivePorts, log: SyncLog, range: { first: number; last: number }, refused: RefusedBatch) {
  const { repository, machine } = log
  return toEntry(ports.ledger.name('refused', toRangeName(log, range.first)), {
    repository,
    machine,
    first: range.first,
    last: range.last,
    refusal: refused.refusal,
    at: ports.clock.now(),
  })
}

/**
 * A team server deletes the private batches of a person who leaves, and keeps the number: who joins again continues behind
 * it, and sends what was in them again.
 */
function isTrimmed({ hasPersonKeys, replica }: ReceivePorts, { machine }: SyncLog, position: number): boolean {
  return hasPersonKeys === true && (position === 0 || machine === replica.machine.id)
}

async function readLog(ports: ReceivePorts, log: SyncLog, from: number): Promise<void> {
  const { ledger, transport } = ports
  const { repository, machine } = log
  const name = ledger.name('position', toLogName(log))
  let position = from
  while (position < log.head && !ports.shouldStop()) {
    const read = await transport.readBatches({ repository, machine, after: position, maxBytes: READ_BYTES })
    const following = read.filter((batch) => batch.last > position).toSorted((one, other) => one.first - other.first)
    const before = position
    for (const batch of following) {
      if (batch.last <= position) continue
      const saved: SyncEntry[] = []
      if (batch.first > position + 1 && !isTrimmed(ports, log, position))
        saved.push(toRange(ports, log, { first: position + 1, last: batch.first - 1 }, new RefusedBatch('missing')))
      try {
        if (batch.repository !== repository || batch.machine !== machine || batch.first <= position)
          throw new RefusedBatch('out-of-place')
        saved.push(...(await takeBatch(ports, batch)))
      } catch (thrown) {
        if (!(thrown instanceof RefusedBatch)) throw thrown
        saved.push(toRange(ports, log, { first: Math.max(batch.first, position + 1), last: batch.last }, thrown))
      }
      position = batch.last
      await ledger.write([...saved, toEntry(name, position)])
    }
    if (position === before) {
      const missing = { first: position + 1, last: log.head }
      await ledger.write(
        isTrimmed(ports, log, position)
          ? [toEntry(name, log.head)]
          : [toRange(ports, log, missing, new RefusedBatch('missing'))],
      )
      return
    }
  }
}

/** A refused batch may have been repaired, or its machine accepted, or this program be a newer version. */
async function retryRefused(ports: ReceivePorts): Promise<void> {
  const { ledger, transport } = ports
  for (const [name, { repository, machine, first, last }] of await ledger.refused()) {
    const batches = await transport.readBatches({ repository, machine, after: first - 1, maxBytes: READ_BYTES })
    let next = first
    const saved: SyncEntry[] = []
    for (const batch of batches.toSorted((one, other) => one.first - other.first)) {
      if (batch.first !== next || batch.last > last || batch.machine !== machine || batch.repository !== repository)
        break
      try {
        saved.push(...(await takeBatch(ports, batch)))
      } catch (thrown) {
        if (!(thrown instanceof RefusedBatch)) throw thrown
        break
      }
      next = batch.last + 1
    }
    if (next === first) continue
    const removed: SyncEntryName[] = [ledger.name('refused', name)]
    const left = toRange(ports, { repository, machine, head: last }, { first: next, last }, new RefusedBatch('missing'))
    await ledger.write(next > last ? saved : [...saved, left], removed)
    const position = (await ledger.positions()).get(toLogName({ repository, machine })) ?? 0
    // It was the end of the log.
    if (next - 1 > position)
      await ledger.write([toEntry(ledger.name('position', toLogName({ repository, machine })), next - 1)])
  }
}

/** A home that was restored from a backup is behind its own log: it reads that first, and continues after it. */
export async function catchUpOwnLog(ports: ReceivePorts): Promise<void> {
  const positions = await ports.ledger.positions()
  for (const log of await ports.transport.listLogs())
    if (log.machine === ports.replica.machine.id) await readLog(ports, log, positions.get(toLogName(log)) ?? 0)
}

/** Everything of the other machines that this one does not have yet. */
export async function receiveRecords(ports: ReceivePorts): Promise<void> {
  const { ledger, replica, members } = ports
  if ((await ledger.refused()).size > 0) await retryRefused(ports)
  const positions = await ledger.positions()
  for (const log of await ports.transport.listLogs()) {
    if (ports.shouldStop()) return
    const state = members.get(log.machine)?.state
    if (log.machine === replica.machine.id || (state !== 'accepted' && state !== 'left')) continue
    await readLog(ports, log, positions.get(toLogName(log)) ?? 0)
  }
}
