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
import { buildGuardian, type Setup, setUp } from './support/run-setup.ts'

const dir = mkdtempSync(join(tmpdir(), 'holdfast-guardian-'))
let guardian = ''
beforeAll(async () => {
  guardian = await buildGuardian(dir)
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

async function treeOf({ ports }: Setup): Promise<string> {
  if (ports.snapshots === undefined) throw new Error('no git')
  return ports.snapshots.take()
}

/** A project as people have them: names of all sorts, something staged, something untracked, something ignored. */
function furnish({ root, git }: Setup): void {
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
function wreck({ root, git }: Setup): void {
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
    using setup = await setUp({ guardian })
    furnish(setup)
    const before = await treeOf(setup)
    wreck(setup)
    const wrecked = await treeOf(setup)
    const head = setup.git('rev-parse', 'HEAD')
    const staged = setup.git('diff', '--cached', '--raw')

    const done = await rollBack(setup.ports, before)
    expect(done).toEqual({ is: 'done', unchanged: [], files: expect.any(Number), patch: expect.any(String) })
    expect(await treeOf(setup)).toBe(before)
    expect(setup.git('rev-parse', 'HEAD')).toBe(head)
    expect(setup.git('diff', '--cached', '--raw')).toBe(staged)
    expect(readFileSync(join(setup.root, 'ignored/build.js'), 'utf8')).toBe('built\n')
    expect(readFileSync(join(setup.root, 'src/a b.ts'), 'utf8')).toBe('edited by the user\n')

    // On a clean checkout of where the agent had got to, the patch gives back all that it had not committed.
    const patch = done.is === 'done' ? join(setup.root, done.patch ?? '') : ''
    setup.git('stash', 'push', '-q', '--include-untracked', '--', ':(exclude)tasks')
    setup.git('apply', '--binary', patch)
    expect(await treeOf(setup)).toBe(wrecked)
  })

  test('leaves a file with a secret as it is, and says so', async () => {
    using setup = await setUp({ guardian })
    const before = await treeOf(setup)
    const secret = ['xoxb', '123456789012', '1234567890123', 'AbCdEfGhIjKlMnOpQrStUvWx'].join('-')
    writeFileSync(join(setup.root, 'token.txt'), `${secret}\n`)
    writeFileSync(join(setup.root, 'kept.txt'), 'spoilt\n')
    const done = await rollBack(setup.ports, before)
    expect(done).toMatchObject({ is: 'done', unchanged: ['token.txt'], files: 1 })
    expect(readFileSync(join(setup.root, 'token.txt'), 'utf8')).toBe(`${secret}\n`)
    expect(readFileSync(join(setup.root, 'kept.txt'), 'utf8')).toBe('as it was\n')
    const patch = done.is === 'done' ? readFileSync(join(setup.root, done.patch ?? ''), 'utf8') : ''
    expect(patch).toContain('+spoilt')
    expect(patch).not.toContain(secret)
  })

  test('touches nothing where the work cannot be put into a patch', async () => {
    using setup = await setUp({ guardian })
    const before = await treeOf(setup)
    const secret = ['xoxb', '123456789012', '1234567890123', 'AbCdEfGhIjKlMnOpQrStUvWx'].join('-')
    writeFileSync(join(setup.root, 'kept.txt'), `${secret}\n`)
    expect(await rollBack(setup.ports, before)).toMatchObject({ is: 'not-done' })
    expect(readFileSync(join(setup.root, 'kept.txt'), 'utf8')).toBe(`${secret}\n`)
  })

  test('leaves no trace of its snapshots in the repository', async () => {
    using setup = await setUp({ guardian })
    const objects = () => setup.git('count-objects', '-v')
    const was = objects()
    writeFileSync(join(setup.root, 'kept.txt'), 'spoilt\n')
    const tree = await treeOf(setup)
    expect(tree).toMatch(/^[0-9a-f]{40}$/)
    expect(objects()).toBe(was)
    expect(() => setup.git('cat-file', '-e', tree)).toThrow(/cat-file/)
  })
})
