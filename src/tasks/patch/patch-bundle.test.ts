import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { git, gitRepository, tempDir } from '../../../test/support/temp-dir.ts'
import { createRedactor } from '../../redaction/redactor.ts'
import { writePatchBundle } from './patch-bundle.ts'
import { openTaskFolder } from '../files/task-folder.ts'

const SECRET = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')

function folderIn(root: string) {
  return openTaskFolder({ root, slug: 'feat-x', redactor: createRedactor() })
}

/** What the patch makes of a fresh clone. */
function appliedTo(root: string, patch: string, dir: string): string {
  const clone = join(dir, 'clone')
  git(dir, 'clone', '-q', root, clone)
  git(clone, 'apply', '--check', join(root, 'tasks/feat-x', patch))
  git(clone, 'apply', join(root, 'tasks/feat-x', patch))
  return clone
}

test('the patch restores changed, new, deleted and binary files of any name', async () => {
  using dir = tempDir()
  const root = gitRepository(join(dir.path, 'repo'))
  writeFileSync(join(root, 'old.txt'), 'old\n')
  writeFileSync(join(root, 'latin1.txt'), Buffer.from([0x68, 0xe9, 0x0a]))
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'more')
  writeFileSync(join(root, 'README.md'), 'changed\n')
  writeFileSync(join(root, 'latin1.txt'), Buffer.from([0x68, 0xe9, 0xe8, 0x0a]))
  rmSync(join(root, 'old.txt'))
  const odd = 'a "quoted" name\twith é.bin'
  const bytes = Buffer.from(Array.from({ length: 300 }, (_, n) => (n * 7) % 256))
  writeFileSync(join(root, odd), bytes)
  const before = git(root, 'status', '--porcelain')
  const bundle = await writePatchBundle(folderIn(root), 'session-1')
  expect(bundle).toEqual({ kind: 'patch', file: 'work/patches/session-1.patch', leftOut: [] })
  const clone = appliedTo(root, 'work/patches/session-1.patch', dir.path)
  expect(readFileSync(join(clone, 'README.md'), 'utf8')).toBe('changed\n')
  expect(readFileSync(join(clone, odd))).toEqual(bytes)
  expect(readFileSync(join(clone, 'latin1.txt'))).toEqual(Buffer.from([0x68, 0xe9, 0xe8, 0x0a]))
  expect(git(clone, 'status', '--porcelain')).toContain('D old.txt')
  // Neither index nor work tree was touched: only the bundle itself is new.
  expect(git(root, 'status', '--porcelain')).toBe(`${before}\n?? tasks/`)
})

test('with a split index nothing is left in the repository', async () => {
  using dir = tempDir()
  const root = gitRepository(join(dir.path, 'repo'))
  git(root, 'config', 'core.splitIndex', 'true')
  for (let n = 0; n < 30; n += 1) writeFileSync(join(root, `${n}.txt`), `${n}\n`)
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'more')
  const files = () => readdirSync(join(root, '.git')).toSorted()
  const before = files()
  for (let n = 0; n < 30; n += 1) writeFileSync(join(root, `${n}.txt`), `${n} changed\n`)
  expect(await writePatchBundle(folderIn(root), 'session-1')).toMatchObject({ kind: 'patch' })
  expect(files()).toEqual(before)
})

test('a file with a secret is left out and named, even a binary one', async () => {
  using dir = tempDir()
  const root = gitRepository(join(dir.path, 'repo'))
  writeFileSync(join(root, 'fine.txt'), 'fine\n')
  writeFileSync(join(root, 'token.txt'), `token ${SECRET}\n`)
  writeFileSync(join(root, 'blob.bin'), Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from(` ${SECRET} `)]))
  writeFileSync(join(root, '.env'), 'PLAIN=value\n')
  const bundle = await writePatchBundle(folderIn(root), 'session-1')
  expect(bundle).toMatchObject({ kind: 'patch', leftOut: ['.env', 'blob.bin', 'token.txt'] })
  const patch = readFileSync(join(root, 'tasks/feat-x/work/patches/session-1.patch'), 'utf8')
  expect(patch).toContain('fine.txt')
  expect(patch).not.toContain(SECRET)
})

/** Everything readable in a folder: files as they are, and git's objects with their content. */
function contentsBelow(folder: string): string {
  if (!existsSync(folder)) return ''
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
    .map((bytes) => {
      try {
        return inflateSync(bytes).toString('latin1')
      } catch {
        return bytes.toString('latin1')
      }
    })
    .join('\n')
}

test('a file with a secret is never copied, and the copies of the others are removed', async () => {
  using dir = tempDir()
  const root = gitRepository(join(dir.path, 'repo'))
  writeFileSync(join(root, 'tracked.txt'), 'nothing yet\n')
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'more')
  writeFileSync(join(root, 'tracked.txt'), `token ${SECRET}\n`)
  writeFileSync(join(root, 'token.txt'), `token ${SECRET}\n`)
  writeFileSync(join(root, 'blob.bin'), Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from(` ${SECRET} `)]))
  writeFileSync(join(root, 'fine.txt'), 'a fine text\n')
  const [home, temporary] = [join(dir.path, 'home'), join(dir.path, 'tmp')]
  mkdirSync(temporary)
  vi.stubEnv('HOLDFAST_HOME', home)
  vi.stubEnv('TMPDIR', temporary)
  const seen: string[] = []
  const plain = createRedactor()
  const looking = {
    ...plain,
    findings(text: string) {
      seen.push(contentsBelow(home), contentsBelow(temporary))
      return plain.findings(text)
    },
  }
  try {
    const folder = openTaskFolder({ root, slug: 'feat-x', redactor: looking })
    expect(await writePatchBundle(folder, 'session-1')).toMatchObject({
      kind: 'patch',
      leftOut: ['blob.bin', 'token.txt', 'tracked.txt'],
    })
  } finally {
    vi.unstubAllEnvs()
  }
  expect(seen.join('\n')).toContain('a fine text')
  expect(seen.join('\n')).not.toContain(SECRET)
  expect(readdirSync(join(home, 'scratch'))).toEqual([])
  expect(readdirSync(temporary)).toEqual([])
})

test('a file with a git filter is left out and named', async () => {
  using dir = tempDir()
  const root = gitRepository(join(dir.path, 'repo'))
  writeFileSync(join(root, '.gitattributes'), '*.key filter=crypt\n*.txt filter=undefined\n')
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'attributes')
  git(root, 'config', 'filter.crypt.clean', 'openssl enc -base64')
  writeFileSync(join(root, 'site.key'), 'as it is on the disk\n')
  writeFileSync(join(root, 'fine.txt'), 'fine\n')
  expect(await writePatchBundle(folderIn(root), 'p')).toMatchObject({ kind: 'patch', leftOut: ['site.key'] })
  expect(readFileSync(join(root, 'tasks/feat-x/work/patches/p.patch'), 'utf8')).not.toContain('on the disk')
})

test('replacing files, folders and links by each other, and names that are not UTF-8, are restored too', async () => {
  using dir = tempDir()
  const root = gitRepository(join(dir.path, 'repo'))
  for (const name of ['was-folder', 'linked']) {
    mkdirSync(join(root, name))
    writeFileSync(join(root, name, 'inner.txt'), 'inner\n')
  }
  writeFileSync(join(root, 'was-file'), 'file\n')
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'more')
  for (const name of ['was-folder', 'linked', 'was-file']) rmSync(join(root, name), { recursive: true })
  writeFileSync(join(root, 'was-folder'), 'now a file\n')
  mkdirSync(join(root, 'was-file'))
  writeFileSync(join(root, 'was-file', 'inner.txt'), 'now inside\n')
  symlinkSync('was-file', join(root, 'linked'))
  const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x6e, 0xe9, 0x2e, 0x74, 0x78, 0x74])])
  writeFileSync(odd, 'odd\n')
  expect(await writePatchBundle(folderIn(root), 'p')).toMatchObject({ kind: 'patch', leftOut: [] })
  const clone = appliedTo(root, 'work/patches/p.patch', dir.path)
  expect(readFileSync(join(clone, 'was-folder'), 'utf8')).toBe('now a file\n')
  expect(readFileSync(join(clone, 'linked', 'inner.txt'), 'utf8')).toBe('now inside\n')
  expect(readdirSync(clone, { encoding: 'buffer' }).some((name) => name.includes(0xe9))).toBe(true)
})

test('a nested repository without a commit is left out and named', async () => {
  using dir = tempDir()
  const root = gitRepository(join(dir.path, 'repo'))
  writeFileSync(join(root, 'fine.txt'), 'fine\n')
  git(root, 'init', '-q', 'made/app')
  writeFileSync(join(root, 'made', 'app', 'index.js'), '1\n')
  const bundle = await writePatchBundle(folderIn(root), 'session-1')
  expect(bundle).toEqual({ kind: 'patch', file: 'work/patches/session-1.patch', leftOut: ['made/app/'] })
  expect(readFileSync(join(root, 'tasks/feat-x/work/patches/session-1.patch'), 'utf8')).toContain('fine.txt')
})

test('a binary file whose secret is only in the committed version is left out too', async () => {
  using dir = tempDir()
  const root = gitRepository(join(dir.path, 'repo'))
  const secret = Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from(` ${SECRET} `)])
  const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`token ${SECRET}\r\n`, 'utf16le')])
  for (const [name, bytes] of [
    ['gone.bin', secret],
    ['cleaned.bin', secret],
    ['wide.txt', wide],
  ] as const)
    writeFileSync(join(root, name), bytes)
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'blobs')
  rmSync(join(root, 'gone.bin'))
  writeFileSync(join(root, 'cleaned.bin'), Buffer.from([0, 1, 2, 3]))
  writeFileSync(join(root, 'wide.txt'), Buffer.concat([wide, wide]))
  writeFileSync(join(root, 'fine.bin'), Buffer.from([0, 1, 2]))
  expect(await writePatchBundle(folderIn(root), 'session-1')).toMatchObject({
    kind: 'patch',
    leftOut: ['cleaned.bin', 'gone.bin', 'wide.txt'],
  })
})

test('a repository without a commit has a patch; a clean one and a plain folder have none', async () => {
  using dir = tempDir()
  const bare = join(dir.path, 'new')
  git(dir.path, 'init', '-q', bare)
  writeFileSync(join(bare, 'a.txt'), 'a\n')
  expect(await writePatchBundle(folderIn(bare), 'p')).toMatchObject({ kind: 'patch' })
  const clean = gitRepository(join(dir.path, 'clean'))
  expect(await writePatchBundle(folderIn(clean), 'p')).toEqual({
    kind: 'none',
    isClean: true,
    reason: 'nothing is uncommitted',
  })
  using plain = tempDir()
  plain.write('a.txt', 'a')
  expect(await writePatchBundle(folderIn(plain.path), 'p')).toEqual({
    kind: 'none',
    isClean: false,
    reason: 'this is not a git repository',
  })
})
