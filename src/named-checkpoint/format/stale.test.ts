import { expect, test } from 'vitest'
import { renderBanner } from '../banner.ts'
import { parseNamed } from './parse.ts'
import { pathsToCheck, staleWarnings } from './stale.ts'

const HASH = 'a'.repeat(64)
const read = parseNamed(
  `# Checkpoint: x\n**Created:** 2026-01-30 09:05 UTC\n**Task:** t\n## Progress\nWrote src/a.ts, see \`notes.md\` and node.js\n## Git State\n- Branch: \`main\`\n- HEAD: \`0123456789\`\n## File Hashes\n- \`src/a.ts\` sha256:${HASH}\n- \`src/b.ts\` sha256:${HASH}\n`,
)

test('the files to check are those with a hash and those the text names', () => {
  expect(pathsToCheck(read)).toEqual(['src/a.ts', 'src/b.ts', 'notes.md'])
})

test('what moved since is said, file by file', () => {
  const files = new Map([
    ['src/a.ts', { isThere: true, hash: 'b'.repeat(64) }],
    ['src/b.ts', { isThere: true, hash: HASH }],
    ['notes.md', { isThere: false }],
  ])
  const git = { branch: 'other', head: 'fedcba9876543210' }
  expect(staleWarnings(read, { files, git, now: '2026-02-01T10:00:00.000Z' })).toEqual([
    { kind: 'changed-file', text: 'src/a.ts has changed since' },
    { kind: 'missing-file', text: 'notes.md is not there' },
    { kind: 'branch', text: 'saved on branch main, now on other' },
    { kind: 'head', text: 'HEAD was 0123456789, now fedcba9876' },
    { kind: 'age', text: 'saved 2 days ago' },
  ])
})

test('a file with a hash was there, so it is gone', () => {
  const files = new Map([['src/b.ts', { isThere: false }]])
  expect(staleWarnings(read, { files, now: '2026-01-30T10:00:00.000Z' })).toEqual([
    { kind: 'missing-file', text: 'src/b.ts is gone' },
  ])
})

test('nothing is said when everything holds', () => {
  const files = new Map(pathsToCheck(read).map((path) => [path, { isThere: true, hash: HASH }]))
  const git = { branch: 'main', head: '0123456789abcdef' }
  expect(staleWarnings(read, { files, git, now: '2026-01-30T10:00:00.000Z' })).toEqual([])
})

test('the banner shows what is known and the warnings', () => {
  const warnings = [{ kind: 'missing-file', text: 'notes.md is gone' }] as const
  expect(renderBanner({ name: 'x', read, age: '2 d ago', warnings, isOurs: false }).split('\n').slice(1, -1)).toEqual([
    '📌 Resume: t',
    '📅 Saved: 2026-01-30 09:05 UTC (2 d ago) - edited by hand or written elsewhere',
    '✅ Progress:',
    '   Wrote src/a.ts, see `notes.md` and node.js',
    '🔜 Next action:',
    '   not stated',
    '⚠️ Stale warnings:',
    '   - notes.md is gone',
  ])
})
