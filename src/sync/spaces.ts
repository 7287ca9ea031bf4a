import { HoldfastError } from '../kernel/errors.ts'
import type { SyncStore } from '../kernel/ports/sync-store.ts'
import { toEntry } from './ledger.ts'
import type { SpaceExchange, SyncSpace } from './use-cases.ts'

export interface SpaceRecord extends SyncSpace {
  /** The id that the space itself has; another disk at the same address has another one. */
  readonly instance?: string
  readonly isWaiting?: boolean
  readonly mayShare?: boolean
  readonly lastExchange?: SpaceExchange
  readonly lastSuccessAt?: string
}

/** The team that this home has joined: a space from then on until it leaves. */
export interface JoinedTeam {
  readonly server: string
  /** Another one after leaving and joining again: what was private was deleted there meanwhile. */
  readonly instance: string
  readonly person: string
  readonly joinedAt: string
}

export interface SpaceList {
  list(): Promise<readonly SpaceRecord[]>
  /** Teams that this home has left since. */
  listLeft(): Promise<readonly SpaceRecord[]>
  /** By id or address. */
  get(named: string): Promise<SpaceRecord>
  save(space: SpaceRecord): Promise<void>
  remove(id: string): Promise<void>
}

interface SpaceListPorts {
  readonly store: SyncStore
  readonly sha256: (text: string) => string
  readonly findTeam: () => JoinedTeam | undefined
}

/** What the user added, and the team that this home has joined. */
export function createSpaceList({ store, sha256, findTeam }: SpaceListPorts): SpaceList {
  async function listStored(): Promise<readonly SpaceRecord[]> {
    const entries = await store.listSyncEntries({ topic: 'space', space: '' })
    return entries.map(({ body }) => {
      const space: SpaceRecord = JSON.parse(body)
      return space
    })
  }
  const isCurrent = ({ kind, instance }: SpaceRecord) => kind !== 'team' || instance === findTeam()?.instance

  async function list(): Promise<readonly SpaceRecord[]> {
    const others = (await listStored()).filter(isCurrent)
    const joined = findTeam()
    if (joined === undefined || others.some(({ kind }) => kind === 'team')) return others
    const { server: address, instance, joinedAt: addedAt } = joined
    return [...others, { id: sha256(address).slice(0, 8), kind: 'team', address, isPlain: false, addedAt, instance }]
  }
  return {
    list,
    listLeft: async () => (await listStored()).filter((space) => !isCurrent(space)),
    async get(named) {
      const spaces = await list()
      const address = named.replace(/\/+$/, '')
      const found = spaces.find((space) => [named, address].includes(space.address) || space.id === named)
      if (found !== undefined) return found
      throw new HoldfastError('not-found', `No space ${named}.`, {
        hint: spaces.length === 0 ? 'Add one with `holdfast sync add <dir>`.' : 'Run `holdfast sync list`.',
      })
    },
    save: (space) => store.writeSyncEntries({ saved: [toEntry({ topic: 'space', space: '', name: space.id }, space)] }),
    remove: (id) => store.writeSyncEntries({ removed: [{ topic: 'space', space: '', name: id }] }),
  }
}
