import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import {
  EXPECTED_OF_PLAIN_GIT,
  type HostileRepository,
  hostileRepository,
  marksOfPlainGit,
} from '../support/hostile-repository.ts'
import { PATIENT, Product, type Ran } from '../support/product.ts'

// Some twenty commands each: only what hangs takes as long, on a busy machine too.
vi.setConfig({ testTimeout: 600_000 })

async function connected(): Promise<Product> {
  const product = new Product(PATIENT)
  await product.connect()
  return product
}

/** A day of work in a folder: hooks of two sessions, and every command that runs git. */
async function workIn(
  product: Product,
  cwd: string,
  { stir }: Pick<HostileRepository, 'stir'>,
): Promise<readonly Ran[]> {
  const session = new ClaudeSession(product, cwd, { pid: product.anAgent() })
  await session.start()
  await session.prompt('Make the parser keep blank lines.')
  stir()
  await session.edit('README.md', 'hello', 'hello there')
  const hooks = [await session.fire('PreCompact', { trigger: 'manual', custom_instructions: null })]
  stir()
  hooks.push(await session.fire('SessionStart', { source: 'compact' }))
  hooks.push(await session.fire('SessionEnd', { reason: 'other' }))
  await new ClaudeSession(product, cwd, { pid: product.anAgent() }).begin()
  expect(hooks.map(({ code }) => code)).toEqual([0, 0, 0])
  const cli = (...args: readonly string[]) => {
    stir()
    return product.cli(args, { cwd })
  }
  const slug = `feat-${session.id.slice(0, 8)}`
  return [
    await cli('index'),
    await cli('index', '--refresh'),
    await cli('checkpoint', 'save', 'half-way', '--task', 'the parser', '--next', 'run the tests'),
    await cli('checkpoint', 'resume', 'half-way', '--yes'),
    await cli('recover', session.transcript),
    await cli('handoff', 'export', join(product.dir, `${hooks.length}-${Math.random()}.handoff`)),
    await cli('task', 'new', slug),
    await cli('session', 'start', '--task', slug, '--pid', String(product.anAgent())),
    await cli('task', 'gate', slug, 'G1', '--force', '--reason', 'a stand-in'),
    await cli('session', 'end', '--task', slug, '--outcome', 'partial', '--summary', 'Looked.'),
  ]
}

describe('a repository that plants commands', () => {
  test('nothing of it runs in hooks or commands; plain git would run all of it', async () => {
    await using product = await connected()
    const dir = join(product.dir, 'hostile')
    mkdirSync(dir)
    const repository = hostileRepository(dir)
    for (const cwd of [repository.root, repository.nested, repository.partial]) {
      const ran = await workIn(product, cwd, repository)
      expect([cwd, ...repository.takeMarks()]).toEqual([cwd])
      expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual(ran.map(() => [0, '']))
    }
    repository.stir()
    expect(marksOfPlainGit(repository)).toEqual(expect.arrayContaining(EXPECTED_OF_PLAIN_GIT))
  })

  test('hooks and filters of a commit run only where autoCommit asks for the commit', async () => {
    await using product = await connected()
    const cwd = await product.aProject('app')
    const ran = () => ['hook', 'filter'].filter((name) => existsSync(join(product.dir, `${name}-ran`)))
    writeFileSync(join(cwd, '.gitattributes'), '*.ts filter=own\n')
    const settings = [
      ['filter.own.clean', `touch '${product.dir}/filter-ran'; cat`],
      ['user.name', 't'],
      ['user.email', 't@example.invalid'],
    ]
    for (const [key = '', value = ''] of settings) await product.run('git', ['config', key, value], { cwd })
    const hook = join(cwd, '.git', 'hooks', 'pre-commit')
    mkdirSync(join(hook, '..'), { recursive: true })
    writeFileSync(hook, `#!/bin/sh\ntouch '${product.dir}/hook-ran'\n`, { mode: 0o755 })
    const cli = (...args: readonly string[]) => product.cli(args, { cwd })
    await cli('task', 'new', 'feat-x')
    const session = async (isCommitted: boolean) => {
      const options = { packOptions: { 'session-continuity': { autoCommit: isCommitted } } }
      mkdirSync(join(cwd, '.agentic-governance'), { recursive: true })
      writeFileSync(join(cwd, '.agentic-governance', 'config.json'), JSON.stringify(options))
      writeFileSync(join(cwd, 'src', 'parser.ts'), `export const isCommitted = ${isCommitted}\n`)
      await cli('session', 'start', '--task', 'feat-x', '--pid', String(product.anAgent()))
      return (await cli('session', 'end', '--task', 'feat-x', '--outcome', 'partial', '--summary', 'Looked.', '--json'))
        .stdout
    }
    expect(await session(false)).toContain('src/parser.ts')
    expect(ran()).toEqual([])
    expect(await session(true)).toContain('committed')
    expect(ran()).toEqual(['hook', 'filter'])
  })
})

/** A program by this name that leaves a mark and then does as the real one. */
function plantProgram(folder: string, name: string, mark: string): void {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, name)
  writeFileSync(file, `#!/bin/sh\n: >'${mark}'\nexec /usr/bin/env -u PATH /usr/bin/${name} "$@"\n`)
  chmodSync(file, 0o755)
}

test("a project's git on the PATH of the hook that starts the daemon is never run", async () => {
  await using product = await connected()
  const cwd = await product.aProject('app')
  const mark = join(product.dir, 'planted-git-ran')
  const folders = [join(cwd, 'node_modules', '.bin'), join(cwd, 'bin'), join(product.dir, 'open')]
  for (const folder of folders) plantProgram(folder, 'git', mark)
  chmodSync(join(product.dir, 'open'), 0o777)
  const PATH = ['.', 'node_modules/.bin', ...folders, product.env['PATH']].join(':')
  await product.cli(['daemon', 'stop'])
  const env = { PATH }
  const session = new ClaudeSession(product, cwd, { pid: product.anAgent(), env })
  await session.begin()
  await session.prompt('Look around.')
  await session.fire('PreCompact', { trigger: 'manual', custom_instructions: null })
  for (const args of [
    ['index'],
    ['checkpoint', 'save', 'hostile-save', '--task', 'x'],
    ['handoff', 'export', 'x.handoff'],
  ])
    expect(await product.cli(args, { cwd, env })).toMatchObject({ code: 0 })
  expect(existsSync(mark)).toBe(false)
  execFileSync('/bin/sh', ['-c', 'git --version'], { cwd, env })
  expect(existsSync(mark)).toBe(true)
})

test('a FIFO where git opens a file is named, and nothing waits for it', async () => {
  await using product = await connected()
  const cwd = await product.aProject('app')
  const session = new ClaudeSession(product, cwd, { pid: product.anAgent() })
  await session.begin()
  const cli = (...args: readonly string[]) => product.cli(args, { cwd })
  await cli('task', 'new', 'feat-x')
  for (const name of ['HEAD', 'config', 'index', 'packed-refs', 'refs/heads/main', 'info/attributes']) {
    const path = join(cwd, '.git', name)
    const before = existsSync(path) ? readFileSync(path) : undefined
    rmSync(path, { force: true })
    execFileSync('mkfifo', [path])
    expect(await session.fire('UserPromptSubmit', { prompt: name })).toMatchObject({ code: 0, stderr: '' })
    expect(await cli('index')).toMatchObject({ code: 0 })
    await cli('session', 'start', '--task', 'feat-x', '--pid', String(product.anAgent()))
    const ended = await cli(
      'session',
      'end',
      '--task',
      'feat-x',
      '--outcome',
      'partial',
      '--summary',
      'Looked.',
      '--json',
    )
    expect(`${ended.stdout}${ended.stderr}`).toContain(`${path} is not a regular file`)
    rmSync(path)
    if (before !== undefined) writeFileSync(path, before)
  }
  // The control: git itself waits.
  rmSync(join(cwd, '.git', 'HEAD'))
  execFileSync('mkfifo', [join(cwd, '.git', 'HEAD')])
  expect(spawnSync('git', ['status'], { cwd, timeout: 1_500, killSignal: 'SIGKILL' }).signal).toBe('SIGKILL')
})

test('what a killed command left behind is removed by the next one', async () => {
  await using product = await connected()
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  const left = join(product.home, 'scratch', `${pid}..0123456789ab`)
  mkdirSync(join(left, 'objects'), { recursive: true })
  const live = join(product.home, 'scratch', `${process.pid}..0123456789ab`)
  mkdirSync(live)
  expect(await product.cli(['config'])).toMatchObject({ code: 0 })
  expect(readdirSync(join(product.home, 'scratch'))).toEqual([`${process.pid}..0123456789ab`])
})
