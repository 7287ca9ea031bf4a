import { expect, test } from 'vitest'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { DataRecord } from '../transfer/records/record.ts'
import { createAuthorship } from './authorship.ts'

const desk = { id: 'desk', name: 'desk' }
const source = { machine: desk, principal: 'ann', audience: 'team' } as const
const stored = { id: 'mem-1', origin: { principal: 'bob', machine: { id: 'nas', name: 'nas' } } }
const here = {
  person: { id: 'me', name: 'me' },
  machine: { id: 'here', hostId: 'here', name: 'here', sharesStore: false },
  store: {
    findMemory: async (id: string) => (id === 'mem-1' ? stored : undefined),
    findSession: async (id: string) => (id === 'session-here' ? { id } : undefined),
  },
} as unknown as ContinuityPorts

const aTombstone = (principal: string, machine: string) =>
  ({ kind: 'tombstone', value: { id: 't', machine, principal, digests: [] } }) as unknown as DataRecord
const aMemory = (id: string, principal: string) =>
  ({ kind: 'memory', value: { id, scope: 'team', origin: { principal, machine: desk } } }) as unknown as DataRecord

test.each<[string, DataRecord]>([
  ['a tombstone of another person', aTombstone('bob', 'desk')],
  ['a tombstone of another machine', aTombstone('ann', 'nas')],
  ['a memory in the name of another person', aMemory('mem-2', 'bob')],
  ['a memory that replaces one of another person', aMemory('mem-1', 'ann')],
  [
    'a checkpoint of a session of this machine',
    { kind: 'checkpoint', value: { id: 'c', sessionId: 'session-here' } } as unknown as DataRecord,
  ],
])('%s is refused', async (_, record) => {
  await expect(createAuthorship(here).checkRecords([record], source)).rejects.toMatchObject({ refusal: 'author' })
})

test('what the sender wrote is stored, and a deletion of what another person wrote is not', async () => {
  const own = [aTombstone('ann', 'desk'), aMemory('mem-2', 'ann')]
  const deletion = { kind: 'deletion', value: { of: 'memory', id: 'mem-1' } } as unknown as DataRecord
  expect(await createAuthorship(here).checkRecords([...own, deletion], source)).toEqual(own)
})
