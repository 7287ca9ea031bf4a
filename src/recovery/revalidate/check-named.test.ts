import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { disk, file } from '../../../test/support/checked-disk.ts'
import { aCheckpointOf } from '../../../test/support/checkpoints.ts'
import type { Checkpoint, WorkSummary } from '../../kernel/checkpoint.ts'
import { mergeCheckpoints } from '../merge/merge-checkpoints.ts'
import { findNamedThings, type NamedVerdicts } from './check-named.ts'
import { revalidate } from './revalidate.ts'
import { composeRecovery } from '../compose.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function flatten({ files, commands, commits }: NamedVerdicts) {
  const quoted = [...commands].map(([command, verdict]) => [`\`${command}\``, verdict] as const)
  return Object.fromEntries([...files, ...quoted, ...commits])
}

describe('what sentences name', () => {
  const said = (overrides: Partial<Checkpoint>, work: Partial<WorkSummary> = {}) =>
    mergeCheckpoints([aCheckpointOf(work, overrides)])
  const written = (summary: string, nextAction?: string): Partial<Checkpoint> => ({
    written: { summary, decisions: [], blockers: [], order: 1, ...(nextAction === undefined ? {} : { nextAction }) },
  })

  test('files, commands and commits each get a verdict', async () => {
    const ports = disk({ 'src/a.ts': 'one\ntwo', 'package.json': '{"scripts":{"test":"x"}}' })
    const git = { ...ports.git, hasCommit: async (_: string, commit: string) => commit.startsWith('aaa') }
    const next =
      'After commit aaa1111 and commit bbb2222 run `npm test`, `npm run old`; see src/a.ts:2, src/new.ts, src/gone.ts'
    const seen = { files: [file('src/gone.ts', { contentHash: 'x' })] }
    const { named } = await revalidate(said({ nextAction: next }, seen), { ...ports, git })
    expect(flatten(named)).toEqual({
      'src/a.ts': 'holds',
      'src/new.ts': 'cannot-tell',
      'src/gone.ts': 'gone',
      '`npm test`': 'holds',
      '`npm run old`': 'gone',
      aaa1111: 'holds',
      bbb2222: 'gone',
    })
  })

  test('what the disk says otherwise comes first, and only what was said to be there', async () => {
    const note = 'The lexer is in src/lexer.ts, committed as bbb2222. Next I will write src/later.ts.'
    const ports = disk({ 'package.json': '{}' })
    const git = { ...ports.git, hasCommit: async () => false }
    const files = [file('src/lexer.ts', { contentHash: 'x' }), file('src/later.ts', { contentHash: 'x' })]
    const checked = await revalidate(said(written(note, 'Run `npm run old`'), { files }), { ...ports, git })
    const { text } = composeRecovery(checked, { budgetChars: 2_000, sha256 })
    expect(text.split('\n').slice(3, 6)).toMatchInlineSnapshot(`
      [
        "| Contradicted: src/lexer.ts is spoken of as there, but it is gone; commit bbb2222 is named, but this repository does not have it; \`npm run old\` is named, but it is not defined",
        "| Noted by the agent: The lexer is in src/lexer.ts, committed as bbb2222. Next I will write src/later.ts.",
        "| Next: Run \`npm run old\`",
      ]
    `)
  })

  test('the same holds for the last words, for a line of a file, and for a commit that is not checked out', async () => {
    const last =
      'Done in ./src/lexer.ts, see also src/parser.ts:3. I cleaned up src/tmp.ts. Committed as aaa1111, on top of commit bbb2222.'
    const statements = [{ text: last, lastOrder: 9 }]
    const files = [
      file('src/lexer.ts', { contentHash: 'x' }),
      file('src/parser.ts', { contentHash: 'x' }),
      file('src/tmp.ts'),
    ]
    const ports = disk({})
    const git = { ...ports.git, isInHistory: async () => false }
    const checked = await revalidate(said({}, { statements, files }), { ...ports, git })
    const { text } = composeRecovery(checked, { budgetChars: 2_000, sha256 })
    expect(text).toContain(
      '| Contradicted: src/lexer.ts is spoken of as there, but it is gone; src/parser.ts is spoken of as there, but it is gone; commit aaa1111 is named, but it is not part of what is checked out\n',
    )
  })

  test('a file that is named with the way to it is the same file', async () => {
    const note = 'The lexer is in /repo/src/lexer.ts.'
    const place = { ...aCheckpointOf({}).place, worktree: '/repo' }
    const files = [file('src/lexer.ts', { contentHash: 'x' })]
    const checked = await revalidate(said({ ...written(note, 'Open /repo/src/lexer.ts'), place }, { files }), disk({}))
    expect(flatten(checked.named)).toEqual({ 'src/lexer.ts': 'gone' })
    expect(composeRecovery(checked, { budgetChars: 2_000, sha256 }).text).toContain('src/lexer.ts is spoken of')
  })

  test('that tests pass, said before the last edit, is contradicted', async () => {
    const statements = [{ text: 'All tests pass.', lastOrder: 4 }]
    const tests = [{ name: 'all', status: 'passing' as const, command: 'npm test', lastOrder: 3 }]
    const told = async (lastOrder: number) => {
      const files = [file('a.ts', { contentHash: 'then', lastOrder })]
      const checked = await revalidate(said({}, { statements, tests, files }), disk({ 'a.ts': 'then' }))
      return composeRecovery(checked, { budgetChars: 2_000, sha256 }).text
    }
    const outdated = '"All tests pass." was said, but the code has changed since the tests ran'
    expect(await told(5)).toContain(`| Contradicted: ${outdated}`)
    expect(await told(2)).not.toContain(outdated)
  })

  test('the same in a note, which carries no mark, is said before it, unless the tests were seen to fail', async () => {
    const tests = [{ name: 'all', status: 'passing' as const, command: 'npm test', lastOrder: 3 }]
    const claims = [
      { text: 'All 12 tests pass.', evidence: 'claimed' as const, lastOrder: 5, contradictedBy: 'it failed' },
    ]
    const told = async (lastOrder: number, seen: Partial<WorkSummary> = {}) => {
      const files = [file('a.ts', { contentHash: 'then', lastOrder })]
      const view = said(written('All 12 tests pass. Rounding is done.', 'Open a pull request'), {
        tests,
        files,
        ...seen,
      })
      return composeRecovery(await revalidate(view, disk({ 'a.ts': 'then' })), { budgetChars: 2_000, sha256 }).text
    }
    const outdated = '"All 12 tests pass." is noted, but the code has changed since the tests ran'
    expect(await told(5)).toContain(`| Contradicted: ${outdated}\n| Noted by the agent: All 12 tests pass.`)
    expect(await told(2)).not.toContain(outdated)
    expect(await told(5, { claims })).not.toContain(outdated)
  })

  test('nothing is contradicted that could not be looked at', async () => {
    const elsewhere = { ...disk({}), files: { ...disk({}).files, isDirectory: async () => false } }
    const checked = await revalidate(said(written('The lexer is in src/lexer.ts.')), elsewhere)
    expect(composeRecovery(checked, { budgetChars: 2_000, sha256 }).text).not.toContain('Contradicted')
  })
})

test('a file that was written with the separators of Windows is looked for where it is', () => {
  const said = String.raw`Next: src\core\a.ts:12, then C:\repo\b.ts`
  expect(findNamedThings(said, String.raw`C:\repo`).paths).toEqual(['src/core/a.ts', 'b.ts'])
  expect(findNamedThings(String.raw`printed "x\nsrc/a.ts"`, '/repo').paths).toEqual(['nsrc/a.ts'])
})
