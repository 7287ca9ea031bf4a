import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTeamTransport } from '../../src/team/io/client/http-transport.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { Product } from '../support/product.ts'
import { aBatch, readWholeLog } from '../support/team-setup.ts'

const holdfast = join(import.meta.dirname, '../../bin/holdfast')

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres[Symbol.asyncDispose]()
})

interface Serving {
  readonly url: string
  readonly port: number
  readonly child: ChildProcess
}

/** `holdfast team serve` as an operator runs it; the address is not in the argument list. */
async function serve(product: Product, store: string, port = 0): Promise<Serving> {
  const child = spawn(
    process.execPath,
    [holdfast, 'team', 'serve', '--port', String(port), '--name', 'crew', '--json'],
    {
      env: { ...product.env, HOLDFAST_TEAM_STORE: store },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let text = ''
  for await (const chunk of child.stdout) {
    text += String(chunk)
    if (text.trimEnd().endsWith('}')) break
  }
  const { url, port: listening }: { url: string; port: number } = JSON.parse(text)
  return { url, port: listening, child }
}

async function stop({ child }: Serving): Promise<number | null> {
  child.kill('SIGTERM')
  await once(child, 'exit')
  return child.exitCode
}

function aHome(): Product {
  const product = new Product()
  mkdirSync(product.home, { recursive: true, mode: 0o700 })
  return product
}

const memberOf = (home: Product): { readonly person: string; readonly machine: string; readonly key: string } =>
  JSON.parse(readFileSync(join(home.home, 'team', 'membership.json'), 'utf8'))

const field = (value: unknown, name: string) =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
const textOf = (value: unknown, name: string) => String(field(value, name))

function transportOf(home: Product) {
  const transport = openTeamTransport({ root: home.home })
  if (transport === undefined) throw new Error('this home has not joined')
  return { transport }
}

test('a team: serve, invite, join, exchange, an absent server, revoke, remove and leave', async () => {
  const store = await postgres.createDatabase()
  await using operator = aHome()
  await using ada = aHome()
  await using bob = aHome()
  await using laptop = aHome()
  let server = await serve(operator, store)
  try {
    const invite = async (home: Product, ...more: string[]) =>
      textOf(await home.json(['team', 'invite', ...more]), 'link')
    const first = await invite(operator, '--role', 'admin')
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/join#[\w-]{43}$/)
    expect(await ada.json(['team', 'join', first, '--name', 'Ada'])).toMatchObject({ role: 'admin', teamName: 'crew' })
    expect(await bob.json(['team', 'join', await invite(ada)])).toMatchObject({ role: 'member' })
    await laptop.json(['team', 'join', await invite(bob, '--own-machine')])
    expect(memberOf(laptop).person).toBe(memberOf(bob).person)
    if (process.platform !== 'win32')
      expect(statSync(join(bob.home, 'team', 'membership.json')).mode & 0o777).toBe(0o600)

    const again = await ada.cli(['team', 'join', first])
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('team leave')])
    const people = await bob.json(['team', 'members'])
    expect(people).toMatchObject([{ name: 'Ada', role: 'admin' }, { role: 'member' }])
    expect(await ada.json(['team', 'machines'])).toHaveLength(3)

    const mine = aBatch(memberOf(bob), { audience: 'me' })
    const shared = aBatch(memberOf(bob), { first: 2 })
    const log = { repository: mine.repository, machine: mine.machine }
    for (const batch of [mine, shared]) await transportOf(bob).transport.appendBatch(batch)
    expect(await readWholeLog(transportOf(laptop), log)).toEqual([mine, shared])
    expect(await readWholeLog(transportOf(ada), log)).toEqual([shared])
    expect(await ada.json(['team', 'reads'])).toMatchObject([
      { reader: memberOf(ada).person, owner: memberOf(bob).person },
    ])

    // The server is away: for a day or for a second, what a client sees is the same.
    expect(await stop(server)).toBe(0)
    const away = await bob.cli(['team', 'status', '--json'])
    expect([away.code, JSON.parse(away.stdout)]).toMatchObject([
      1,
      { isMember: true, isReachable: false, error: { code: 'store-unavailable' } },
    ])
    const waiting = [3, 4, 5].map((number) => aBatch(memberOf(bob), { first: number }))
    await expect(transportOf(bob).transport.appendBatch(waiting[0] ?? mine)).rejects.toMatchObject({
      code: 'store-unavailable',
    })
    server = await serve(operator, store, server.port)
    for (const batch of waiting) await transportOf(bob).transport.appendBatch(batch)
    expect(await readWholeLog(transportOf(ada), log)).toEqual([shared, ...waiting])
    expect(await bob.json(['team', 'status'])).toMatchObject({ isReachable: true, role: 'member' })

    expect(await ada.json(['team', 'key', 'revoke', memberOf(laptop).machine])).toMatchObject({ keys: 1 })
    expect((await laptop.cli(['team', 'status'])).stdout).toContain('revoked')
    expect(await ada.json(['team', 'remove', memberOf(bob).person, '--yes'])).toMatchObject({
      privateBatches: 1,
      sharedBatches: 4,
    })
    expect((await bob.cli(['team', 'members'])).code).toBe(1)
    expect(await bob.json(['team', 'leave', '--forget'])).toMatchObject({ isForgotten: true })
    const last = await ada.cli(['team', 'leave', '--yes'])
    expect([last.code, last.stderr]).toEqual([1, expect.stringContaining('last admin')])
  } finally {
    await stop(server)
  }
})

test('sync status says that what a reader shares is not sent', async () => {
  const store = await postgres.createDatabase()
  await using operator = aHome()
  await using ada = aHome()
  const server = await serve(operator, store)
  try {
    const link = textOf(await operator.json(['team', 'invite', '--role', 'reader']), 'link')
    expect(await ada.json(['team', 'join', link])).toMatchObject({ role: 'reader' })
    await ada.json(['remember', '--team', 'We release on Mondays'], { cwd: await ada.aProject('app') })
    expect(await ada.cli(['sync', 'run'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('not sent: what you shared, because your role in the team is reader'),
    })
    expect(await ada.json(['sync', 'status'])).toMatchObject({ spaces: [{ mayShare: false }] })
  } finally {
    await stop(server)
  }
})

test('what is wrong is said with what to do', async () => {
  await using home = aHome()
  const failure = async (...args: string[]) => {
    const { code, stderr } = await home.cli(['team', ...args])
    return [code, stderr]
  }
  expect(await failure('invite')).toEqual([1, expect.stringContaining('team join')])
  expect(await failure('join', 'https://team.example.org/nonsense')).toEqual([2, expect.stringContaining('whole link')])
  expect(await failure('join', `http://team.example.org/join#${'A'.repeat(43)}`)).toEqual([
    2,
    expect.stringContaining('https'),
  ])
  expect(await failure('join', `http://127.0.0.1:1/join#${'A'.repeat(43)}`)).toEqual([
    1,
    expect.stringContaining('cannot be reached'),
  ])
  expect(await failure('serve')).toEqual([2, expect.stringContaining('HOLDFAST_TEAM_STORE')])
  expect(await failure('serve', '--store', 'sqlite:')).toEqual([2, expect.stringContaining('postgres://')])
  expect(await failure('serve', '--store', 'postgres://u:secret-word@127.0.0.1:1/x')).toEqual([
    1,
    expect.not.stringContaining('secret-word'),
  ])
  const open = await failure('serve', '--store', 'postgres://u@127.0.0.1:1/x', '--host', '0.0.0.0')
  expect(open).toEqual([2, expect.stringContaining('--behind-proxy')])
})
