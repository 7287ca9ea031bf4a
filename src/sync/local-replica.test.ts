import { expect, test } from 'vitest'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { DataRecord } from '../transfer/records/record.ts'
import { createAuthorship } from './authorship.ts'
import { createLocalReplica } from './local-replica.ts'

const here = {
  person: { id: 'ann', name: 'ann' },
  machine: { id: 'new', hostId: 'new', name: 'desk', sharesStore: false },
  sha256: (text: string) => text,
  store: {
    listLocations: async () => [
      { machineId: 'old', location: '/app/.git', projectId: 'p', remotes: ['x'], rootCommit: 'c', commits: [] },
    ],
    findMemory: async () => undefined,
  },
} as unknown as ContinuityPorts
const origin = { principal: 'ann', machine: { id: 'new', name: 'desk' } }
const memory = {
  kind: 'memory',
  value: { id: 'mem-1', projectId: 'p', scope: 'team', origin },
} as unknown as DataRecord
const elsewhere = {
  kind: 'memory',
  value: {
    id: 'mem-2',
    projectId: 'p',
    scope: 'team',
    origin: { principal: 'ann', machine: { id: 'nas', name: 'nas' } },
  },
} as unknown as DataRecord
const foreign = {
  kind: 'memory',
  value: {
    id: 'mem-3',
    projectId: 'p',
    scope: 'team',
    origin: { principal: 'bob', machine: { id: 'pc', name: 'pc' } },
  },
} as unknown as DataRecord
const listing = { listThings: async () => [memory] } as unknown as Parameters<typeof createLocalReplica>[1]

test('what is shared after the home got another machine id is in the name of the new one', async () => {
  const shared = await createLocalReplica(here, listing).listThings('team')
  expect(shared.map(({ record }) => record.kind)).toEqual(['location', 'memory'])
  const source = { machine: { id: 'new', name: 'desk' }, principal: 'ann', audience: 'team' } as const
  const records = shared.map(({ record }) => record)
  expect(await createAuthorship(here).checkRecords(records, source)).toEqual(records)
})

test('what the person wrote on another machine is shared from here too, and what others wrote is not', async () => {
  const all = { listThings: async () => [memory, elsewhere, foreign] } as unknown as typeof listing
  const shared = await createLocalReplica(here, all).listThings('team')
  expect(shared.map(({ record }) => record).slice(1)).toEqual([memory, elsewhere])
})
