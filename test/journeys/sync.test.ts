import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { type Product, waitUntil } from '../support/product.ts'
import { connectTwoMachines } from '../support/two-machines.ts'

const SECRET = `ghp_${'A1b2C3d4E5f6'.repeat(3)}`

const { desk, laptop } = connectTwoMachines()

const filesIn = (dir: string): readonly string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

const space = async (product: Product) => Object(Object(await product.json(['sync', 'status'])).spaces[0])

test('two machines of one person exchange their work over a folder', async () => {
  const stick = join(desk.dir, 'stick')
  mkdirSync(stick)
  const app = await desk.aProject('app')
  const clone = join(laptop.dir, 'elsewhere')
  execFileSync('git', ['clone', '--quiet', app, clone], { env: laptop.env })
  for (const [dir, product] of [
    [app, desk],
    [clone, laptop],
  ] as const) {
    execFileSync('git', ['config', 'remote.origin.url', 'https://example.com/team/app.git'], {
      cwd: dir,
      env: product.env,
    })
    expect(await product.json(['sync', 'add', stick], { cwd: dir })).toMatchObject({ kind: 'folder', address: stick })
  }
  expect(await space(laptop)).toMatchObject({ isWaiting: true })

  const session = new ClaudeSession(desk, app, { pid: desk.anAgent() })
  await session.start()
  await session.prompt(`Make the parser keep form feeds. The token is ${SECRET}.`)
  await session.edit('src/parser.ts', 'split', 'splitAll')
  writeFileSync(join(app, 'src', 'parser.ts'), 'export const parse = (text: string) => text.split("\\f")\n')
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid']
  execFileSync('git', ['-C', app, ...author, 'commit', '--quiet', '--all', '--message', 'Keep form feeds'], {
    env: desk.env,
  })
  const hash = execFileSync('git', ['-C', app, 'rev-parse', 'HEAD'], { env: desk.env, encoding: 'utf8' }).trim()
  await session.bash('git commit -am "Keep form feeds"', { stdout: `[main ${hash.slice(0, 7)}] Keep form feeds` })
  await session.say('The parser keeps form feeds; the lexer is next.')
  await session.end()
  await waitUntil(async () => Object(await desk.json(['checkpoints', 'list'], { cwd: app })).length > 0, 'a checkpoint')
  await desk.json(['remember', 'Releases are tagged by the pipeline'], { cwd: app })
  await desk.json(['remember', '--me', 'I prefer short answers'])
  await desk.json(['rules', 'add', 'Never push to main.'], { cwd: app })

  expect((await desk.cli(['sync', 'run'], { cwd: app })).code).toBe(0)
  expect((await laptop.cli(['sync', 'run'], { cwd: clone })).code).toBe(0)
  expect(await space(laptop)).toMatchObject({
    isWaiting: false,
    members: [{ state: 'accepted' }],
    lastExchange: { isOk: true },
    waitingEvents: 0,
    refused: [],
  })
  expect(JSON.stringify(await laptop.json(['recall', 'releases tagged'], { cwd: clone }))).toContain('pipeline')
  expect(JSON.stringify(await laptop.json(['memories', 'list'], { cwd: clone }))).toContain('short answers')
  expect(JSON.stringify(await laptop.json(['rules', 'list'], { cwd: clone }))).toContain('Never push to main')
  // The session is one of this repository, and says where it ran.
  const here = Object(await laptop.json(['sessions', '--team'], { cwd: clone }))
  const machine = Object(Object(await desk.json(['sync', 'status'])).machine)
  expect(JSON.stringify(here)).toContain(session.id)
  const stored = Object(await laptop.get(`/api/sessions/${session.id}`))
  expect(JSON.stringify(stored)).toContain(machine.id)
  expect(JSON.stringify(stored)).not.toContain('"pid"')
  // The next session there gets the work, with where and when it was done and what is not here.
  const text = await new ClaudeSession(laptop, clone, { pid: laptop.anAgent() }).begin()
  expect(text).toContain('Make the parser keep form feeds.')
  expect(text).toMatch(/claude-code session \S+ on machine \S+, on main@/)
  expect(text).toContain(`1 commit of it is not here: ${hash.slice(0, 9)}; fetch or pull.`)
  // Not sent on as its own, and nothing twice.
  await laptop.cli(['sync', 'run'], { cwd: clone })
  const again = await laptop.cli(['sync', 'run'], { cwd: clone })
  expect(again.code).toBe(0)
  expect(await space(laptop)).toMatchObject({ lastExchange: { sent: 0, received: 0 } })

  // Only ciphertext lies there, and keys are only in the homes.
  const contents = filesIn(stick).map((file) => readFileSync(file, 'latin1'))
  for (const word of ['form feeds', 'pipeline', 'short answers', 'AGE-SECRET-KEY', 'PRIVATE KEY', app, SECRET])
    expect(contents.filter((content) => content.includes(word))).toEqual([])
  expect(JSON.stringify(await laptop.json(['events', 'list', '--limit', '200']))).not.toContain(SECRET)
  for (const file of filesIn(join(desk.home, 'sync'))) expect(statSync(file).mode & 0o777).toBe(0o600)

  // A memory that is forgotten on one machine is forgotten on the other.
  const [{ memory }] = (await laptop.json(['recall', 'releases tagged'], { cwd: clone })) as [
    { memory: { id: string } },
  ]
  expect((await laptop.cli(['forget', memory.id], { cwd: clone })).code).toBe(0)
  await laptop.cli(['sync', 'run'])
  await desk.cli(['sync', 'run'])
  expect(JSON.stringify(await desk.json(['recall', 'releases tagged'], { cwd: app }))).not.toContain('pipeline')

  // The stick is away: the error says what to do, and later nothing is missing.
  renameSync(stick, `${stick}-away`)
  await desk.json(['remember', 'The cache is warmed by cron'], { cwd: app })
  const away = await desk.cli(['sync', 'run'])
  expect([away.code, away.stdout]).toEqual([1, expect.stringContaining('does not exist')])
  expect(existsSync(stick)).toBe(false)
  // Where it was mounted is an empty folder of this disk: nothing is written there.
  mkdirSync(stick)
  const empty = await desk.cli(['sync', 'run'])
  expect([empty.code, empty.stdout]).toEqual([1, expect.stringContaining('holds no space any more')])
  rmdirSync(stick)
  renameSync(`${stick}-away`, stick)
  await desk.cli(['sync', 'run'])

  // An altered batch is refused and reported; the rest goes on, and it is read once it is whole again.
  const [altered = ''] = filesIn(join(stick, 'logs')).toSorted(
    (one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs,
  )
  const whole = readFileSync(altered)
  const broken = Buffer.from(whole)
  broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1
  writeFileSync(altered, broken)
  await desk.json(['remember', 'Flags are read once at the start'], { cwd: app })
  await desk.cli(['sync', 'run'])
  const refused = await laptop.cli(['sync', 'run'])
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('its signature is wrong')])
  expect(JSON.stringify(await laptop.json(['memories', 'list'], { cwd: clone }))).toContain('Flags are read')
  expect(JSON.stringify(await laptop.json(['memories', 'list'], { cwd: clone }))).not.toContain('warmed by cron')
  writeFileSync(altered, whole)
  expect((await laptop.cli(['sync', 'run'])).code).toBe(0)
  expect(JSON.stringify(await laptop.json(['memories', 'list'], { cwd: clone }))).toContain('warmed by cron')

  // A machine that leaves and joins again sends everything again, and what it changed meanwhile is read.
  await desk.json(['remember', 'Backups are tested in June'], { cwd: app })
  expect((await desk.cli(['sync', 'remove', stick])).code).toBe(0)
  await desk.json(['sync', 'add', stick], { cwd: app })
  for (const [product, cwd] of [
    [desk, app],
    [laptop, clone],
    [desk, app],
    [laptop, clone],
  ] as const)
    await product.cli(['sync', 'run'], { cwd })
  expect(await space(laptop)).toMatchObject({ lastExchange: { isOk: true }, refused: [] })
  expect(JSON.stringify(await laptop.json(['memories', 'list'], { cwd: clone }))).toContain('tested in June')

  for (const product of [desk, laptop]) expect((await product.cli(['sync', 'remove', stick])).code).toBe(0)
  expect(filesIn(stick)).toEqual([])
  expect((await desk.cli(['sync', 'run'])).stderr).toContain('No space was added')
})

test('a git remote gets only what was shared with the team, and only after a yes', async () => {
  const app = await desk.aProject('service')
  const refused = await desk.cli(['sync', 'add', 'https://example.com/team/notes.git'], { cwd: app })
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--yes-public')])
  expect((await desk.cli(['sync', 'add', 'git@github.com:team/notes.git'], { cwd: app })).stderr).toContain(
    'looks public',
  )
  const token = await desk.cli(['sync', 'add', `https://${SECRET}@example.com/notes.git`, '--yes-public'], { cwd: app })
  expect([token.code, token.stderr]).toEqual([2, expect.stringContaining('The address holds a secret (github-token)')])
  const bare = join(desk.dir, 'notes.git')
  execFileSync('git', ['init', '--quiet', '--bare', bare], { env: desk.env })
  expect(await desk.json(['sync', 'add', bare], { cwd: app })).toMatchObject({ kind: 'git' })
  await desk.json(['remember', 'A private thing'], { cwd: app })
  expect((await desk.cli(['sync', 'run'], { cwd: app })).code).toBe(0)
  expect(await space(desk)).toMatchObject({ lastExchange: { isOk: true, sent: 0 } })
  const refs = execFileSync('git', ['for-each-ref', '--format=%(refname)'], {
    cwd: bare,
    env: desk.env,
    encoding: 'utf8',
  })
  expect(refs.trim()).toMatch(/^refs\/holdfast\/[\w-]+$/)
})
