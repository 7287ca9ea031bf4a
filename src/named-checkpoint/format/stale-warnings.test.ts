import { expect, test } from 'vitest'
import { renderBanner } from '../banner.ts'
import { parseNamed } from './file-format.ts'
import { listPathsToCheck, findStaleWarnings } from './stale-warnings.ts'

const HASH = 'a'.repeat(64)
const read = parseNamed(
  `# Checkpoint: x\n**Created:** 2026-01-30 09:05 UTC\n**Task:** t\n## Progress\nWrote src/a.ts, see \`notes.md\` and node.js\n## Git State\n- Branch: \`main\`\n- HEAD: \`0123456789\`\n## File Hashes\n- \`src/a.ts\` sha256:${HASH}\n- \`src/b.ts\` sha256:${HASH}\n`,
)

test('the paths to check are those with a hash and those named in the text', () => {
  expect(listPathsToCheck(read)).toEqual(['src/a.ts', 'src/b.ts', 'notes.md'])
})

test('each change since is reported', () => {
  const files = new Map([
    ['src/a.ts', { isThere: true, hash: 'b'.repeat(64) }],
    ['src/b.ts', { isThere: true, hash: HASH }],
    ['notes.md', { isThere: false }],
  ])
  const git = { branch: 'other', head: 'fedcba9876543210' }
  expect(findStaleWarnings(read, { files, git, now: '2026-02-01T10:00:00.000Z' })).toEqual([
    { kind: 'changed-file', text: 'src/a.ts has changed since' },
    { kind: 'missing-file', text: 'notes.md does not exist' },
    { kind: 'branch', text: 'saved on branch main, now on other' },
    { kind: 'head', text: 'HEAD was 0123456789, now fedcba9876' },
    { kind: 'age', text: 'saved 2 days ago' },
  ])
})

test('a missing file with a hash is gone', () => {
  const files = new Map([['src/b.ts', { isThere: false }]])
  expect(findStaleWarnings(read, { files, now: '2026-01-30T10:00:00.000Z' })).toEqual([
    { kind: 'missing-file', text: 'src/b.ts is gone' },
  ])
})

test('there are no warnings if nothing changed', () => {
  const files = new Map(listPathsToCheck(read).map((path) => [path, { isThere: true, hash: HASH }]))
  const git = { branch: 'main', head: '0123456789abcdef' }
  expect(findStaleWarnings(read, { files, git, now: '2026-01-30T10:00:00.000Z' })).toEqual([])
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
