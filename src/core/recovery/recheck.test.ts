import { describe, expect, test } from 'vitest'
import { aCheckpointOf } from '../../../test/support/checkpoints.ts'
import type { CommandRun, FileWork, WorkSummary } from '../checkpoint.ts'
import type { GitState } from '../project.ts'
import { foldCheckpoints } from './fold.ts'
import type { RecheckPorts } from './recheck.ts'
import { recheck } from './recheck.ts'

const head = 'a'.repeat(40)

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
})
