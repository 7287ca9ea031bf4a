import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isWorthReading, MAX_FILE_BYTES, measure } from './discover.ts'
import { surveyProject } from './survey.ts'

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
const discover = async () => measure(root, (await surveyProject({ root, clock })).paths)
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
