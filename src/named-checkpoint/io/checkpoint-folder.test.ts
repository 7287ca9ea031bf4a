import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CheckpointFolder, openCheckpointFolder } from './checkpoint-folder.ts'
import { autosave } from './create-checkpoint-files.ts'
import { createCheckpointFiles } from './create-checkpoint-files.ts'
import { saveNamed } from './create-checkpoint-files.ts'
import { checkStaleness } from './create-checkpoint-files.ts'
import { createTestRedactor } from '../../../test/support/create-test-redactor.ts'

let base: string
let root: string

function open(homeName = 'home'): CheckpointFolder {
  const redactor = createTestRedactor((text) => text.replaceAll('hunter2', '***'))
  const git = {
    state: async () => ({ branch: 'main', head: '0'.repeat(40) }),
    hasCommit: async () => true,
    heldCommits: async (_worktree: string, commits: readonly string[]) => new Set(commits),
    countCommitsSince: async () => undefined,
    isInHistory: async () => true,
    renames: async () => undefined,
  }
  return openCheckpointFolder({ root, home: { root: join(base, homeName) }, redactor, git })
}

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'holdfast-named-'))
  root = join(base, 'project')
  mkdirSync(join(root, 'src'), { recursive: true })
  mkdirSync(join(base, 'outside'))
  writeFileSync(join(root, 'src/auth.ts'), 'one\n')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const now = '2026-01-31T09:05:00.000Z'

async function staleness(folder: CheckpointFolder, name: string) {
  const found = folder.find(name)
  if (found === undefined) throw new Error(`there is no ${name}`)
  return checkStaleness(folder, found.parsed, now)
}

test('a saved checkpoint is listed, resumed with the changes since, and deleted', async () => {
  const folder = open()
  writeFileSync(join(root, 'SESSION-STATE.md'), '## Current Task\nBuild login\n## Progress\nWrote src/auth.ts\n')
  const saved = await saveNamed(folder, { name: 'build-login', now, given: { nextAction: 'Run `npm test`' } })
  expect(saved).toMatchObject({
    path: 'memory/checkpoints/build-login.md',
    isReplaced: false,
    checkpoint: { task: 'Build login' },
  })
  expect(folder.list().map(({ name, isOurs }) => ({ name, isOurs }))).toEqual([{ name: 'build-login', isOurs: true }])
  expect(await staleness(folder, 'build-login')).toEqual([])
  writeFileSync(join(root, 'src/auth.ts'), 'two\n')
  expect(await staleness(folder, 'build-login')).toEqual([
    { kind: 'changed-file', text: 'src/auth.ts has changed since' },
  ])
  expect(folder.delete('build-login')).toBe(true)
  expect(folder.find('build-login')).toBeUndefined()
})

test('a secret is not saved', async () => {
  await saveNamed(open(), { name: 'login', now, task: 'log in with hunter2', given: { context: 'hunter2' } })
  expect(readFileSync(join(root, 'memory/checkpoints/login.md'), 'utf8')).not.toContain('hunter2')
})

test('our file is replaced, an edited one only if allowed, and a file of another user is not ours', async () => {
  const folder = open()
  await saveNamed(folder, { name: 'login', now })
  expect(await saveNamed(folder, { name: 'login', now })).toMatchObject({ isReplaced: true })
  expect(open('another-home').find('login')?.isOurs).toBe(false)
  const path = join(root, 'memory/checkpoints/login.md')
  writeFileSync(path, `${readFileSync(path, 'utf8')}by hand\n`)
  await expect(saveNamed(folder, { name: 'login', now })).rejects.toThrow('was edited by hand')
  expect(readFileSync(path, 'utf8')).toContain('by hand')
  await saveNamed(folder, { name: 'login', now, canReplace: true })
  expect(folder.find('login')?.isOurs).toBe(true)
})

const minutesLater = (minutes: number) => new Date(Date.parse(now) + minutes * 60_000).toISOString()

function aRequest(minutes: number, canUseObserved = false) {
  const at = minutesLater(minutes)
  return { now: at, reason: 'context 78%', minIntervalMs: 300_000, canUseObserved, observe: async () => undefined }
}

test('autosave follows its rules and writes only its own files', async () => {
  const folder = open()
  await saveNamed(folder, { name: 'named', now })
  const named = readFileSync(join(root, 'memory/checkpoints/named.md'), 'utf8')
  expect(await autosave(folder, aRequest(0))).toEqual({ isDue: false, because: 'SESSION-STATE.md is missing' })
  expect(await autosave(folder, aRequest(0, true))).toEqual({ isDue: false, because: 'there is nothing to save' })
  writeFileSync(join(root, 'SESSION-STATE.md'), 'half way with hunter2\n')
  expect(await autosave(folder, aRequest(0))).toEqual({ isDue: true })
  expect(await autosave(folder, aRequest(4))).toMatchObject({ because: 'the last one is less than 5 minutes old' })
  expect(await autosave(folder, aRequest(6))).toMatchObject({ because: 'nothing has changed since the last one' })
  writeFileSync(join(root, 'SESSION-STATE.md'), 'further on\n')
  expect(await autosave(folder, { ...aRequest(7), reason: 'token hunter2\n# x' })).toEqual({ isDue: true })
  writeFileSync(join(root, 'SESSION-STATE.md'), '**Status:** done\n')
  expect(await autosave(folder, aRequest(20))).toMatchObject({ because: 'the task is complete' })
  expect(readdirSync(join(root, 'memory/checkpoints'))).toEqual(['autosave-log.md', 'autosave.md', 'named.md'])
  expect(readFileSync(join(root, 'memory/checkpoints/named.md'), 'utf8')).toBe(named)
  expect(readFileSync(join(root, 'memory/checkpoints/autosave-log.md'), 'utf8')).toBe(
    `# Autosave log\n\n- [${now}] autosave written (context 78%)\n- [${minutesLater(7)}] autosave written (token *** # x)\n`,
  )
  expect(new Set(folder.list().map(({ name }) => name))).toEqual(new Set(['autosave', 'named']))
})

test('an edited autosave is kept under another name', async () => {
  const folder = open()
  writeFileSync(join(root, 'SESSION-STATE.md'), 'half way\n')
  await autosave(folder, aRequest(0))
  const path = join(root, 'memory/checkpoints/autosave.md')
  const edited = `${readFileSync(path, 'utf8')}by hand\n`
  writeFileSync(path, edited)
  expect(await autosave(folder, aRequest(9))).toEqual({ isDue: true })
  const read = (name: string) => readFileSync(join(root, `memory/checkpoints/${name}.md`), 'utf8')
  expect(read('autosave-edited-2026-01-31')).toBe(edited)
  const again = `${readFileSync(path, 'utf8')}by hand, later\n`
  writeFileSync(path, again)
  expect(await autosave(folder, aRequest(20))).toEqual({ isDue: true })
  expect([read('autosave-edited-2026-01-31'), read('autosave-edited-2026-01-31-2')]).toEqual([edited, again])
  expect(readFileSync(path, 'utf8')).not.toContain('by hand')
})

test('the working buffer is started, continued, and not touched if an agent maintains its own', async () => {
  const redactor = createTestRedactor((text) => text.replaceAll('hunter2', '***'))
  const files = createCheckpointFiles({
    home: { root: join(base, 'home') },
    redactors: { forWorktree: async () => redactor },
    git: {
      state: async () => undefined,
      hasCommit: async () => undefined,
      heldCommits: async () => undefined,
      countCommitsSince: async () => undefined,
      isInHistory: async () => undefined,
      renames: async () => undefined,
    },
    clock: { now: () => now },
  })
  const start = (sessionKey: string, mayCreate: boolean) => files.startBuffer(root, { sessionKey, now, mayCreate })
  const path = join(root, 'memory/working-buffer.md')
  expect(await start('one', false)).toBe(false)
  expect(await start('one', true)).toBe(true)
  await files.appendBuffer(root, 'one', { at: now, by: 'Human', text: 'use hunter2' })
  expect(await start('one', false)).toBe(true)
  await files.appendBuffer(root, 'two', { at: now, by: 'Human', text: 'of another session' })
  expect(readFileSync(path, 'utf8')).toMatch(/## \[.*\] Human\nuse \*\*\*\n$/)
  expect(await start('two', false)).toBe(true)
  expect(readFileSync(path, 'utf8')).not.toContain('Human')
  const theirs = '# Working Buffer (Danger Zone Log)\n**Status:** ACTIVE\n---\nmine\n'
  writeFileSync(path, theirs)
  expect(await start('two', true)).toBe(false)
  await files.appendBuffer(root, 'two', { at: now, by: 'Human', text: 'x' })
  expect(readFileSync(path, 'utf8')).toBe(theirs)
})

test.each([
  ['the folder is a link', () => symlinkSync(join(base, 'outside'), join(root, 'memory'))],
  [
    'its last part is a link',
    () => {
      mkdirSync(join(root, 'memory'))
      symlinkSync(join(base, 'outside'), join(root, 'memory/checkpoints'))
    },
  ],
  [
    'the file is a link',
    () => {
      mkdirSync(join(root, 'memory/checkpoints'), { recursive: true })
      symlinkSync(join(base, 'outside/x'), join(root, 'memory/checkpoints/login.md'))
    },
  ],
  ['SESSION-STATE.md leads out of the project', () => symlinkSync('/etc/hostname', join(root, 'SESSION-STATE.md'))],
])('nothing is saved when %s', async (_, plant) => {
  plant()
  await expect(saveNamed(open(), { name: 'login', now })).rejects.toThrow('does not touch it')
  expect(readdirSync(join(base, 'outside'))).toEqual([])
})

test('a file that cannot be read does not hide the others', async () => {
  const folder = open()
  await saveNamed(folder, { name: 'login', now })
  symlinkSync('/etc/hostname', join(root, 'memory/checkpoints/b.md'))
  expect(folder.list().map(({ name }) => name)).toEqual(['login'])
})

test('no name accesses a file outside of the folder', async () => {
  const folder = open()
  const part = fc.constantFrom('..', '/', '\\', '.', 'a', '\0', '~', ' ', 'con', 'A', '%2e', 'é')
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.array(part, { maxLength: 7 }).map((parts) => parts.join('')),
      ),
      async (name) => {
        for (const attempt of [
          () => saveNamed(folder, { name, now }),
          async () => folder.find(name),
          async () => folder.delete(name),
        ])
          await attempt().catch(() => undefined)
        expect(readdirSync(base).sort()).toEqual(['home', 'outside', 'project'])
        expect(readdirSync(root).filter((file) => file !== 'memory' && file !== 'src')).toEqual([])
      },
    ),
    { numRuns: 60 },
  )
  expect(readdirSync(join(root, 'src'))).toEqual(['auth.ts'])
})
