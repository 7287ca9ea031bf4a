import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { MemoryId, ProjectId } from '../../src/kernel/id.ts'
import { canonicalJson } from '../../src/kernel/json-shape.ts'
import type { Memory } from '../../src/kernel/memory.ts'
import type { SyncEntry, SyncStore } from '../../src/kernel/ports/sync-store.ts'
import type { SealedBatch, SyncLog, SyncTransport } from '../../src/kernel/ports/sync-transport.ts'
import { exchangeRecords } from '../../src/sync/exchange.ts'
import { createLedger } from '../../src/sync/ledger.ts'
import { type BatchContent, getRecordKey } from '../../src/sync/record.ts'
import type { Replica } from '../../src/sync/replica.ts'
import { RefusedBatch, type Sealer, type SpaceKey, toHeaderText } from '../../src/sync/sealing.ts'
import { isChanging } from '../../src/transfer/records/redact-record.ts'
import type { ChangingRecord, DataRecord } from '../../src/transfer/records/record.ts'
import { findVersion, hashRecord, identifyRecord, isReplacedBy } from '../../src/transfer/records/versions.ts'
import { JUST_DELETED, type StoredVersion } from '../../src/kernel/ports/record-store.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Ends an exchange in the middle, as kill -9 does. */
class Crash extends Error {}

/** A step of the model; machines are numbered. */
export type ModelStep =
  | {
      readonly do: 'write' | 'edit' | 'forget' | 'event'
      readonly machine: number
      readonly thing: number
      readonly text: number
    }
  | { readonly do: 'exchange'; readonly machine: number; readonly crashAt: number }
  | { readonly do: 'skew'; readonly machine: number; readonly days: number }
  /** Leaves the space, with everything that it wrote there, and joins again. */
  | { readonly do: 'rejoin'; readonly machine: number }

const MACHINES = 3

const machine = fc.nat(MACHINES - 1)
export const anySteps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('write', 'edit', 'forget', 'event'),
        machine,
        thing: fc.nat(3),
        text: fc.nat(9),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('exchange'),
        machine,
        crashAt: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 })),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('rejoin'), machine }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('skew'), machine, days: fc.integer({ min: -9, max: 9 }) }) },
  ),
  { maxLength: 16 },
) as fc.Arbitrary<ModelStep[]>

export interface ModelOptions {
  /** What is delivered last counts, instead of the version. */
  readonly isArrivalDeciding?: boolean
  /** Seals again after a crash, instead of sending the same bytes. */
  readonly isOutboxLost?: boolean
}

/** A durable thing that may end the process before or after each of its writes. */
interface Fuse {
  left: number
  burn(): void
}

function createFuse(): Fuse {
  return {
    left: 0,
    burn() {
      if (this.left > 0 && --this.left === 0) throw new Crash('kill -9')
    },
  }
}

/** A shared folder that delivers batches twice and in another order, and shows a new one late. */
function createSharedPlace(random: () => number) {
  const batches = new Map<string, SealedBatch>()
  const documents = new Map<string, Uint8Array>()
  const name = ({ repository, machine: id, first }: SealedBatch) =>
    `${repository}/${id}/${String(first).padStart(8, '0')}`
  return {
    batches,
    forgetMachine(id: string) {
      for (const [key, batch] of batches) if (batch.machine === id) batches.delete(key)
      for (const key of documents.keys()) if (key.endsWith(`/${id}`)) documents.delete(key)
    },
    open(fuse: Fuse, isSettled: () => boolean): SyncTransport {
      const visible = () => [...batches.values()].filter(() => isSettled() || random() > 0.2)
      return {
        async listLogs() {
          const heads = new Map<string, SyncLog>()
          for (const { repository, machine: id, last } of visible()) {
            const log = `${repository}/${id}`
            if (last > (heads.get(log)?.head ?? 0)) heads.set(log, { repository, machine: id, head: last })
          }
          return [...heads.values()]
        },
        async readBatches({ repository, machine: id, after }) {
          const found = visible().filter((batch) => batch.repository === repository && batch.machine === id)
          const wanted = found.filter(({ last }) => last > after)
          if (isSettled()) return wanted
          const old = found.filter(({ last }) => last <= after && random() > 0.5)
          return [...wanted, ...wanted, ...old].toSorted(() => random() - 0.5)
        },
        async appendBatch(batch) {
          fuse.burn()
          const known = batches.get(name(batch))
          if (known !== undefined && canonicalJson(toPlain(known)) !== canonicalJson(toPlain(batch)))
            throw new Error(`another batch at ${name(batch)}`)
          batches.set(name(batch), batch)
          fuse.burn()
        },
        listDocuments: async (prefix) => [...documents.keys()].filter((one) => one.startsWith(prefix)),
        readDocument: async (one) => documents.get(one),
        async writeDocument(one, bytes) {
          documents.set(one, bytes)
        },
        [Symbol.asyncDispose]: async () => undefined,
      }
    },
  }
}

const toPlain = ({ bytes, ...header }: SealedBatch) => ({ ...header, bytes: Buffer.from(bytes).toString('base64') })

function createMemoryEntries(fuse: Fuse): SyncStore {
  const entries = new Map<string, SyncEntry>()
  const name = ({ topic, space, name: own }: Omit<SyncEntry, 'body'>) => `${topic}\n${space}\n${own}`
  return {
    listSyncEntries: async ({ topic, space, names }) =>
      [...entries.values()].filter(
        (entry) =>
          entry.topic === topic && entry.space === space && (names === undefined || names.includes(entry.name)),
      ),
    async writeSyncEntries({ saved = [], removed = [] }) {
      fuse.burn()
      for (const one of removed) entries.delete(name(one))
      for (const one of saved) entries.set(name(one), one)
      fuse.burn()
    },
    async forgetSyncSpace(space) {
      for (const [key, entry] of entries) if (entry.space === space) entries.delete(key)
    },
  }
}

/** No cryptography: the model is about order. Every seal of the same content differs, as with a real one. */
function createModelSealing(id: string, random: () => number): Sealer {
  return {
    keys: { signKey: id, recipient: id, sign: (text) => sha256(`${id}\n${text}`), open: async (bytes) => bytes },
    createSpaceKey: async (number) => ({ id: `key-${id}`, number, recipient: id, secret: 's' }),
    encrypt: async (bytes) => bytes,
    isSigned: (signKey, text, signature) => sha256(`${signKey}\n${text}`) === signature,
    seal: async (header, content) => ({
      ...header,
      bytes: new Uint8Array(Buffer.from(JSON.stringify({ header: toHeaderText(header), salt: random(), content }))),
    }),
    async open({ bytes, ...header }) {
      const sealed: { header: string; content: string } = JSON.parse(Buffer.from(bytes).toString())
      if (sealed.header !== toHeaderText(header)) throw new RefusedBatch('signature')
      return sealed.content
    },
  }
}

const keyOf = (record: DataRecord) => getRecordKey(record, sha256)

/** Stores in memory, with the versions of the real store. */
function createModelReplica(id: string, fuse: Fuse) {
  const things = new Map<string, ChangingRecord>()
  const versions = new Map<string, StoredVersion>()
  const history = new Map<string, DataRecord>()
  const own: DataRecord[] = []

  function forget(key: string): void {
    const record = things.get(key)
    if (record === undefined) return
    things.delete(key)
    const identified = identifyRecord(record, sha256)
    versions.set(key, { count: 0, machine: '', ...versions.get(key), ...identified, hash: JUST_DELETED })
  }

  /** What is stored now of a thing, with its version, which is noted. */
  function listCurrent(key: string): ChangingRecord | undefined {
    const noted = versions.get(key)
    const thing = things.get(key)
    const version = findVersion(noted, thing === undefined ? undefined : hashRecord(thing, sha256), id)
    if (version === undefined) return undefined
    const identified = thing === undefined ? noted : identifyRecord(thing, sha256)
    if (identified === undefined) return undefined
    versions.set(key, { kind: identified.kind, id: identified.id, ...version })
    const { count, machine: by } = version
    if (thing !== undefined) return { ...thing, version: { count, machine: by } }
    const value = { of: identified.kind, id: identified.id }
    return { kind: 'deletion', value, version: { count, machine: by } }
  }

  function store(record: ChangingRecord): void {
    const key = keyOf(record)
    const thing = things.get(key)
    const known = findVersion(versions.get(key), thing === undefined ? undefined : hashRecord(thing, sha256), id)
    const hash = hashRecord(record, sha256)
    if (!isReplacedBy(known, hash, record.version)) return
    if (record.kind === 'deletion') things.delete(key)
    else {
      const { version: _version, ...content } = record
      things.set(key, content)
    }
    fuse.burn()
    const { kind, id: thingId } = identifyRecord(record, sha256)
    if (record.version !== undefined) versions.set(key, { kind, id: thingId, ...record.version, hash })
  }

  const replica: Replica = {
    machine: { id, name: id },
    listThings: async () =>
      [...new Set([...things.keys(), ...versions.keys()])].flatMap((key) => {
        const record = listCurrent(key)
        return record === undefined ? [] : [{ record, repository: 'r' }]
      }),
    async readHistory({ eventSeq }) {
      const page = own.slice(eventSeq, eventSeq + 2)
      const records = page.map((record) => ({ record, repository: 'r' }))
      const cursor = { eventSeq: eventSeq + page.length, checkpointSeq: 0 }
      return { records, cursor, isEnd: cursor.eventSeq === own.length }
    },
    async storeRecords(records) {
      for (const record of records) {
        fuse.burn()
        if (isChanging(record)) store(record)
        else history.set(keyOf(record), record)
      }
    },
  }
  return { replica, things, history, own, forget }
}

/** Everything that a user would find. */
export type ModelState = readonly string[]

/** Plays the steps, then exchanges until all have everything, and returns the state of each machine. */
export async function playModel(
  steps: readonly ModelStep[],
  seed: number,
  { isArrivalDeciding = false, isOutboxLost = false }: ModelOptions = {},
): Promise<{ readonly states: readonly ModelState[]; readonly written: number; readonly refused: number }> {
  let turn = seed
  // A small generator: deliveries differ from run to run, and the same seed gives the same ones.
  const random = () => {
    turn = (Math.imul(turn, 1_664_525) + 1_013_904_223) >>> 0
    return turn / 2 ** 32
  }
  let isSettled = false
  const place = createSharedPlace(random)
  const machines = Array.from({ length: MACHINES }, (_, index) => {
    const fuse = createFuse()
    const id = `m${index}`
    const state = createModelReplica(id, fuse)
    const entries = createMemoryEntries(fuse)
    return {
      id,
      fuse,
      state,
      entries,
      sealing: createModelSealing(id, random),
      keys: [] as readonly SpaceKey[],
      skewDays: 0,
    }
  })
  let refused = 0
  let arrivals = 0
  let ticks = 0

  async function exchange(index: number, crashAt: number): Promise<void> {
    const one = machines[index]
    if (one === undefined) return
    one.fuse.left = crashAt
    const ledger = createLedger(one.entries, 'space')
    try {
      const report = await exchangeRecords({
        transport: place.open(one.fuse, () => isSettled),
        replica: one.state.replica,
        ledger,
        sealing: one.sealing,
        keys: one.keys,
        saveKeys: async (keys) => {
          one.keys = keys
        },
        principal: 'p',
        audiences: ['me'],
        isPlain: false,
        acceptance: 'automatic',
        sha256,
        clock: {
          now: () => {
            ticks += 1
            return new Date(Date.UTC(2026, 0, 20 + one.skewDays) + ticks).toISOString()
          },
        },
        readContent: (text) => {
          const content: BatchContent = JSON.parse(text)
          if (!isArrivalDeciding) return content
          const records = content.records.map((record) => {
            arrivals += 1
            return isChanging(record) ? { ...record, version: { count: 1_000 + arrivals, machine: 'm' } } : record
          })
          return { ...content, records }
        },
        shouldStop: () => false,
        onProgress: () => undefined,
      })
      refused = report.refused.length
    } catch (thrown) {
      if (!(thrown instanceof Crash)) throw thrown
      if (isOutboxLost) {
        const waiting = await one.entries.listSyncEntries({ topic: 'outbox', space: 'space' })
        one.fuse.left = 0
        await one.entries.writeSyncEntries({ removed: waiting })
      }
    } finally {
      one.fuse.left = 0
    }
  }

  let written = 0
  for (const [at, step] of steps.entries()) {
    const one = machines[step.machine]
    if (one === undefined) continue
    if (step.do === 'exchange') await exchange(step.machine, step.crashAt)
    else if (step.do === 'skew') one.skewDays = step.days
    else if (step.do === 'rejoin') {
      place.forgetMachine(one.id)
      await one.entries.forgetSyncSpace('space')
      one.keys = []
    } else if (step.do === 'event') {
      const id = `${one.id}-${at}`
      const record = { kind: 'event', value: { event: { id } } } as unknown as DataRecord
      one.state.own.push(record)
      one.state.history.set(keyOf(record), record)
      written += 1
    } else {
      const memory = {
        id: MemoryId(`mem-${step.thing}`),
        projectId: ProjectId('p'),
        content: `text ${step.text}`,
      } as Memory
      const record: ChangingRecord = { kind: 'memory', value: memory }
      const key = keyOf(record)
      if (step.do === 'forget') one.state.forget(key)
      else if (step.do === 'write' || one.state.things.has(key)) one.state.things.set(key, record)
    }
  }
  isSettled = true
  for (let round = 0; round < 4; round += 1) for (const index of machines.keys()) await exchange(index, 0)
  return {
    states: machines.map(({ state }) =>
      [
        ...[...state.things.values()].map((record) => `${keyOf(record)} ${canonicalJson(record.value)}`),
        ...state.history.keys(),
      ].toSorted(),
    ),
    written,
    refused,
  }
}
