import { expect, test } from 'vitest'
import { aBench, PROJECT } from '../../test/support/continuity-setup.ts'
import { MemoryId } from '../kernel/id.ts'
import { aMemory } from '../../test/contracts/store-examples.ts'

test('a text selects every memory that contains it, however many there are, and the preview says how many', async () => {
  await using bench = await aBench()
  const { projectId } = await bench.continuity.locate(PROJECT)
  for (let number = 1; number <= 620; number += 1)
    await bench.store.saveMemory(aMemory(`Port ${number}`, { id: MemoryId(`mem-${number}`), projectId }))
  await bench.continuity.remember({ content: 'We use tabs', cwd: PROJECT, source: 'cli' })
  const selection = { cwd: PROJECT, text: 'port' }
  expect(await bench.continuity.forgetMemories({ ...selection, isPreview: true })).toHaveLength(620)
  expect(await bench.continuity.forgetMemories(selection)).toHaveLength(620)
  expect(await bench.continuity.listMemories({ cwd: PROJECT, limit: 500 })).toMatchObject([{ content: 'We use tabs' }])
})

test('a forgotten memory is named by its random part, as a stored one is', async () => {
  await using bench = await aBench()
  const { continuity } = bench
  const { id } = await continuity.remember({ content: 'We use tabs', cwd: PROJECT, source: 'cli' })
  const other = await continuity.remember({ content: 'Money is stored in cents', cwd: PROJECT, source: 'cli' })
  await continuity.forgetMemories({ cwd: PROJECT, ids: [id, other.id] })
  const random = id.split('-').at(-1) ?? ''
  expect(random).not.toBe('')
  await expect(continuity.restoreMemories({ ids: [MemoryId('mem-')] })).rejects.toMatchObject({ code: 'conflict' })
  await expect(continuity.restoreMemories({ ids: [MemoryId('nothing')] })).rejects.toMatchObject({ code: 'not-found' })
  expect(await continuity.restoreMemories({ ids: [MemoryId(random.slice(0, 8))] })).toMatchObject([{ id }])
})
