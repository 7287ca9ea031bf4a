import { expect, test } from 'vitest'
import type { SyncStore, SyncEntry } from '../kernel/ports/sync-store.ts'
import type { SyncTransport } from '../kernel/ports/sync-transport.ts'
import { createKeyTexts, createSealing } from './io/age-sealing.ts'
import { canonicalJson } from '../kernel/json-shape.ts'
import { keyName, writeJson } from './documents.ts'
import { createLedger, toEntry } from './ledger.ts'
import { ensureSpace, meetMembers } from './members.ts'
import { findKey, type SpaceKey } from './sealing.ts'

function aSpace(): { readonly documents: Map<string, Uint8Array>; readonly transport: SyncTransport } {
  const documents = new Map<string, Uint8Array>()
  const transport: SyncTransport = {
    listLogs: async () => [],
    readBatches: async () => [],
    appendBatch: async () => undefined,
    listDocuments: async (prefix) => [...documents.keys()].filter((name) => name.startsWith(prefix)),
    readDocument: async (name) => documents.get(name),
    writeDocument: async (name, bytes) => void documents.set(name, bytes),
    [Symbol.asyncDispose]: async () => undefined,
  }
  return { documents, transport }
}

function entriesInMemory(): SyncStore {
  const entries = new Map<string, SyncEntry>()
  const nameOf = ({ topic, name }: Omit<SyncEntry, 'body'>) => `${topic} ${name}`
  return {
    listSyncEntries: async ({ topic, names }) =>
      [...entries.values()].filter((entry) => entry.topic === topic && names?.includes(entry.name) !== false),
    async writeSyncEntries({ saved = [], removed = [] }) {
      for (const one of removed) entries.delete(nameOf(one))
      for (const one of saved) entries.set(nameOf(one), one)
    },
    forgetSyncSpace: async () => entries.clear(),
  }
}

async function aMachine(
  id: string,
  transport: SyncTransport,
  principal = 'me',
  {
    hasPersonKeys = false,
    acceptance = 'automatic',
  }: { readonly hasPersonKeys?: boolean; readonly acceptance?: 'automatic' | 'ask' } = {},
) {
  const ledger = createLedger(entriesInMemory(), 'space')
  const sealing = await createSealing(await createKeyTexts())
  let keys: readonly SpaceKey[] = []
  return {
    id,
    recipient: sealing.keys.recipient,
    async meet() {
      const ports = { transport, ledger, sealing, principal, hasPersonKeys, keys, acceptance }
      const met = await meetMembers({
        ...ports,
        machine: { id, name: id },
        clock: { now: () => '2026-01-20T10:00:00Z' },
      })
      keys = met.keys
      return met
    },
    /** As the user accepts it. */
    accept: async (machine: string) => {
      const member = (await ledger.members()).get(machine)
      if (member !== undefined)
        await ledger.write([toEntry(ledger.name('member', machine), { ...member, state: 'accepted' })])
    },
    /** A key of its own for others, whose document does not name itself. */
    plant: async (number: number, machines: readonly string[], recipients: readonly string[]) => {
      const { id: keyId, recipient, secret } = await sealing.createSpaceKey(number)
      const wrapped = Buffer.from(await sealing.encrypt(new TextEncoder().encode(secret), recipients)).toString(
        'base64',
      )
      const document = { id: keyId, number, recipient, machines, wrapped, by: id }
      await writeJson(transport, keyName(keyId, id), {
        document,
        signature: sealing.keys.sign(canonicalJson(document)),
      })
      return keyId
    },
    document: async () => (await transport.readDocument(`members/${id}`)) ?? new Uint8Array(),
    keys: () => keys,
    newest: (person?: string) => findKey(keys, person)?.id,
  }
}

test('who made the key and has left does not have the next one', async () => {
  const { documents, transport } = aSpace()
  const desk = await aMachine('desk', transport)
  const laptop = await aMachine('laptop', transport)
  await desk.meet()
  expect((await laptop.meet()).isWaiting).toBe(true)
  await desk.meet()
  await laptop.meet()
  const before = laptop.newest()
  expect([before, desk.newest()]).toEqual([expect.any(String), before])
  // As `holdfast sync remove` leaves it: nothing of the desk is there, not even its key document.
  for (const name of documents.keys()) if (name.endsWith('/desk')) documents.delete(name)
  await laptop.meet()
  expect(laptop.newest()).not.toBe(before)
  expect(laptop.keys()).toHaveLength(2)
  expect(laptop.keys().at(-1)?.machines).toEqual(['laptop'])
  await laptop.meet()
  expect(laptop.keys()).toHaveLength(2)
})

test('a machine whose document is damaged has not left', async () => {
  const { transport } = aSpace()
  const desk = await aMachine('desk', transport)
  const laptop = await aMachine('laptop', transport)
  for (const machine of [desk, laptop, desk, laptop]) await machine.meet()
  const whole = await laptop.document()
  for (const damaged of [whole.subarray(0, 40), whole.map((byte, at) => (at === 40 ? byte ^ 1 : byte))]) {
    await transport.writeDocument('members/laptop', damaged)
    const { members, changes } = await desk.meet()
    expect([members.get('laptop')?.state, changes, desk.keys().length]).toEqual(['accepted', [], 1])
  }
})

test('who waits for a key of somebody who has left makes one', async () => {
  const { documents, transport } = aSpace()
  const desk = await aMachine('desk', transport)
  const laptop = await aMachine('laptop', transport)
  await desk.meet()
  expect((await laptop.meet()).isWaiting).toBe(true)
  // A team server withdraws what a removed machine says of itself, and leaves its wrapped keys.
  documents.delete('members/desk')
  expect((await laptop.meet()).isWaiting).toBe(false)
  expect(laptop.newest()).toBeDefined()
})

test('of several people, each has a key that the others do not have', async () => {
  const { transport } = aSpace()
  const ada = await aMachine('ada-1', transport, 'ada', { hasPersonKeys: true })
  const bob = await aMachine('bob-1', transport, 'bob', { hasPersonKeys: true })
  const laptop = await aMachine('bob-2', transport, 'bob', { hasPersonKeys: true })
  for (let round = 0; round < 3; round += 1) for (const one of [ada, bob, laptop]) await one.meet()
  expect(new Set([ada.newest(), bob.newest(), laptop.newest()]).size).toBe(1)
  expect(bob.newest('bob')).toBe(laptop.newest('bob'))
  expect([ada.newest('bob'), bob.newest('ada')]).toEqual([undefined, undefined])
  expect(ada.newest('ada')).toBeDefined()
})

test('a machine that lost its keys is not taken for itself, and says what to do', async () => {
  const { transport } = aSpace()
  const desk = await aMachine('desk', transport)
  const laptop = await aMachine('laptop', transport)
  for (const one of [desk, laptop, desk]) await one.meet()
  const again = await aMachine('desk', transport)
  await expect(again.meet()).rejects.toThrow(/has other keys of this machine/)
  // What it had published stays: the other one goes on with it.
  expect((await laptop.meet()).members.get('desk')?.state).toBe('accepted')
  // Who overwrites it from elsewhere does not stop the machine that it belongs to.
  const stranger = await aMachine('desk', aSpace().transport)
  await stranger.meet()
  await transport.writeDocument('members/desk', await stranger.document())
  await desk.meet()
  expect((await laptop.meet()).members.get('desk')?.state).toBe('accepted')
})

test('a space of another format is refused', async () => {
  const { transport } = aSpace()
  await transport.writeDocument('space', new TextEncoder().encode('{"format":"holdfast-space/2","id":"12345678"}'))
  await expect(ensureSpace(transport, { id: 'another-id' })).rejects.toThrow('has the format holdfast-space/2')
})

test('a key that its maker gave to others only is replaced when the maker leaves', async () => {
  const { documents, transport } = aSpace()
  const desk = await aMachine('desk', transport)
  const laptop = await aMachine('laptop', transport)
  const thief = await aMachine('thief', transport)
  for (const one of [desk, laptop, thief, desk, laptop, thief]) await one.meet()
  const planted = await thief.plant(50, ['desk', 'laptop'], [desk.recipient, laptop.recipient])
  await desk.meet()
  expect(desk.newest()).toBe(planted)
  documents.delete('members/thief')
  await desk.meet()
  expect(desk.newest()).not.toBe(planted)
  // Nor is a key taken that it writes after it has left.
  const later = await thief.plant(90, ['desk', 'laptop'], [desk.recipient, laptop.recipient])
  await desk.meet()
  expect(desk.newest()).not.toBe(later)
})

test('where the user decides, a machine that waits cannot let itself in through one that joins', async () => {
  const { transport } = aSpace()
  const ask = { acceptance: 'ask' } as const
  const desk = await aMachine('desk', transport, 'me', ask)
  const evil = await aMachine('evil', transport, 'me', ask)
  const laptop = await aMachine('laptop', transport, 'me', ask)
  for (const one of [desk, evil, laptop, desk]) await one.meet()
  await desk.accept('laptop')
  await desk.meet()
  await evil.plant(1, ['evil', 'laptop'], [laptop.recipient])
  for (const one of [laptop, desk, laptop]) await one.meet()
  expect((await laptop.meet()).members.get('evil')?.state).not.toBe('accepted')
  expect((await desk.meet()).members.get('evil')?.state).toBe('waiting')
  expect(desk.keys().flatMap(({ machines = [] }) => machines)).not.toContain('evil')
})
