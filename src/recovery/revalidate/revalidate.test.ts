import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dirty, disk, file, head, run, view } from '../../../test/support/checked-disk.ts'
import { aCheckpointOf } from '../../../test/support/checkpoints.ts'
import { FakeTime } from '../../../test/support/fake-ports.ts'
import type { FileWork } from '../../kernel/checkpoint.ts'
import { SessionId } from '../../kernel/id.ts'
import { mergeCheckpoints } from '../merge/merge-checkpoints.ts'
import { type RevalidatePorts, revalidate } from './revalidate.ts'
import { composeRecovery } from '../compose.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('re-checking', () => {
  test('each file holds, has changed, is gone, or cannot be told', async () => {
    const files = [
      file('same.ts', { contentHash: 'then' }),
      file('other.ts', { contentHash: 'then' }),
      file('missing.ts', { contentHash: 'then' }),
      file('unhashed.ts'),
      file('/etc/hosts'),
      file('keys/[REDACTED:github-token].txt', { contentHash: 'then' }),
      file('deleted.ts', { action: 'deleted' }),
      file('back.ts', { action: 'deleted' }),
    ]
    const now = disk({ 'same.ts': 'then', 'other.ts': 'now', 'unhashed.ts': 'x', 'back.ts': 'x' })
    const checked = await revalidate(view({ files }), now)
    expect(Object.fromEntries(checked.files)).toEqual({
      'same.ts': 'holds',
      'other.ts': 'changed',
      'missing.ts': 'gone',
      'unhashed.ts': 'cannot-tell',
      '/etc/hosts': 'cannot-tell',
      'keys/[REDACTED:github-token].txt': 'cannot-tell',
      'deleted.ts': 'holds',
      'back.ts': 'changed',
    })
  })

  test('a file without a fingerprint that was not written since holds', async () => {
    const now = disk({ 'a.ts': 'x' }, undefined, '2026-01-01T00:00:00.000Z')
    expect((await revalidate(view({ files: [file('a.ts')] }), now)).files.get('a.ts')).toBe('holds')
  })

  test('results of tests speak only about the code they ran on', async () => {
    const tests = [{ name: 'all', status: 'passing' as const, command: 'npm test', lastOrder: 5 }]
    const verdict = async (edited: FileWork, content: string) =>
      (await revalidate(view({ tests, files: [edited] }), disk({ 'a.ts': content }))).tests
    expect(await verdict(file('a.ts', { contentHash: 'then', lastOrder: 4 }), 'then')).toBe('holds')
    expect(await verdict(file('a.ts', { contentHash: 'then', lastOrder: 6 }), 'then')).toBe('changed')
    expect(await verdict(file('a.ts', { contentHash: 'then', lastOrder: 4 }), 'now')).toBe('changed')
    expect(await verdict(file('a.ts', { lastOrder: 4 }), 'now')).toBe('cannot-tell')
    expect(await verdict(file('CHANGELOG.md', { contentHash: 'then', lastOrder: 6 }), 'then')).toBe('holds')
  })

  const result = (command: string, lastOrder: number, status: 'passing' | 'failing' = 'failing') => ({
    name: command,
    status,
    command,
    lastOrder,
  })

  test('results of an earlier session hold as long as nothing was edited after them', async () => {
    const work = {
      tests: [result('pytest a.py', 5)],
      files: [file('a.ts', { contentHash: 'then', lastOrder: 3 })],
      lastOrder: 6,
    }
    const before = aCheckpointOf(work, { sessionId: SessionId('claude-code/session-0') })
    const checked = await revalidate(
      mergeCheckpoints([aCheckpointOf({ lastOrder: 2 }), before]),
      disk({ 'a.ts': 'then' }),
    )
    expect(checked.tests).toBe('holds')
  })

  test.each([
    [{ branch: 'main', head, dirty: dirty('a.ts') }, 'holds'],
    [{ branch: 'main', head, dirty: dirty('a.ts', 'README.md') }, 'holds'],
    [{ branch: 'main', head, dirty: dirty('a.ts', 'b.ts') }, 'changed'],
    [{ branch: 'main', head: 'b'.repeat(40), dirty: dirty() }, 'cannot-tell'],
  ])('with git at %o, results from before are still about this code: %s', async (git, verdict) => {
    const work = { tests: [result('npm test', 3)], files: [file('a.ts', { contentHash: 'then', lastOrder: 2 })] }
    const then = mergeCheckpoints([aCheckpointOf(work, { dirty: dirty('a.ts') })])
    expect((await revalidate(then, disk({ 'a.ts': 'then' }, git))).tests).toBe(verdict)
  })

  test('a script is looked up in its manifest', async () => {
    const commands = [run('npm test'), run('npm run old'), run('gh pr view')]
    const checked = await revalidate(view({ commands }), disk({ 'package.json': '{"scripts":{"test":"vitest"}}' }))
    expect(Object.fromEntries(checked.commands)).toEqual({ 'npm test': 'holds', 'npm run old': 'gone' })
  })

  test('a script without a manifest is gone with it, where a repository ends; elsewhere one may stand above', async () => {
    const commands = [run('npm test'), run('(cd packages/a && npm run build)'), run('make all')]
    const contents = { 'package.json': '{"scripts":{"build":"tsc"}}' }
    const inRepository = { ...disk(contents), files: { ...disk(contents).files, isDirectory: async () => true } }
    expect(Object.fromEntries((await revalidate(view({ commands }), inRepository)).commands)).toEqual({
      'npm test': 'gone',
      '(cd packages/a && npm run build)': 'holds',
      'make all': 'gone',
    })
    const files = { ...disk({}).files, isDirectory: async (path: string) => path === '/repo' }
    const elsewhere = await revalidate(view({ commands }), { ...disk({}), files })
    expect(new Set(elsewhere.commands.values())).toEqual(new Set(['cannot-tell']))
    const unreadable = { ...disk(contents).files, readText: async () => undefined }
    const checked = await revalidate(view({ commands: [run('npm test')] }), { ...disk(contents), files: unreadable })
    expect(checked.commands.get('npm test')).toBe('cannot-tell')
  })

  test('a test run hangs on the files that it names', async () => {
    const commands = [
      'npx vitest run src/a.test.ts',
      'npx vitest run src/b.test.ts',
      'npx jest src/c.test.ts -t d/e.ts',
    ]
    const files = [file('src/b.test.ts', { contentHash: 'x' })]
    const checked = await revalidate(view({ commands: commands.map(run), files }), disk({ 'src/a.test.ts': 'x' }))
    expect([...checked.commands.values()]).toEqual(['holds', 'gone', 'cannot-tell'])
  })

  test('what git calls changed was so before, is news, or is gone', async () => {
    const then = mergeCheckpoints([aCheckpointOf({}, { dirty: dirty('old.ts', 'written.ts') })])
    const paths = ['old.ts', 'written.ts', 'new.ts', 'removed.ts', 'folder/']
    const ports = disk({ 'old.ts': 'x', 'written.ts': 'x', 'new.ts': 'x' }, { head, dirty: dirty(...paths) })
    const facts = async (path: string) => {
      const modifiedAt = path.endsWith('/old.ts') ? '2026-01-01T00:00:00.000Z' : '2026-02-02T00:00:00.000Z'
      return (await ports.files.facts(path)) === undefined ? undefined : { size: 1, modifiedAt }
    }
    const isDirectory = async (path: string) => path === '/repo' || path.endsWith('/folder/')
    const checked = await revalidate(then, { ...ports, files: { ...ports.files, facts, isDirectory } })
    expect(Object.fromEntries(checked.uncommitted)).toEqual({
      'old.ts': 'holds',
      'written.ts': 'cannot-tell',
      'new.ts': 'changed',
      'removed.ts': 'gone',
      'folder/': 'changed',
    })
    const { text } = composeRecovery(checked, { budgetChars: 2_000, sha256 })
    expect(text).toContain(
      '| Files: uncommitted, no edit seen here: old.ts, written.ts, new.ts (changed since), removed.ts (gone), folder/ (changed since)',
    )
  })

  test('a file that was read and has changed since is listed once', async () => {
    const then = mergeCheckpoints([
      aCheckpointOf({ files: [file('a.ts', { contentHash: 'then', edits: 0, reads: 1 })] }, { dirty: dirty() }),
    ])
    const checked = await revalidate(then, disk({ 'a.ts': 'now' }, { branch: 'main', head, dirty: dirty('a.ts') }))
    const { text } = composeRecovery(checked, { budgetChars: 2_000, sha256, pointer: 'More: there' })
    expect(text.match(/a\.ts/g)).toHaveLength(1)
    expect(text).not.toContain('More: there')
  })

  test.each([
    [{ branch: 'main', head }, 'holds'],
    [{ branch: 'main', head: 'b'.repeat(40) }, 'changed'],
    [{ branch: 'other', head }, 'changed'],
    [undefined, 'cannot-tell'],
  ] as const)('with git at %o the place %s', async (git, verdict) => {
    const ports = { ...disk({}), git: { state: async () => git } }
    expect((await revalidate(view({}), ports)).head).toBe(verdict)
  })

  test('looks at a hundred and sixty files at most, edited ones first', async () => {
    const looked: string[] = []
    const ports = disk({})
    const facts = async (path: string) => void looked.push(path)
    const files = Array.from({ length: 500 }, (_, index) =>
      file(`f${index}.ts`, { lastOrder: index, edits: index === 7 ? 1 : 0, reads: 1 }),
    )
    await revalidate(view({ files }), { ...ports, files: { ...ports.files, facts } })
    expect([looked.length, looked[0], looked[1]]).toEqual([160, '/repo/f7.ts', '/repo/f499.ts'])
  })

  test('without the worktree there are no verdicts', async () => {
    const ports = disk({ 'a.ts': 'x' })
    const elsewhere = { ...ports, files: { ...ports.files, isDirectory: async () => false } }
    const checked = await revalidate(view({ files: [file('a.ts', { contentHash: 'x' })] }), elsewhere)
    expect([checked.isChecked, checked.files.size]).toEqual([false, 0])
  })

  test('a file that was read after the tests ran has not changed for that', async () => {
    const tests = [{ name: 'all', status: 'passing' as const, command: 'npm test', lastOrder: 5 }]
    const readLater = file('a.ts', { contentHash: 'then', lastOrder: 9, lastEditOrder: 4, reads: 1 })
    const editedLater = file('a.ts', { contentHash: 'then', lastOrder: 9, lastEditOrder: 6 })
    const verdict = async (edited: FileWork) =>
      (await revalidate(view({ tests, files: [edited] }), disk({ 'a.ts': 'then' }))).tests
    expect([await verdict(readLater), await verdict(editedLater)]).toEqual(['holds', 'changed'])
  })
})

describe('the time that is given', () => {
  /** A disk on which looking at a file takes a second of the world's time. */
  function slowDisk(time: FakeTime, contents: Readonly<Record<string, string>>): RevalidatePorts {
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
    const checked = await settled(time, revalidate(view({ files }), slowDisk(time, contents)))
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
      revalidate(view({ files: [file('a.ts')] }), { ...ports, files: { ...ports.files, facts: () => hung } }),
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
        const { files: verdicts } = await revalidate(view({ files }), disk(contents))
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
