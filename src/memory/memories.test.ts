import { expect, test } from 'vitest'
import { aBench, type Bench, PROJECT } from '../../test/support/continuity-setup.ts'

function remember({ continuity, ports }: Bench, content: string, more: { readonly importance?: number } = {}) {
  ports.time.advance(1_000)
  return continuity.remember({ content, cwd: PROJECT, source: 'cli', ...more })
}

async function listContents({ continuity }: Bench): Promise<readonly string[]> {
  return (await continuity.listMemories({ cwd: PROJECT, limit: 20 })).map(({ content }) => content)
}

test('the same thing said twice is one memory with the later wording, and its hits and importance stay', async () => {
  await using bench = await aBench()
  const first = await remember(bench, 'We use tabs, because of the formatter', { importance: 8 })
  await bench.continuity.recall({ cwd: PROJECT, text: 'tabs', limit: 1 })
  await remember(bench, 'Money is stored in cents')
  const again = await remember(bench, 'we always use tabs because of the formatter')
  expect(again).toMatchObject({ id: first.id, hits: 1, importance: 8 })
  expect(await listContents(bench)).toEqual(['we always use tabs because of the formatter', 'Money is stored in cents'])
})

test('a plainly changed value replaces the old one', async () => {
  await using bench = await aBench()
  const old = await remember(bench, 'we use pnpm')
  expect(await remember(bench, 'we use npm now')).toMatchObject({ supersedes: old.id })
  expect(await listContents(bench)).toEqual(['we use npm now'])
  const hits = await bench.continuity.recall({ cwd: PROJECT, text: 'use pnpm npm', limit: 5 })
  expect(hits.map(({ memory }) => memory.content)).toEqual(['we use npm now'])
})

test.each([
  ['port 3001 for api', 'port 3002 for web'],
  ['Step 1: build the image', 'Step 2: push the image'],
  ['The billing API v1 answers in XML', 'The billing API v2 answers in XML'],
])('numbered siblings stay two memories: %s / %s', async (one, other) => {
  await using bench = await aBench()
  await remember(bench, one)
  await remember(bench, other)
  expect(await listContents(bench)).toEqual([other, one])
})
