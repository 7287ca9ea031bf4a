import { describe, expect, test } from 'vitest'
import {
  toRelativeText,
  baseName,
  countPaths,
  isScratch,
  isWithin,
  pathFrom,
  findPaths,
  relativePath,
} from './paths.ts'

describe('relativePath', () => {
  test.each([
    ['/repo/src/a.ts', { worktree: '/repo' }, 'src/a.ts'],
    ['./src/a.ts', { worktree: '/repo' }, 'src/a.ts'],
    ['a.ts', { worktree: '/repo', cwd: '/repo/packages/x' }, 'packages/x/a.ts'],
    ['../y/a.ts', { worktree: '/repo', cwd: '/repo/packages/x' }, 'packages/y/a.ts'],
    ['~/notes/a.ts', { worktree: '/repo', cwd: '/repo/packages/x' }, '~/notes/a.ts'],
    ['/elsewhere/a.ts', { worktree: '/repo' }, '/elsewhere/a.ts'],
    ['/repository/a.ts', { worktree: '/repo' }, '/repository/a.ts'],
    ['/private/tmp/repo/a.ts', { worktree: '/tmp/repo' }, 'a.ts'],
    ['/tmp/repo/a.ts', { worktree: '/private/tmp/repo' }, 'a.ts'],
    ['C:\\repo\\src\\a.ts', { worktree: 'C:\\repo' }, 'src/a.ts'],
    ['c:\\repo\\src\\a.ts', { worktree: 'C:\\repo' }, 'src/a.ts'],
    ['src\\a.ts', { worktree: 'C:\\repo', cwd: 'c:/repo/x' }, 'x/src/a.ts'],
    ['/repo', { worktree: '/repo' }, undefined],
    ['  ', { worktree: '/repo' }, undefined],
    ['/repo/src/a.ts', {}, '/repo/src/a.ts'],
  ])('%s in %o is %s', (path, context, expected) => {
    expect(relativePath(path, context)).toBe(expected)
  })
})

describe('asReadIn', () => {
  test.each([
    ['/repo', 'npx vitest run /repo/src/a.test.ts', 'npx vitest run src/a.test.ts'],
    ['/repo', '/repo/src/a.ts', 'src/a.ts'],
    ['/repo/', 'cat "/repo/ü b.ts" --config=/repo/x.json', 'cat "ü b.ts" --config=x.json'],
    ['/repo', 'cd /repo && npm test; ls /repo/', 'cd . && npm test; ls .'],
    ['/repo', 'cat /repository/a.ts /repo-old/a.ts /repo.bak /mnt/repo/a.ts', undefined],
    ['/repo', 'cat ../repo/a.ts ~/repo/a.ts', undefined],
    ['/r.p+(o)', 'cat /r.p+(o)/a.ts /rxp+(o)/a.ts', 'cat a.ts /rxp+(o)/a.ts'],
    ['/private/tmp/r', 'cat /tmp/r/a.ts /private/tmp/r/b.ts', 'cat a.ts b.ts'],
    ['/tmp/r', 'cat /tmp/r/a.ts /private/tmp/r/b.ts', 'cat a.ts b.ts'],
    ['/', 'cat /etc/hosts', undefined],
    ['C:\\repo', 'type C:\\repo\\src\\a.ts c:/repo/b.ts C:\\repo-old\\a.ts', 'type src\\a.ts b.ts C:\\repo-old\\a.ts'],
    ['C:\\repo', 'cd C:\\repo && dir "C:\\repo\\"', 'cd . && dir "."'],
  ])('in %s, %s', (worktree, text, expected = text) => {
    expect(toRelativeText(worktree, text)).toBe(expected)
  })
})

test('a path of Windows is known for what it is', () => {
  expect([pathFrom('C:\\repo', 'D:\\x'), pathFrom('C:\\repo', 'x')]).toEqual(['D:\\x', 'C:\\repo/x'])
  expect([baseName('C:\\Users\\ada\\shop'), baseName('a\\b'), baseName('a/b')]).toEqual(['shop', 'a\\b', 'b'])
  const within = [
    ['C:\\a\\b', 'c:\\a'],
    ['C:\\a', 'C:\\a'],
    ['C:\\ab', 'C:\\a'],
    ['/a/b', '/a'],
    ['/ab', '/a'],
    ['/a', '/'],
  ] as const
  expect(within.map(([path, folder]) => isWithin(path, folder))).toEqual([true, true, false, true, false, true])
})

test('files named in a text are found, addresses and versions are not', () => {
  expect(findPaths('see src/core/a.ts:12 and b.go, not https://x.dev/y.html or v1.2.3 or e.g. this', 10)).toEqual([
    'src/core/a.ts',
    'b.go',
  ])
})

test('the two sides of a difference are one file', () => {
  const diff =
    'diff --git a/src/a.ts b/src/a.ts\nindex 3ae4f73..8b51a2f 100644\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n'
  expect(findPaths(`${diff}--- /dev/null\n+++ b/src/new.ts\n`, 10)).toEqual(['src/a.ts', 'src/new.ts'])
})

test('the two sides of a difference are one file also where a pane frames it', () => {
  expect(findPaths('  └ diff --git a/README.md b/README.md\n', 9)).toEqual(['README.md'])
})

test('library names and relative imports are not files', () => {
  const code = `import { a } from './lib/a.js'\nconst b = require("../b.js")\nawait import('./c.mjs') // see src/d.js`
  expect(findPaths(`${code}\nNode.js and vercel/next.js, src/next.js`, 9)).toEqual(['src/d.js', 'src/next.js'])
})

test('what lies outside the worktree is scratch', () => {
  expect(['/tmp/x', '~/notes.md', '../other/x', 'src/x'].map(isScratch)).toEqual([true, true, true, false])
})

test('lines of a search count for the file that they are about, whichever way it prints them', () => {
  const plain =
    'src/a.ts:1:import x from "./b.ts"\nsrc/a.ts-2-context\nsrc/c.go:7:func main() {\n--\nsrc/only-listed.ts\n'
  const headed =
    'Found 3 matches\n/repo/src/a.ts:\n  Line 15: one\n  Line 16: two\n\n/repo/src/b.ts:\n  Line 2: three\n'
  expect([...countPaths(plain)]).toEqual([
    ['src/a.ts', 2],
    ['src/c.go', 1],
  ])
  expect([...countPaths(headed)]).toEqual([
    ['/repo/src/a.ts', 2],
    ['/repo/src/b.ts', 1],
  ])
  expect([...countPaths('12:30:01 started\nhttp://x.dev/a.ts:80: no\nError: a.ts:\n 3: x')]).toEqual([])
})
