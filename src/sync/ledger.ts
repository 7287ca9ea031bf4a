import type { SyncAudience } from '../kernel/ports/sync-transport.ts'
import type { SyncEntry, SyncEntryName, SyncStore, SyncTopic } from '../kernel/ports/sync-store.ts'
import type { HistoryCursor } from './replica.ts'
import type { ContentVersion } from '../transfer/records/versions.ts'
import type { SealRefusal } from './sealing.ts'

/** The version of a thing that a space has. */
export interface KnownVersion extends ContentVersion {
  /** The machine in whose log it is. */
  readonly by: string
}

export interface RefusedRange {
  readonly repository: string
  readonly machine: string
  readonly first: number
  readonly last: number
  readonly refusal: SealRefusal
  readonly at: string
}

export interface KnownMember {
  readonly machine: string
  readonly name: string
  readonly principal: string
  readonly signKey: string
  readonly recipient: string
  /** left: its documents were removed. refused: its keys are not those that were accepted. */
  readonly state: 'accepted' | 'waiting' | 'left' | 'refused'
  readonly since: string
  /** As its document says. */
  readonly joinedAt?: string
}

export interface LogName {
  readonly repository: string
  readonly machine: string
}

const NUMBER_DIGITS = 12

export const toLogName = ({ repository, machine }: LogName): string => `${repository}/${machine}`
export const toRangeName = (log: LogName, first: number): string =>
  `${toLogName(log)}/${String(first).padStart(NUMBER_DIGITS, '0')}`

const toVersionName = (audience: SyncAudience, key: string) => `${audience} ${key}`

export const toEntry = (name: SyncEntryName, body: unknown): SyncEntry => ({ ...name, body: JSON.stringify(body) })

/** What is stored about one space, by name. */
export interface SyncLedger {
  readonly space: string
  /** What the space has for these readers, by key. */
  versions(audience: SyncAudience, keys?: readonly string[]): Promise<Map<string, KnownVersion>>
  cursor(): Promise<HistoryCursor>
  /** What was written with the topic `progress` and this name. */
  readNote(name: string): Promise<unknown>
  positions(): Promise<Map<string, number>>
  members(): Promise<Map<string, KnownMember>>
  refused(): Promise<Map<string, RefusedRange>>
  outbox(): Promise<Map<string, unknown>>
  versionEntry(audience: SyncAudience, key: string, version: KnownVersion): SyncEntry
  name(topic: SyncTopic, name: string): SyncEntryName
  write(saved: readonly SyncEntry[], removed?: readonly SyncEntryName[]): Promise<void>
}

export function createLedger(store: SyncStore, space: string): SyncLedger {
  async function read<Body>(topic: SyncTopic, names?: readonly string[]): Promise<Map<string, Body>> {
    const entries = await store.listSyncEntries({ topic, space, ...(names !== undefined && { names }) })
    return new Map(
      entries.map(({ name, body }) => {
        const value: Body = JSON.parse(body)
        return [name, value]
      }),
    )
  }
  return {
    space,
    async versions(audience, keys) {
      const start = toVersionName(audience, '')
      const found = await read<KnownVersion>(
        'version',
        keys?.map((key) => toVersionName(audience, key)),
      )
      return new Map(
        [...found].flatMap(([name, version]) => (name.startsWith(start) ? [[name.slice(start.length), version]] : [])),
      )
    },
    versionEntry: (audience, key, version) =>
      toEntry({ topic: 'version', space, name: toVersionName(audience, key) }, version),
    cursor: async () => (await read<HistoryCursor>('progress')).get('') ?? { eventSeq: 0, checkpointSeq: 0 },
    readNote: async (name) => (await read<unknown>('progress', [name])).get(name),
    positions: () => read<number>('position'),
    members: () => read<KnownMember>('member'),
    refused: () => read<RefusedRange>('refused'),
    outbox: () => read<unknown>('outbox'),
    name: (topic, name) => ({ topic, space, name }),
    write: (saved, removed = []) => store.writeSyncEntries({ saved, removed }),
  }
}

/** What is known of the logs of these machines: how far each was read, what was refused, and that the space has what is in them. */
export async function listLogNotes(
  ledger: SyncLedger,
  machines: ReadonlySet<string>,
): Promise<readonly SyncEntryName[]> {
  const isOf = (log: string) => machines.has(log.split('/')[1] ?? '')
  const positions = [...(await ledger.positions()).keys()].filter(isOf).map((name) => ledger.name('position', name))
  const refused = [...(await ledger.refused()).keys()].filter(isOf).map((name) => ledger.name('refused', name))
  const versions: SyncEntryName[] = []
  for (const audience of ['me', 'team'] as const)
    for (const [key, { by }] of await ledger.versions(audience))
      if (machines.has(by)) versions.push(ledger.name('version', toVersionName(audience, key)))
  return [...positions, ...refused, ...versions]
}
