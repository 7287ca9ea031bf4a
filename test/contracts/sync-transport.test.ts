import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFolderTree } from '../../src/sync/io/folder-tree.ts'
import { createTreeTransport } from '../../src/sync/io/tree-transport.ts'
import { aBatch, syncTransportContract } from './sync-transport-contract.ts'

function temporary() {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-space-'))
  return { dir, [Symbol.asyncDispose]: async () => rmSync(dir, { recursive: true, force: true }) }
}

syncTransportContract('a folder', async () => {
  const { dir, ...place } = temporary()
  return { ...place, open: async () => createTreeTransport(createFolderTree(dir)) }
})

test('a folder that is missing is not created: an empty mount point is not the stick', async () => {
  await using place = temporary()
  const transport = createTreeTransport(createFolderTree(join(place.dir, 'stick')))
  await expect(transport.appendBatch(aBatch(1, 1))).rejects.toThrow('stick does not exist')
  expect(readdirSync(place.dir)).toEqual([])
})

test('a batch that was altered or cut off keeps its place, so that its reader can refuse it', async () => {
  await using place = temporary()
  const transport = createTreeTransport(createFolderTree(place.dir))
  await transport.appendBatch(aBatch(1, 3))
  await transport.appendBatch(aBatch(4, 5))
  const [path = ''] = await createFolderTree(place.dir).list()
  const file = join(place.dir, path)
  writeFileSync(file, readFileSync(file).subarray(0, 20))
  const query = { repository: aBatch(1, 1).repository, machine: 'desk-1', after: 0, maxBytes: 1_000 }
  const read = await transport.readBatches(query)
  expect(read.map(({ first, last, bytes }) => [first, last, bytes.length])).toEqual([
    [1, 3, 0],
    [4, 5, 6],
  ])
})

test('the last machine to leave takes everything with it, and others’ files stay until then', async () => {
  await using place = temporary()
  const transport = createTreeTransport(createFolderTree(place.dir))
  const bytes = new Uint8Array([1])
  writeFileSync(join(place.dir, 'notes.txt'), 'not ours')
  await transport.writeDocument('space', bytes)
  for (const machine of ['desk-1', 'lap-2']) {
    await transport.writeDocument(`members/${machine}`, bytes)
    await transport.writeDocument(`keys/k/${machine}`, bytes)
    await transport.appendBatch(aBatch(1, 1, { machine }))
  }
  expect(await transport.forgetMachine('desk-1')).toBe(3)
  expect((await transport.listLogs()).map(({ machine }) => machine)).toEqual(['lap-2'])
  expect(await transport.forgetMachine('lap-2')).toBe(4)
  expect(readdirSync(place.dir)).toEqual(['notes.txt'])
})
