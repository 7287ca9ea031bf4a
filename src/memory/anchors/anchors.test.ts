import { expect, test } from 'vitest'
import { describeOutdated, type MemoryAnchor } from '../../kernel/memory.ts'
import { findOutdated } from './anchors.ts'

/** A worktree whose files are these, and that has no commit. */
function aWorktree(files: Readonly<Record<string, string>>) {
  const read = (path: string) => files[path.replace('/w/', '')]
  return {
    files: {
      contentHash: async (path: string) => read(path),
      readText: async (path: string) => read(path),
      facts: async (path: string) => (read(path) === undefined ? undefined : { size: 1, modifiedAt: '' }),
    },
    git: { hasCommit: async () => false },
  }
}

test('a memory that is used says which of the things it names changed or are gone', async () => {
  const anchors: readonly MemoryAnchor[] = [
    { kind: 'file', name: 'same.ts', hash: 'one' },
    { kind: 'file', name: 'edited.ts', hash: 'two' },
    { kind: 'file', name: 'gone.ts', hash: 'three' },
    { kind: 'symbol', name: 'parse', file: 'edited.ts' },
    { kind: 'commit', name: '1a2b3c4' },
  ]
  const ports = aWorktree({ 'same.ts': 'one', 'edited.ts': 'other' })
  const outdated = await findOutdated(ports as never, { anchors }, '/w')
  expect(describeOutdated(outdated)).toBe(
    'edited.ts changed, gone.ts is missing, symbol parse is missing, commit 1a2b3c4 is missing',
  )
  expect(await findOutdated(ports as never, {}, '/w')).toEqual([])
})
