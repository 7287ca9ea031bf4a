import { afterAll, beforeAll, expect, test } from 'vitest'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClaudeSession } from '../support/claude-session.ts'
import { PATIENT, Product } from '../support/product.ts'

let product: Product
let main = ''
let feature = ''

const git = async (cwd: string, ...args: readonly string[]) => {
  const ran = await product.run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], { cwd })
  if (ran.code !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`)
  return ran.stdout
}

beforeAll(async () => {
  product = new Product(PATIENT)
  await product.connect()
  main = await product.aProject('app')
  feature = join(product.dir, 'feature')
  await git(main, 'worktree', 'add', '-q', '-b', 'feature', feature)
})
afterAll(() => product[Symbol.asyncDispose]())

test('a second live session is warned before it edits a file that the first one edited, once, with session, time and branch', async () => {
  const file = join(main, 'src', 'parser.ts')
  const first = new ClaudeSession(product, main, { pid: product.anAgent() })
  const second = new ClaudeSession(product, feature, { pid: product.anAgent() })
  for (const session of [first, second]) {
    await session.start()
    await session.prompt('Rework the parser.')
  }
  const edit = { old_string: 'a', new_string: 'b' }
  const early = await second.fire('PreToolUse', {
    tool_name: 'Edit',
    tool_use_id: 'e1',
    tool_input: { file_path: join(feature, 'src', 'parser.ts'), ...edit },
  })
  expect(early.stdout).not.toContain('Another session')
  await first.tool('Edit', { file_path: file, ...edit }, { response: 'ok' })
  const before = (id: string) =>
    second.fire('PreToolUse', {
      tool_name: 'Edit',
      tool_use_id: id,
      tool_input: { file_path: join(feature, 'src', 'parser.ts'), ...edit },
    })
  const warned = await before('e2')
  expect(warned.code).toBe(0)
  expect(warned.stdout).toContain('Another session has changed this file')
  expect(warned.stdout).toMatch(
    new RegExp(`claude-code session ${first.id.slice(0, 8)} edited src/parser.ts .*branch main, in another checkout`),
  )
  expect((await before('e3')).stdout).not.toContain('Another session')

  await second.tool('Edit', { file_path: join(feature, 'src', 'parser.ts'), ...edit }, { response: 'ok' })
  const { files } = Object(await product.json(['conflicts'], { cwd: main }))
  expect(files).toMatchObject([
    {
      file: 'src/parser.ts',
      sessions: [
        { sessionKey: second.id, branch: 'feature' },
        { sessionKey: first.id, branch: 'main' },
      ],
    },
  ])
  await first.end()
  expect(Object(await product.json(['conflicts'], { cwd: main })).files).toEqual([])
})

test('merges between worktrees are forecast from committed and uncommitted files, and the repository is left as it was', async () => {
  expect(Object(await product.json(['conflicts'], { cwd: main })).conflicts).toEqual([])
  writeFileSync(join(feature, 'src', 'parser.ts'), 'export const parse = 1\n')
  await git(feature, 'commit', '-qam', 'one way')
  writeFileSync(join(main, 'src', 'parser.ts'), 'export const parse = 2\n')
  writeFileSync(join(main, 'new ü.txt'), 'main\n')
  writeFileSync(join(feature, 'new ü.txt'), 'feature\n')
  const before = [await git(main, 'status', '--porcelain'), await git(main, 'count-objects'), await git(main, 'reflog')]
  const forecast = Object(await product.json(['conflicts'], { cwd: join(feature, 'src') }))
  expect(forecast.worktrees).toMatchObject([
    { path: main, branch: 'main', hasUncommitted: true },
    { path: feature, branch: 'feature', hasUncommitted: true },
  ])
  expect(forecast.conflicts).toEqual([{ between: [main, feature], files: ['new ü.txt', 'src/parser.ts'] }])
  expect([
    await git(main, 'status', '--porcelain'),
    await git(main, 'count-objects'),
    await git(main, 'reflog'),
  ]).toEqual(before)
  expect(existsSync(join(product.home, 'scratch')) ? readdirSync(join(product.home, 'scratch')) : []).toEqual([])
  const pages = join(product.dir, 'pages')
  await git(main, 'worktree', 'add', '-q', '--detach', pages)
  await git(pages, 'checkout', '-q', '--orphan', 'pages')
  await git(pages, 'commit', '-qm', 'unrelated')
  const told = await product.cli(['conflicts'], { cwd: main })
  expect(told.stdout).toContain('would conflict in 2 files:')
  const outside = await product.cli(['conflicts'], { cwd: product.dir })
  expect(outside).toMatchObject({ code: 0, stdout: expect.stringContaining('No file was edited') })
})
