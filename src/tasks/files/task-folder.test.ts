import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { createTasks } from '../use-cases/create-tasks.ts'
import { listTaskSlugs } from './task-folder.ts'
import { createTaskSetup } from '../../../test/support/task-setup.ts'

/** Every path below a folder, with what it holds. */
function everythingIn(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

test('any slug creates a folder under tasks/ or is refused without writing anything', async () => {
  const piece = fc.constantFrom('a', 'b7', '-', '..', '/', '\\', '.', '\0', ' ', 'nul', '%2e', 'é', '~', 'tasks')
  const hostile = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ maxLength: 80 }), hostile), async (slug) => {
      using dir = tempDir()
      const root = join(dir.path, 'outer', 'project')
      mkdirSync(root, { recursive: true })
      const tasks = createTasks(createTaskSetup())
      try {
        await tasks.create({ cwd: root, slug })
      } catch (thrown) {
        if (!(thrown instanceof HoldfastError) || thrown.code !== 'invalid-input') throw thrown
        expect(everythingIn(dir.path)).toEqual([])
        return
      }
      const inside = `${join(root, 'tasks', slug)}/`
      expect(everythingIn(dir.path).filter((path) => !path.startsWith(inside))).toEqual([])
    }),
    { numRuns: 60, seed: 4 },
  )
})

test('a link instead of a task folder or of tasks/ is not followed', async () => {
  using dir = tempDir()
  const root = join(dir.path, 'project')
  const elsewhere = join(dir.path, 'elsewhere')
  mkdirSync(join(root, 'tasks'), { recursive: true })
  mkdirSync(elsewhere)
  symlinkSync(elsewhere, join(root, 'tasks', 'feat-x'))
  const tasks = createTasks(createTaskSetup())
  await expect(tasks.create({ cwd: root, slug: 'feat-x' })).rejects.toThrow('is not a plain folder')
  expect(everythingIn(elsewhere)).toEqual([])
  expect(listTaskSlugs(root)).toEqual([])
  // The control: beside it a folder is made.
  await tasks.create({ cwd: root, slug: 'feat-y' })
  expect(existsSync(join(root, 'tasks', 'feat-y', 'meta', 'task.json'))).toBe(true)
})

test('no secret reaches a file of the task', async () => {
  using dir = tempDir()
  const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
  const ports = createTaskSetup()
  const tasks = createTasks(ports)
  await tasks.create({ cwd: dir.path, slug: 'feat-x', title: `about ${secret}`, criteria: [secret] })
  await tasks.block({ cwd: dir.path, slug: 'feat-x', reason: `waits for ${secret}` })
  await tasks.enterGate({
    cwd: dir.path,
    slug: 'feat-x',
    gate: 'G1',
    force: true,
    reason: secret,
    content: {
      summary: secret,
      nextSteps: [secret],
      decisions: [{ decision: secret, rationale: secret, alternatives_considered: [secret] }],
    },
  })
  const texts = everythingIn(join(dir.path, 'tasks')).map((path) => readFileSync(path, 'utf8'))
  expect(texts.filter((text) => text.includes(secret))).toEqual([])
  expect(texts.filter((text) => text.includes('about ')).length).toBeGreaterThan(0)
  expect(ports.kept.memories.filter(({ content }) => content.includes(secret))).toEqual([])
  expect((await tasks.verify({ cwd: dir.path, slug: 'feat-x' })).findings).toEqual([])
})

test('a status broken by a merge is reported with a remedy and rebuilt from the checkpoints', async () => {
  using dir = tempDir()
  const tasks = createTasks(createTaskSetup())
  const at = { cwd: dir.path, slug: 'feat-x' }
  await tasks.create(at)
  await tasks.enterGate({ ...at, gate: 'G1', force: true, reason: 'not needed here' })
  writeFileSync(join(dir.path, 'tasks/feat-x/json/task-status.json'), '<<<<<<< HEAD\n')
  await expect(tasks.show(at)).rejects.toThrow('tasks/feat-x/json/task-status.json cannot be read')
  expect((await tasks.repair(at)).findings).toEqual([])
  expect((await tasks.show(at)).status).toMatchObject({ current_gate: 'G1', status: 'in-progress' })
})

test('a lost or changed file stays a finding after a repair', async () => {
  using dir = tempDir()
  const tasks = createTasks(createTaskSetup())
  const at = { cwd: dir.path, slug: 'feat-x' }
  await tasks.create(at)
  const { checkpoint } = await tasks.enterGate({ ...at, gate: 'G1', force: true, reason: 'not needed here' })
  const file = join(dir.path, `tasks/feat-x/json/checkpoints/${checkpoint.checkpoint_id}.json`)
  writeFileSync(file, readFileSync(file, 'utf8').replace('Research', 'Rubbish'))
  expect((await tasks.repair(at)).findings.map(({ kind }) => kind)).toEqual(['changed-file'])
  // Going on does not cover it up either.
  await tasks.enterGate({ ...at, gate: 'G2', force: true, reason: 'not needed here' })
  expect((await tasks.verify(at)).findings.map(({ kind }) => kind)).toContain('changed-file')
})
