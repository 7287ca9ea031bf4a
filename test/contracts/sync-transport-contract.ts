import { describe, expect, test } from 'vitest'
import { HoldfastError } from '../../src/kernel/errors.ts'
import type { SealedBatch, SyncTransport } from '../../src/kernel/ports/sync-transport.ts'

const REPOSITORY = 'a'.repeat(64)

/** A batch whose content is only bytes: a transport never looks into it. */
export function aBatch(first: number, last: number, more: Partial<SealedBatch> = {}): SealedBatch {
  const bytes = new Uint8Array([0, 10, 13, 255, first % 256, last % 256])
  return { repository: REPOSITORY, machine: 'desk-1', principal: 'p-1', audience: 'me', first, last, bytes, ...more }
}

/** One place, which several machines open. */
export interface SharedPlace extends AsyncDisposable {
  /** As this machine sees it now. */
  open(machine: string): Promise<SyncTransport>
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (thrown) {
    return thrown instanceof HoldfastError ? thrown.code : 'another error'
  }
}

/** Everything that `SyncTransport` promises. Every implementation runs all of it. */
export function syncTransportContract(name: string, prepare: () => Promise<SharedPlace>): void {
  const all = { repository: REPOSITORY, machine: 'desk-1', after: 0, maxBytes: 1_000_000 }

  describe(`a transport: ${name}`, () => {
    test('what one machine appends, another one reads byte for byte, in order, from where it was', async () => {
      await using place = await prepare()
      {
        await using desk = await place.open('desk-1')
        expect(await desk.listLogs()).toEqual([])
        expect(await desk.readBatches(all)).toEqual([])
        await desk.appendBatch(aBatch(1, 3))
        await desk.appendBatch(aBatch(4, 4, { audience: 'team' }))
        await desk.appendBatch(aBatch(5, 12))
      }
      {
        await using laptop = await place.open('lap-2')
        await laptop.appendBatch(aBatch(1, 1, { machine: 'lap-2', repository: 'b'.repeat(64) }))
      }
      await using laptop = await place.open('lap-2')
      expect((await laptop.listLogs()).toSorted((one, other) => (one.machine < other.machine ? -1 : 1))).toEqual([
        { repository: REPOSITORY, machine: 'desk-1', head: 12 },
        { repository: 'b'.repeat(64), machine: 'lap-2', head: 1 },
      ])
      const batches = [aBatch(1, 3), aBatch(4, 4, { audience: 'team' }), aBatch(5, 12)]
      expect(await laptop.readBatches(all)).toEqual(batches)
      expect(await laptop.readBatches({ ...all, after: 3 })).toEqual(batches.slice(1))
      // The batch that has the record after it.
      expect(await laptop.readBatches({ ...all, after: 7 })).toEqual(batches.slice(2))
      expect(await laptop.readBatches({ ...all, after: 12 })).toEqual([])
      const [first, ...others] = await laptop.readBatches({ ...all, maxBytes: 1 })
      expect(first).toEqual(batches[0])
      expect(others.length).toBeLessThan(2)
    })

    test('the same batch again is a no-op; another one there, or one after a gap, is a conflict', async () => {
      await using place = await prepare()
      await using desk = await place.open('desk-1')
      await desk.appendBatch(aBatch(1, 3))
      await desk.appendBatch(aBatch(1, 3))
      expect(await codeOf(desk.appendBatch(aBatch(1, 3, { bytes: new Uint8Array([7]) })))).toBe('conflict')
      expect(await codeOf(desk.appendBatch(aBatch(2, 4)))).toBe('conflict')
      expect(await codeOf(desk.appendBatch(aBatch(5, 6)))).toBe('conflict')
      expect(await desk.readBatches(all)).toEqual([aBatch(1, 3)])
    })

    test('a document is replaced as a whole, and listed by the beginning of its name', async () => {
      await using place = await prepare()
      const bytes = (text: string) => new TextEncoder().encode(text)
      await using desk = await place.open('desk-1')
      expect(await desk.readDocument('members/desk-1')).toBeUndefined()
      await desk.writeDocument('members/desk-1', bytes('{"one":1}'))
      await desk.writeDocument('members/desk-1', bytes('{"two":2}\n'))
      await desk.writeDocument('keys/k1/desk-1', bytes(''))
      await using laptop = await place.open('lap-2')
      expect(await laptop.readDocument('members/desk-1')).toEqual(bytes('{"two":2}\n'))
      expect(await laptop.listDocuments('members/')).toEqual(['members/desk-1'])
      expect((await laptop.listDocuments('')).toSorted()).toEqual(['keys/k1/desk-1', 'members/desk-1'])
    })
  })
}
