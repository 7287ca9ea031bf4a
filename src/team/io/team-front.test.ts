import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client } from 'pg'
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import {
  aBatch,
  addressOf,
  aRepository,
  joinAs,
  operatorOf,
  readWholeLog,
  startTeamServer,
  type TestMember,
} from '../../../test/support/team-setup.ts'
import { createTeamTransport } from './client/http-transport.ts'
import { createTeamClient } from './client/team-client.ts'
import type { TeamServer } from './server/serve-team.ts'

let postgres: TestPostgres
let url: string
let server: TeamServer
let admin: TestMember
let member: TestMember

beforeAll(async () => {
  postgres = await startPostgres()
  url = await postgres.createDatabase()
  server = await startTeamServer([url])
  admin = await joinAs(server, operatorOf(server), { role: 'admin' })
  member = await joinAs(server, admin.client)
})
afterAll(async () => {
  await server.stop()
  await postgres[Symbol.asyncDispose]()
})

async function administer(statement: string, database = url): Promise<void> {
  const client = new Client({ connectionString: database })
  await client.connect()
  await client.query(statement)
  await client.end()
}

describe('the front', () => {
  test('refuses requests that are too large, have no key, or are malformed, and says so', async () => {
    await expect(
      member.transport.appendBatch(aBatch(member, { first: 900, bytes: new Uint8Array(1_000_001) })),
    ).rejects.toMatchObject({ code: 'too-large' })
    const call = (path: string, init: RequestInit = {}) => fetch(`${addressOf(server)}${path}`, init)
    expect((await call('/v1/logs')).status).toBe(401)
    expect((await call('/v1/logs', { headers: { authorization: 'Bearer nonsense' } })).status).toBe(401)
    expect((await call('/nowhere')).status).toBe(404)
    const broken = await call('/v1/batches', {
      method: 'POST',
      body: 'xyz',
      headers: { authorization: `Bearer ${member.key}` },
    })
    expect([broken.status, await broken.json()]).toMatchObject([400, { error: { code: 'invalid-input' } }])
  })

  test('limits each key and each address', async () => {
    const slow = { perSecond: 0.001, burst: 3 }
    const strict = await startTeamServer([url], { limits: { perKey: slow, perAddress: slow, maxRequestsAtOnce: 9 } })
    const access = { server: addressOf(strict), key: member.key }
    const transport = createTeamTransport(access)
    for (let call = 0; call < 3; call += 1) await transport.listDocuments('')
    await expect(createTeamClient(access).listPeople()).rejects.toMatchObject({ code: 'rate-limited' })
    const stranger = createTeamTransport({ server: access.server })
    for (let call = 0; call < 3; call += 1)
      await expect(stranger.listLogs()).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(createTeamClient({ server: access.server }).listPeople()).rejects.toMatchObject({
      code: 'rate-limited',
    })
    await strict.stop()
  })

  test('refuses to be reachable from other machines without a proxy, and plain http behind one', async () => {
    await expect(startTeamServer([url], { host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'invalid-input',
      hint: expect.stringContaining('--behind-proxy'),
    })
    const behind = await startTeamServer([url], { host: '0.0.0.0', isBehindProxy: true })
    const status = async (protocol: string) =>
      (await fetch(`${addressOf(behind)}/v1/logs`, { headers: { 'x-forwarded-proto': protocol } })).status
    expect([await status('http'), await status('https')]).toEqual([403, 401])
    await behind.stop()
  })

  test('health and metrics name nobody, and metrics are for this machine only', async () => {
    await member.transport.appendBatch(aBatch(member, { repository: aRepository('order') }))
    const text = await (await fetch(`${addressOf(server)}/metrics`)).text()
    expect(text).toContain('holdfast_team_appended_batches_total')
    expect(text).toMatch(/holdfast_team_requests_total\{route="POST \/v1\/batches",status="200"\} \d+/)
    expect(text).toContain('holdfast_team_store_up 1')
    for (const secret of [member.person, member.machine, aRepository('order')]) expect(text).not.toContain(secret)
    const forwarded = await fetch(`${addressOf(server)}/metrics`, { headers: { 'x-forwarded-for': '10.0.0.1' } })
    expect(forwarded.status).toBe(404)
    expect(await (await fetch(`${addressOf(server)}/health`)).json()).toMatchObject({ status: 'ok' })
  })

  test('a quota is kept, whichever machine of the person stores', async () => {
    const limited = await joinAs(server, admin.client)
    await administer(`update holdfast_team.teams set quota_bytes = 300`)
    await limited.transport.appendBatch(aBatch(limited, { bytes: new Uint8Array(200) }))
    await expect(
      limited.transport.appendBatch(aBatch(limited, { first: 2, bytes: new Uint8Array(200) })),
    ).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringContaining('quota'),
    })
    await administer(`update holdfast_team.teams set quota_bytes = 1000000000`)
  })

  test('a client that sends nothing holds up nobody, and stopping finishes what runs', async () => {
    const other = await startTeamServer([url])
    const silent = connect({ port: other.port, host: '127.0.0.1' })
    silent.on('error', () => undefined)
    silent.write('POST /v1/batches HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n')
    const transport = createTeamTransport({ server: addressOf(other), key: member.key })
    const running = transport.listLogs()
    expect((await running).length).toBeGreaterThan(0)
    silent.destroy()
    await other.stop()
    await expect(transport.listLogs()).rejects.toMatchObject({
      code: 'store-unavailable',
      hint: expect.stringContaining('stored on this machine'),
    })
  })
})

describe('the store', () => {
  test('several fronts that start at once make one schema and one team', async () => {
    const empty = await postgres.createDatabase()
    const fronts = await Promise.all([1, 2, 3, 4].map(() => startTeamServer([empty])))
    expect(fronts.filter(({ operator }) => operator !== undefined)).toHaveLength(1)
    const founded = fronts.find(({ operator }) => operator !== undefined)
    if (founded === undefined) throw new Error('nobody founded it')
    const first = await joinAs(founded, operatorOf(founded), { role: 'admin' })
    const { key } = first
    const batches = [1, 2, 3, 4].map((number) => aBatch(first, { first: number }))
    for (const [at, front] of fronts.entries()) {
      const batch = batches[at]
      if (batch !== undefined) await createTeamTransport({ server: addressOf(front), key }).appendBatch(batch)
    }
    expect(await readWholeLog(first, { repository: aRepository('zebra'), machine: first.machine })).toEqual(batches)
    for (const front of fronts) await front.stop()
  })

  test('an older, a newer, an unprotected and a missing store are refused with what to do', async () => {
    const newer = await postgres.createDatabase()
    await (await startTeamServer([newer])).stop()
    await administer(`insert into holdfast_team.schema_migrations (name) values ('9999-future')`, newer)
    await expect(startTeamServer([newer])).rejects.toMatchObject({ code: 'store-too-new', hint: expect.any(String) })
    const open = await postgres.createDatabase()
    await (await startTeamServer([open])).stop()
    await administer('alter table holdfast_team.batches no force row level security', open)
    await expect(startTeamServer([open])).rejects.toMatchObject({
      code: 'store-corrupt',
      message: expect.stringContaining('batches'),
    })
    const plain = await postgres.createDatabase()
    await administer(
      'do $$ begin create role plain_login login; exception when duplicate_object then null; end $$',
      plain,
    )
    const asPlain = plain.replace('holdfast@', 'plain_login@')
    await expect(startTeamServer([asPlain])).rejects.toMatchObject({
      code: 'store-too-old',
      hint: expect.stringContaining('owns the database'),
    })
    await expect(startTeamServer(['postgres://nobody@127.0.0.1:1/none'])).rejects.toMatchObject({
      code: 'store-unavailable',
    })
  })

  test('a schema that is replaced by a newer one while a front runs stops it from serving, and health says why', async () => {
    const database = await postgres.createDatabase()
    const front = await startTeamServer([database])
    await administer(`insert into holdfast_team.schema_migrations (name) values ('9999-future')`, database)
    const health = async () => (await fetch(`${addressOf(front)}/health`)).json()
    await expect.poll(health).toMatchObject({ status: 'store-too-new' })
    expect((await fetch(`${addressOf(front)}/v1/logs`)).status).toBe(503)
    await front.stop()
  })

  test('one that dies and comes back costs time, and nothing that was acknowledged', async () => {
    const repository = aRepository('crash')
    const acknowledged: number[] = []
    let refused = 0
    const writing = (async () => {
      for (let first = 1; first <= 40; ) {
        try {
          await member.transport.appendBatch(
            aBatch(member, { repository, first, bytes: new Uint8Array(64).fill(first) }),
          )
          acknowledged.push(first)
          first += 1
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'store-unavailable' })
          refused += 1
        }
      }
    })()
    await expect.poll(() => acknowledged.length).toBeGreaterThan(5)
    await postgres.crashAndRestart()
    await writing
    const found = await readWholeLog(admin, { repository, machine: member.machine }, 100_000)
    expect(found.map(({ first }) => first)).toEqual(acknowledged)
    expect(refused).toBeGreaterThanOrEqual(0)
  })
})
