import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { git, gitRepository, tempDir } from '../../../test/support/temp-dir.ts'
import { Snapshots } from './snapshots.ts'

test.each(['core.splitIndex', 'update-index --split-index'])(
  'an index that is split (%s) is read whole, and none is left in the repository',
  async (how) => {
    using dir = tempDir()
    const root = gitRepository(join(dir.path, 'repo'))
    const shared = () => readdirSync(join(root, '.git')).filter((name) => name.startsWith('sharedindex'))
    const write = (content: string) => {
      for (let n = 0; n < 30; n += 1) writeFileSync(join(root, `${n}.txt`), `${n} ${content}\n`)
    }
    if (how === 'core.splitIndex') git(root, 'config', 'core.splitIndex', 'true')
    git(root, 'config', 'splitIndex.sharedIndexExpire', 'now')
    write('first')
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'first')
    git(root, 'update-index', '--split-index')
    const snapshots = await Snapshots.open({ root, dir: join(dir.path, 'run') })
    const before = await snapshots?.take()
    // The agent commits, the index is split again, and the shared part is removed.
    const old = shared()
    for (const name of old) utimesSync(join(root, '.git', name), 0, 0)
    write('second')
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'second')
    git(root, 'update-index', '--split-index')
    expect(shared().filter((name) => old.includes(name))).toEqual([])
    const kept = shared()
    const after = await snapshots?.take()
    expect(await snapshots?.changes(before ?? '', after ?? '')).toHaveLength(30)
    await snapshots?.restore(before ?? '', [])
    expect(readFileSync(join(root, '7.txt'), 'utf8')).toBe('7 first\n')
    expect(shared()).toEqual(kept)
  },
)

test('in a sparse checkout, files created outside of it are detected and skipped files do not count as deleted', async () => {
  using dir = tempDir()
  const root = gitRepository(join(dir.path, 'repo'))
  for (const folder of ['in', 'out']) {
    mkdirSync(join(root, folder))
    writeFileSync(join(root, folder, 'a.txt'), 'a\n')
  }
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'folders')
  git(root, 'sparse-checkout', 'set', '--no-cone', '/in/')
  const snapshots = await Snapshots.open({ root, dir: join(dir.path, 'run') })
  const before = (await snapshots?.take()) ?? ''
  mkdirSync(join(root, 'made'))
  writeFileSync(join(root, 'made', 'new.txt'), 'new\n')
  expect(await snapshots?.changes(before, (await snapshots.take()) ?? '')).toEqual([
    { path: 'made/new.txt', change: 'created' },
  ])
  await snapshots?.restore(before, [])
  expect(git(root, 'status', '--porcelain')).toBe('')
})

test('a file with a git filter is restored as it was on disk, without running the filter', async () => {
  using dir = tempDir()
  const root = gitRepository(join(dir.path, 'repo'))
  const mark = join(dir.path, 'ran')
  git(root, 'config', 'filter.large.clean', 'echo pointer')
  git(root, 'config', 'filter.large.smudge', 'echo the large file')
  git(root, 'config', 'filter.large.required', 'true')
  writeFileSync(join(root, '.gitattributes'), '*.bin filter=large\n')
  for (const name of ['gone.bin', 'changed.bin']) writeFileSync(join(root, name), 'the large file\n')
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'large')
  for (const kind of ['clean', 'smudge']) git(root, 'config', `filter.large.${kind}`, `touch '${mark}'; cat`)
  const snapshots = await Snapshots.open({ root, dir: join(dir.path, 'run') })
  const before = (await snapshots?.take()) ?? ''
  rmSync(join(root, 'gone.bin'))
  writeFileSync(join(root, 'changed.bin'), 'other\n')
  expect(await snapshots?.changes(before, (await snapshots?.take()) ?? '')).toEqual([
    { path: 'changed.bin', change: 'modified' },
    { path: 'gone.bin', change: 'deleted' },
  ])
  await snapshots?.restore(before, [])
  for (const name of ['gone.bin', 'changed.bin'])
    expect(readFileSync(join(root, name), 'utf8')).toBe('the large file\n')
  expect(existsSync(mark)).toBe(false)
})
