import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rollBack } from '../../src/tasks/supervisor/rollback.ts'
import { buildGuardian, type Scene, setScene } from './support/run-scene.ts'

const dir = mkdtempSync(join(tmpdir(), 'holdfast-guardian-'))
let guardian = ''
beforeAll(async () => {
  guardian = await buildGuardian(dir)
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

async function treeOf({ world }: Scene): Promise<string> {
  if (world.snapshots === undefined) throw new Error('no git')
  return world.snapshots.take()
}

/** A project as people have them: names of all sorts, something staged, something untracked, something ignored. */
function furnish({ root, git }: Scene): void {
  const at = (path: string) => join(root, path)
  mkdirSync(at('src/deep'), { recursive: true })
  for (const name of ['src/a b.ts', 'src/ünï\nline.ts', '-dash.ts', 'src/deep/gone.ts', 'run.sh', 'becomes-folder'])
    writeFileSync(at(name), `${name}\n`)
  symlinkSync('run.sh', at('link'))
  writeFileSync(at('bytes.bin'), Buffer.from([0, 255, 10, 13, 0, 1]))
  writeFileSync(at('.gitignore'), 'ignored/\n')
  git('add', '-A')
  git('commit', '-qm', 'furniture')
  writeFileSync(at('staged.ts'), 'staged\n')
  git('add', 'staged.ts')
  writeFileSync(at('src/a b.ts'), 'edited by the user\n')
  mkdirSync(at('ignored'))
  writeFileSync(at('ignored/build.js'), 'built\n')
  writeFileSync(at('untracked.md'), 'notes of the user\n')
}

/** What an agent that went wrong may do. */
function wreck({ root, git }: Scene): void {
  const at = (path: string) => join(root, path)
  writeFileSync(at('src/a b.ts'), 'wrecked\n')
  writeFileSync(at('src/ünï\nline.ts'), 'wrecked\n')
  writeFileSync(at('bytes.bin'), Buffer.from([1, 2, 0, 3]))
  rmSync(at('-dash.ts'))
  rmSync(at('src/deep'), { recursive: true })
  chmodSync(at('run.sh'), 0o755)
  rmSync(at('link'))
  symlinkSync('/etc/passwd', at('link'))
  rmSync(at('becomes-folder'))
  mkdirSync(at('becomes-folder'))
  writeFileSync(at('becomes-folder/in it.ts'), 'new\n')
  renameSync(at('untracked.md'), at('moved.md'))
  mkdirSync(at('new'))
  writeFileSync(at('new/file.ts'), 'new\n')
  // Work of its own that it committed stays in the history, whatever happens to the files.
  git('add', 'new/file.ts')
  git('commit', '-qm', 'a commit of the agent', '--', 'new/file.ts')
}

describe('going back', () => {
  test('puts every file back, leaves commits, index and ignored files alone, and its patch gives the work back whole', async () => {
    using scene = await setScene({ guardian })
    furnish(scene)
    const before = await treeOf(scene)
    wreck(scene)
    const wrecked = await treeOf(scene)
    const head = scene.git('rev-parse', 'HEAD')
    const staged = scene.git('diff', '--cached', '--raw')

    const done = await rollBack(scene.world, before)
    expect(done).toEqual({ is: 'done', kept: [], files: expect.any(Number), patch: expect.any(String) })
    expect(await treeOf(scene)).toBe(before)
    expect(scene.git('rev-parse', 'HEAD')).toBe(head)
    expect(scene.git('diff', '--cached', '--raw')).toBe(staged)
    expect(readFileSync(join(scene.root, 'ignored/build.js'), 'utf8')).toBe('built\n')
    expect(readFileSync(join(scene.root, 'src/a b.ts'), 'utf8')).toBe('edited by the user\n')

    // On a clean checkout of where the agent had got to, the patch gives back all that it had not committed.
    const patch = done.is === 'done' ? join(scene.root, done.patch ?? '') : ''
    scene.git('stash', 'push', '-q', '--include-untracked', '--', ':(exclude)tasks')
    scene.git('apply', '--binary', patch)
    expect(await treeOf(scene)).toBe(wrecked)
  })

  test('leaves a file with a secret as it is, and says so', async () => {
    using scene = await setScene({ guardian })
    const before = await treeOf(scene)
    const secret = ['xoxb', '123456789012', '1234567890123', 'AbCdEfGhIjKlMnOpQrStUvWx'].join('-')
    writeFileSync(join(scene.root, 'token.txt'), `${secret}\n`)
    writeFileSync(join(scene.root, 'kept.txt'), 'spoilt\n')
    const done = await rollBack(scene.world, before)
    expect(done).toMatchObject({ is: 'done', kept: ['token.txt'], files: 1 })
    expect(readFileSync(join(scene.root, 'token.txt'), 'utf8')).toBe(`${secret}\n`)
    expect(readFileSync(join(scene.root, 'kept.txt'), 'utf8')).toBe('as it was\n')
    const patch = done.is === 'done' ? readFileSync(join(scene.root, done.patch ?? ''), 'utf8') : ''
    expect(patch).toContain('+spoilt')
    expect(patch).not.toContain(secret)
  })

  test('touches nothing where the work cannot be put into a patch', async () => {
    using scene = await setScene({ guardian })
    const before = await treeOf(scene)
    const secret = ['xoxb', '123456789012', '1234567890123', 'AbCdEfGhIjKlMnOpQrStUvWx'].join('-')
    writeFileSync(join(scene.root, 'kept.txt'), `${secret}\n`)
    expect(await rollBack(scene.world, before)).toMatchObject({ is: 'not-done' })
    expect(readFileSync(join(scene.root, 'kept.txt'), 'utf8')).toBe(`${secret}\n`)
  })

  test('leaves no trace of its snapshots in the repository', async () => {
    using scene = await setScene({ guardian })
    const objects = () => scene.git('count-objects', '-v')
    const was = objects()
    writeFileSync(join(scene.root, 'kept.txt'), 'spoilt\n')
    const tree = await treeOf(scene)
    expect(tree).toMatch(/^[0-9a-f]{40}$/)
    expect(objects()).toBe(was)
    expect(() => scene.git('cat-file', '-e', tree)).toThrow(/cat-file/)
  })
})
