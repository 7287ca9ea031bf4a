import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isWorthReading, MAX_FILE_BYTES, measure } from './discover.ts'
import { createSourceReader } from './read-source.ts'
import { listProjectFiles } from '../project-files.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-discover-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, content = 'x'): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

const clock = { now: () => new Date(0).toISOString() }
const discover = async () => measure(root, (await listProjectFiles({ root, clock })).paths)
const found = async () => (await discover()).files.map(({ path }) => path)

function writeAll(): void {
  write('src/a.ts')
  write('src/new.py')
  write('notes.md')
  write('ignored/secret.ts')
  write('node_modules/pkg/index.js')
  write('lib/jquery.min.js')
  write('src/huge.c', 'x'.repeat(MAX_FILE_BYTES + 1))
  symlinkSync('/etc/hostname', join(root, 'src/link.ts'))
}

test('with git: tracked and new files, without ignored, foreign, generated, linked and huge ones', async () => {
  execFileSync('git', ['init', '-q'], { cwd: root })
  write('.gitignore', 'ignored/\n')
  writeAll()
  execFileSync('git', ['add', 'src/a.ts'], { cwd: root })
  expect(await found()).toEqual(['src/a.ts', 'src/new.py'])
  expect((await discover()).skipped).toBe(1)
})

test('without git: a walk, links not followed', async () => {
  writeAll()
  symlinkSync('..', join(root, 'src/loop'))
  expect(await found()).toEqual(['ignored/secret.ts', 'src/a.ts', 'src/new.py'])
})

test('a folder that became a link to one outside has no files, at any depth', async () => {
  execFileSync('git', ['init', '-q'], { cwd: root })
  for (const path of ['src/deep/a.ts', 'lib/b.ts', 'kept/c.ts']) write(path)
  execFileSync('git', ['add', '.'], { cwd: root })
  const outside = mkdtempSync(join(tmpdir(), 'holdfast-outside-'))
  try {
    mkdirSync(join(outside, 'deep'))
    for (const path of ['deep/a.ts', 'b.ts']) writeFileSync(join(outside, path), 'export const secret = 1')
    for (const folder of ['src', 'lib']) {
      rmSync(join(root, folder), { recursive: true })
      symlinkSync(outside, join(root, folder))
    }
    expect(await found()).toEqual(['kept/c.ts'])
  } finally {
    rmSync(outside, { recursive: true })
  }
})

test('a folder that becomes a link after its files were listed is not read through', () => {
  const real = realpathSync(root)
  write('away/a.ts', 'export const secret = 1')
  write('src/a.ts', 'export const own = 1')
  const read = createSourceReader()
  expect(read(join(real, 'src/a.ts'))?.text).toBe('export const own = 1')
  rmSync(join(root, 'src'), { recursive: true })
  symlinkSync(join(root, 'away'), join(root, 'src'))
  expect(read(join(real, 'src/a.ts'))).toBeUndefined()
})

test('a folder that is not there has no files', async () => {
  rmSync(root, { recursive: true })
  expect(await discover()).toEqual({ files: [], skipped: 0 })
})

test.each([
  ['src/vendor.ts', true],
  ['vendor/a.go', false],
  ['api/user.pb.go', false],
  ['README.md', false],
  ['.eslintrc.js', true],
  ['constructor', false],
  ['a.constructor', false],
])('%s is worth reading: %s', (path, expected) => {
  expect(isWorthReading(path)).toBe(expected)
})
