import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aCheckpointOf } from '../../../test/support/checkpoints.ts'
import { FakeTime } from '../../../test/support/world.ts'
import type { Checkpoint, CommandRun, FileWork, WorkSummary } from '../checkpoint.ts'
import type { GitState } from '../project.ts'
import { foldCheckpoints } from './fold.ts'
import type { RecheckPorts } from './recheck.ts'
import { recheck } from './recheck.ts'
import { verdictOnText } from './recheck-named.ts'
import { renderRecovery } from './render.ts'

const head = 'a'.repeat(40)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** A disk in memory: the hash of a file is its content. */
function disk(
  contents: Readonly<Record<string, string>>,
  git: GitState | undefined = { branch: 'main', head },
  modifiedAt = '2026-02-02T00:00:00.000Z',
): RecheckPorts {
  const files = new Map(Object.entries(contents).map(([path, content]) => [`/repo/${path}`, content]))
  return {
    worktree: '/repo',
    git: { state: async () => git },
    files: {
      isDirectory: async () => true,
      facts: async (path) => (files.has(path) ? { size: 1, modifiedAt } : undefined),
      contentHash: async (path) => files.get(path),
      readText: async (path) => files.get(path),
    },
  }
}

const file = (path: string, overrides: Partial<FileWork> = {}): FileWork => ({
  path,
  action: 'edited',
  reads: 0,
  edits: 1,
  lastOrder: 1,
  ...overrides,
})
const run = (command: string): CommandRun => ({
  command,
  purpose: 'test',
  ok: true,
  runs: 1,
  failures: 0,
  lastOrder: 2,
})
const view = (work: Partial<WorkSummary>) => foldCheckpoints([aCheckpointOf(work)])

describe('re-checking', () => {
  test('each file holds, has changed, is gone, or cannot be told', async () => {
    const files = [
      file('same.ts', { contentHash: 'then' }),
      file('other.ts', { contentHash: 'then' }),
      file('missing.ts', { contentHash: 'then' }),
      file('unhashed.ts'),
      file('/etc/hosts'),
      file('deleted.ts', { action: 'deleted' }),
      file('back.ts', { action: 'deleted' }),
    ]
    const now = disk({ 'same.ts': 'then', 'other.ts': 'now', 'unhashed.ts': 'x', 'back.ts': 'x' })
    const checked = await recheck(view({ files }), now)
    expect(Object.fromEntries(checked.files)).toEqual({
      'same.ts': 'holds',
      'other.ts': 'changed',
      'missing.ts': 'gone',
      'unhashed.ts': 'cannot-tell',
      '/etc/hosts': 'cannot-tell',
      'deleted.ts': 'holds',
      'back.ts': 'changed',
    })
  })

  test('a file without a fingerprint that was not written since holds', async () => {
    const now = disk({ 'a.ts': 'x' }, undefined, '2026-01-01T00:00:00.000Z')
    expect((await recheck(view({ files: [file('a.ts')] }), now)).files.get('a.ts')).toBe('holds')
  })

  test('results of tests speak only about the code they ran on', async () => {
    const tests = [{ name: 'all', status: 'passing' as const, command: 'npm test', lastOrder: 5 }]
    const verdict = async (edited: FileWork, content: string) =>
      (await recheck(view({ tests, files: [edited] }), disk({ 'a.ts': content }))).tests
    expect(await verdict(file('a.ts', { contentHash: 'then', lastOrder: 4 }), 'then')).toBe('holds')
    expect(await verdict(file('a.ts', { contentHash: 'then', lastOrder: 6 }), 'then')).toBe('changed')
    expect(await verdict(file('a.ts', { contentHash: 'then', lastOrder: 4 }), 'now')).toBe('changed')
    expect(await verdict(file('a.ts', { lastOrder: 4 }), 'now')).toBe('cannot-tell')
  })

  test('a script is looked up in its manifest', async () => {
    const commands = [run('npm test'), run('npm run old'), run('go test ./...')]
    const checked = await recheck(view({ commands }), disk({ 'package.json': '{"scripts":{"test":"vitest"}}' }))
    expect(Object.fromEntries(checked.commands)).toEqual({ 'npm test': 'holds', 'npm run old': 'gone' })
  })

  test.each([
    [{ branch: 'main', head }, 'holds'],
    [{ branch: 'main', head: 'b'.repeat(40) }, 'changed'],
    [{ branch: 'other', head }, 'changed'],
    [undefined, 'cannot-tell'],
  ] as const)('with git at %o the place %s', async (git, verdict) => {
    const ports = { ...disk({}), git: { state: async () => git } }
    expect((await recheck(view({}), ports)).head).toBe(verdict)
  })

  test('looks at forty files at most', async () => {
    let looks = 0
    const ports = disk({})
    const counting = { ...ports, files: { ...ports.files, facts: async () => void (looks += 1) } }
    const files = Array.from({ length: 200 }, (_, index) => file(`f${index}.ts`, { lastOrder: index }))
    await recheck(view({ files }), counting)
    expect(looks).toBe(40)
  })

  test('without the worktree nothing is told', async () => {
    const ports = disk({ 'a.ts': 'x' })
    const elsewhere = { ...ports, files: { ...ports.files, isDirectory: async () => false } }
    const checked = await recheck(view({ files: [file('a.ts', { contentHash: 'x' })] }), elsewhere)
    expect([checked.isChecked, checked.files.size]).toEqual([false, 0])
  })

  test('a file that was read after the tests ran has not changed for that', async () => {
    const tests = [{ name: 'all', status: 'passing' as const, command: 'npm test', lastOrder: 5 }]
    const readLater = file('a.ts', { contentHash: 'then', lastOrder: 9, lastEditOrder: 4, reads: 1 })
    const editedLater = file('a.ts', { contentHash: 'then', lastOrder: 9, lastEditOrder: 6 })
    const verdict = async (edited: FileWork) =>
      (await recheck(view({ tests, files: [edited] }), disk({ 'a.ts': 'then' }))).tests
    expect([await verdict(readLater), await verdict(editedLater)]).toEqual(['holds', 'changed'])
  })
})

describe('what sentences name', () => {
  const said = (overrides: Partial<Checkpoint>, work: Partial<WorkSummary> = {}) =>
    foldCheckpoints([aCheckpointOf(work, overrides)])
  const written = (summary: string, nextAction?: string): Partial<Checkpoint> => ({
    written: { summary, decisions: [], blockers: [], order: 1, ...(nextAction === undefined ? {} : { nextAction }) },
  })

  test('files, lines, commands and commits each get a verdict', async () => {
    const ports = disk({ 'src/a.ts': 'one\ntwo', 'package.json': '{"scripts":{"test":"x"}}' })
    const git = { ...ports.git, hasCommit: async (_: string, commit: string) => commit.startsWith('aaa') }
    const next =
      'After commit aaa1111 and commit bbb2222 run `npm test`, `npm run old`; see src/a.ts:2, src/a.ts:99, src/new.ts, src/gone.ts'
    const seen = { files: [file('src/gone.ts', { contentHash: 'x' })] }
    const { named } = await recheck(said({ nextAction: next }, seen), { ...ports, git })
    expect(Object.fromEntries(named)).toEqual({
      'src/a.ts:2': 'cannot-tell',
      'src/new.ts': 'cannot-tell',
      'src/gone.ts': 'gone',
      '`npm test`': 'holds',
      '`npm run old`': 'gone',
      aaa1111: 'holds',
      bbb2222: 'gone',
    })
    expect(verdictOnText('Run `npm test`.', named)).toBe('holds')
    expect(verdictOnText('Run `npm test` on src/gone.ts.', named)).toBe('gone')
    expect(verdictOnText('Think about it.', named)).toBeUndefined()
  })

  test('a line beyond the end of its file has changed', async () => {
    const { named } = await recheck(said({ nextAction: 'Look at src/a.ts:99' }), disk({ 'src/a.ts': 'one\ntwo' }))
    expect(Object.fromEntries(named)).toEqual({ 'src/a.ts:99': 'changed' })
  })

  test('what the disk says otherwise comes first, and only what was said to be there', async () => {
    const note = 'The lexer is in src/lexer.ts, committed as bbb2222. Next I will write src/later.ts.'
    const ports = disk({ 'package.json': '{}' })
    const git = { ...ports.git, hasCommit: async () => false }
    const files = [file('src/lexer.ts', { contentHash: 'x' }), file('src/later.ts', { contentHash: 'x' })]
    const checked = await recheck(said(written(note, 'Run `npm run old`'), { files }), { ...ports, git })
    const { text } = renderRecovery(checked, { budgetChars: 2_000, sha256 })
    expect(text.split('\n').slice(3, 7)).toMatchInlineSnapshot(`
      [
        "| Contradicted: src/lexer.ts is spoken of as there, but is gone; \`npm run old\` is named, but is no longer defined; commit bbb2222 is named, but this repository does not have it",
        "| Noted by the agent: The lexer is in src/lexer.ts, committed as bbb2222. Next I will write src/later.ts.",
        "| Next: Run \`npm run old\`",
        "| Edited: src/later.ts ✗, src/lexer.ts ✗",
      ]
    `)
  })

  test('nothing is contradicted that could not be looked at', async () => {
    const elsewhere = { ...disk({}), files: { ...disk({}).files, isDirectory: async () => false } }
    const checked = await recheck(said(written('The lexer is in src/lexer.ts.')), elsewhere)
    expect(renderRecovery(checked, { budgetChars: 2_000, sha256 }).text).not.toContain('Contradicted')
  })
})

describe('the time that is given', () => {
  /** A disk on which looking at a file takes a second of the world's time. */
  function slowDisk(time: FakeTime, contents: Readonly<Record<string, string>>): RecheckPorts {
    const ports = disk(contents)
    const slowly = <T>(value: Promise<T>) => new Promise<T>((resolve) => void time.after(1_000, () => resolve(value)))
    return {
      ...ports,
      files: { ...ports.files, facts: (path) => slowly(ports.files.facts(path)) },
      deadline: { timers: time, withinMs: 2_500 },
    }
  }

  async function settled<T>(time: FakeTime, work: Promise<T>): Promise<T> {
    const progress = { isDone: false }
    const watched = work.finally(() => {
      progress.isDone = true
    })
    while (!progress.isDone) {
      time.advance(100)
      for (let turn = 0; turn < 30; turn += 1) await Promise.resolve()
    }
    return watched
  }

  test('is kept to: what was not reached cannot be told, what was found stays', async () => {
    const time = new FakeTime()
    const files = Array.from({ length: 40 }, (_, index) =>
      file(`f${index}.ts`, { contentHash: 'then', lastOrder: 100 - index }),
    )
    const contents = Object.fromEntries(files.map(({ path }) => [path, 'then']))
    const checked = await settled(time, recheck(view({ files }), slowDisk(time, contents)))
    const verdicts = [...checked.files.values()]
    expect([verdicts.filter((verdict) => verdict === 'holds').length, verdicts.length]).toEqual([16, 40])
    expect(new Set(verdicts)).toEqual(new Set(['holds', 'cannot-tell']))
    expect(checked.git).toEqual({ branch: 'main', head })
  })

  test('a disk that never answers holds nobody up, and nothing that comes late is taken', async () => {
    const time = new FakeTime()
    const hung = new Promise<never>(() => undefined)
    const ports = { ...disk({}), git: { state: () => hung }, deadline: { timers: time, withinMs: 200 } }
    const checked = await settled(
      time,
      recheck(view({ files: [file('a.ts')] }), { ...ports, files: { ...ports.files, facts: () => hung } }),
    )
    expect([checked.isChecked, checked.files.get('a.ts'), checked.git, checked.head]).toEqual([
      true,
      'cannot-tell',
      undefined,
      'cannot-tell',
    ])
  })

  test('whatever the disk holds, every file of the view gets one of the four verdicts', async () => {
    const path = fc.constantFrom('a.ts', 'b/c.ts', 'd.md', '/etc/x', '../up.ts')
    const work = fc.array(
      fc.record({
        path,
        action: fc.constantFrom('read' as const, 'edited' as const, 'deleted' as const),
        reads: fc.nat(2),
        edits: fc.nat(2),
        lastOrder: fc.nat(9),
        contentHash: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
      }),
      { maxLength: 6 },
    )
    await fc.assert(
      fc.asyncProperty(work, fc.dictionary(path, fc.constantFrom('x', 'y')), async (some, contents) => {
        const files = [...new Map(some.map((one) => [one.path, one])).values()]
        const { files: verdicts } = await recheck(view({ files }), disk(contents))
        expect([...verdicts.keys()].toSorted()).toEqual(files.map((one) => one.path).toSorted())
        for (const one of files) {
          const now = contents[one.path]
          const verdict = verdicts.get(one.path)
          if (verdict === 'holds' && one.action !== 'deleted' && one.contentHash !== undefined)
            expect(now).toBe(one.contentHash)
          if (verdict === 'gone') expect(now).toBeUndefined()
        }
      }),
    )
  })
})
