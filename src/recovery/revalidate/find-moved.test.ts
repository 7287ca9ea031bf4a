import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { dirty, disk, file, head, view } from '../../../test/support/checked-disk.ts'
import { revalidate } from './revalidate.ts'
import { composeRecovery } from '../compose.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('a moved file is rendered with its new path', async () => {
  const gone = ['renamed.ts', 'src/shifted.ts', 'src/old-name.ts', 'src/lost.ts', 'src/alike.ts']
  const files = gone.map((path) => file(path, { contentHash: `of ${path}` }))
  const contents = {
    'lib/shifted.ts': 'of src/shifted.ts',
    'src/new-name.ts': 'of src/old-name.ts',
    'far/away.ts': 'of src/alike.ts',
  }
  const ports = disk(contents, { branch: 'main', head, dirty: dirty('lib/', 'src/new-name.ts', 'far/away.ts') })
  const renames = async () => new Map([['renamed.ts', 'src/renamed.ts']])
  const statements = [{ text: 'It is all in src/shifted.ts.', lastOrder: 9 }]
  const checked = await revalidate(view({ files, statements }), { ...ports, git: { ...ports.git, renames } })
  expect(Object.fromEntries(checked.moved)).toEqual({
    'renamed.ts': 'src/renamed.ts',
    'src/shifted.ts': 'lib/shifted.ts',
    'src/old-name.ts': 'src/new-name.ts',
  })
  const { text } = composeRecovery(checked, { budgetChars: 2_000, sha256 })
  expect(text).toContain('| Contradicted: src/shifted.ts is spoken of as there, but it is now lib/shifted.ts\n')
  expect(text).toContain('src/shifted.ts (now lib/shifted.ts)')
  expect(text).toContain('src/lost.ts (gone),')
})

test('git is not asked while no file is gone', async () => {
  let isAsked = false
  const ports = disk({ 'a.ts': 'x' })
  const renames = async () => {
    isAsked = true
    return new Map<string, string>()
  }
  await revalidate(view({ files: [file('a.ts', { contentHash: 'x' })] }), { ...ports, git: { ...ports.git, renames } })
  expect(isAsked).toBe(false)
})
