import { canonicalJson } from '../kernel/json-shape.ts'
import type { SyncEntry } from '../kernel/ports/sync-store.ts'
import type { SealedBatch, SyncAudience } from '../kernel/ports/sync-transport.ts'
import type { ExchangePorts } from './exchange-ports.ts'
import { toEntry, toLogName, toRangeName } from './ledger.ts'
import {
  BATCH_FORMAT,
  type BatchContent,
  getRecordKey,
  getVersion,
  isMissingThere,
  type RoutedRecord,
} from './record.ts'
import { findKey, type SpaceKey } from './sealing.ts'

const BATCH_RECORDS = 500
const BATCH_CHARS = 500_000
const COMPARED_AT_ONCE = 200

/** A batch in the outbox: the same bytes are sent again after a crash, so that a place in the log never gets two contents. */
export interface StoredBatch extends Omit<SealedBatch, 'bytes'> {
  /** Base64. */
  readonly bytes: string
}

const toStoredBatch = (batch: SealedBatch): StoredBatch => ({
  ...batch,
  bytes: Buffer.from(batch.bytes).toString('base64'),
})

interface Page {
  readonly audience: SyncAudience
  readonly records: readonly RoutedRecord[]
  /** Stored with the batches, in one transaction. */
  readonly marks: readonly SyncEntry[]
}

/** Sends what is in the outbox, in order. */
async function deliverOutbox({ ledger, transport, onProgress }: ExchangePorts): Promise<void> {
  const waiting = [...(await ledger.outbox())].toSorted(([one], [other]) => (one < other ? -1 : 1))
  for (const [name, stored] of waiting) {
    const batch = stored as StoredBatch
    await transport.appendBatch({ ...batch, bytes: new Uint8Array(Buffer.from(batch.bytes, 'base64')) })
    await ledger.write([], [ledger.name('outbox', name)])
    onProgress({ sent: batch.last - batch.first + 1, received: 0 })
  }
}

function slice(records: readonly RoutedRecord[]): readonly (readonly RoutedRecord[])[] {
  const slices: RoutedRecord[][] = []
  let chars = BATCH_CHARS
  for (const routed of records) {
    const size = canonicalJson(routed.record).length
    if (chars + size > BATCH_CHARS || (slices.at(-1)?.length ?? 0) >= BATCH_RECORDS) {
      slices.push([])
      chars = 0
    }
    slices.at(-1)?.push(routed)
    chars += size
  }
  return slices
}

function byRepository(records: readonly RoutedRecord[]): ReadonlyMap<string, readonly RoutedRecord[]> {
  const groups = new Map<string, RoutedRecord[]>()
  for (const routed of records) {
    const group = groups.get(routed.repository)
    if (group === undefined) groups.set(routed.repository, [routed])
    else group.push(routed)
  }
  return groups
}

function getKey({ keys, principal, hasPersonKeys }: ExchangePorts, audience: SyncAudience): SpaceKey {
  const key = findKey(keys, hasPersonKeys === true && audience === 'me' ? principal : undefined)
  // Nothing leaves in clear because a key is missing.
  if (key === undefined) throw new Error(`no key for the audience ${audience}`)
  return key
}

async function sendPage(ports: ExchangePorts, { audience, records, marks }: Page): Promise<void> {
  const { ledger, replica, sealing } = ports
  const positions = await ledger.positions()
  const machine = replica.machine.id
  const key = ports.isPlain ? undefined : getKey(ports, audience)
  const saved: SyncEntry[] = [...marks]
  for (const [repository, group] of byRepository(records)) {
    const log = { repository, machine }
    let position = positions.get(toLogName(log)) ?? 0
    for (const part of slice(group)) {
      const [first, last] = [position + 1, position + part.length]
      const content: BatchContent = {
        format: BATCH_FORMAT,
        machine: replica.machine,
        records: part.map(({ record }) => record),
      }
      const header = { ...log, principal: ports.principal, audience, first, last }
      const batch = await sealing.seal(header, canonicalJson(content), key)
      saved.push(toEntry(ledger.name('outbox', toRangeName(log, first)), toStoredBatch(batch)))
      position = last
    }
    saved.push(toEntry(ledger.name('position', toLogName(log)), position))
  }
  await ledger.write(saved)
  await deliverOutbox(ports)
}

/** What the space does not have in this version. */
async function sendThings(ports: ExchangePorts, audience: SyncAudience): Promise<void> {
  const { ledger, replica, sha256 } = ports
  const by = replica.machine.id
  const isOwn = (sender: string | undefined) =>
    sender !== undefined && (sender === by || ports.members.get(sender)?.principal === ports.principal)
  const listed = await replica.listThings(audience)
  const records: RoutedRecord[] = []
  const marks: SyncEntry[] = []
  // The daemon answers hooks between two readings of the store.
  for (let from = 0; from < listed.length; from += COMPARED_AT_ONCE) {
    const part = listed.slice(from, from + COMPARED_AT_ONCE)
    const keys = part.map(({ record }) => getRecordKey(record, sha256))
    const there = await ledger.versions(audience, keys)
    for (const [index, routed] of part.entries()) {
      const key = keys[index] ?? ''
      const known = there.get(key)
      const version = getVersion(routed.record, sha256)
      if (!isMissingThere(known, version)) continue
      if (routed.isWithdrawal === true && !isOwn(known?.by)) continue
      records.push(routed)
      marks.push(ledger.versionEntry(audience, key, { ...version, by }))
    }
  }
  if (records.length > 0) await sendPage(ports, { audience, records, marks })
}

/** Events and checkpoints, page by page: what was sent stays sent when it is interrupted. */
export async function sendHistory(ports: ExchangePorts): Promise<void> {
  const { ledger, replica, audiences, sentAudiences = audiences } = ports
  if (!sentAudiences.includes('me')) return
  for (;;) {
    const before = await ledger.cursor()
    const { records, cursor, isEnd } = await replica.readHistory(before)
    const isMoved = cursor.eventSeq !== before.eventSeq || cursor.checkpointSeq !== before.checkpointSeq
    const marks = isMoved ? [toEntry(ledger.name('progress', ''), cursor)] : []
    if (records.length > 0) await sendPage(ports, { audience: 'me', records, marks })
    else if (isMoved) await ledger.write(marks)
    if (isEnd || ports.shouldStop()) return
  }
}

/** Everything of this machine that the space does not have yet. */
export async function sendRecords(ports: ExchangePorts): Promise<void> {
  await deliverOutbox(ports)
  const audiences = ports.sentAudiences ?? ports.audiences
  for (const audience of audiences) await sendThings(ports, audience)
  await sendHistory(ports)
}
