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
import { createTeamTransport, type DocumentCache } from './client/http-transport.ts'
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

describe('a log', () => {
  test('gives its batches in order, from any record, in pieces of the size that was asked for', async () => {
    const repository = aRepository('order')
    const sent = [1, 4, 5, 9].map((first, at, all) =>
      aBatch(member, { repository, first, last: (all[at + 1] ?? 13) - 1, bytes: new Uint8Array(400).fill(at) }),
    )
    for (const batch of sent) await member.transport.appendBatch(batch)
    expect(await readWholeLog(admin, { repository, machine: member.machine })).toEqual(sent)
    const from = (after: number, maxBytes: number) =>
      admin.transport.readBatches({ repository, machine: member.machine, after, maxBytes })
    expect(await from(2, 1)).toEqual(sent.slice(0, 1))
    expect(await from(3, 801)).toEqual(sent.slice(1, 3))
    expect(await from(12, 10_000)).toEqual([])
    expect(await from(0, 0)).toEqual(sent.slice(0, 1))
    expect(await admin.transport.listLogs()).toContainEqual({ repository, machine: member.machine, head: 12 })
  })

  test('takes the same batch again, and refuses another one there, a gap and another machine’s', async () => {
    const repository = aRepository('conflicts')
    const first = aBatch(member, { repository, last: 3 })
    await member.transport.appendBatch(first)
    await member.transport.appendBatch(first)
    await expect(member.transport.appendBatch({ ...first, bytes: new Uint8Array(9) })).rejects.toMatchObject({
      code: 'conflict',
    })
    await expect(member.transport.appendBatch(aBatch(member, { repository, first: 3, last: 5 }))).rejects.toMatchObject(
      { code: 'conflict' },
    )
    await expect(member.transport.appendBatch(aBatch(member, { repository, first: 5 }))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('ends at record 3'),
    })
    await expect(admin.transport.appendBatch(aBatch(member, { repository, first: 4 }))).rejects.toMatchObject({
      code: 'forbidden',
    })
    expect(await readWholeLog(admin, { repository, machine: member.machine })).toEqual([first])
  })

  test('has no gap and nothing twice when several connections append the same batches at once', async () => {
    const repository = aRepository('race')
    const batches = Array.from({ length: 12 }, (_, at) => aBatch(member, { repository, first: at + 1 }))
    const send = async () => {
      for (const batch of batches) {
        for (;;) {
          const isDone = await member.transport.appendBatch(batch).then(
            () => true,
            (error: unknown) => {
              if (String(error).includes('leave a gap')) return false
              throw error
            },
          )
          if (isDone) break
        }
      }
    }
    await Promise.all([send(), send(), send(), send()])
    expect(await readWholeLog(admin, { repository, machine: member.machine })).toEqual(batches)
  })

  test('shows private batches to the machines of their person only, and their numbers to nobody else', async () => {
    const repository = aRepository('private')
    const second = await joinAs(server, member.client, { isForOwnMachine: true })
    expect(second.person).toBe(member.person)
    const mine = [
      aBatch(member, { repository, audience: 'me' }),
      aBatch(member, { repository, first: 2 }),
      aBatch(member, { repository, first: 3, last: 7, audience: 'me' }),
    ]
    for (const batch of mine) await member.transport.appendBatch(batch)
    const log = { repository, machine: member.machine }
    expect(await readWholeLog(second, log)).toEqual(mine)
    expect(await readWholeLog(admin, log)).toEqual(mine.slice(1, 2))
    const heads = async (who: TestMember) =>
      (await who.transport.listLogs()).filter((one) => one.repository === repository)
    expect(await heads(second)).toEqual([{ ...log, head: 7 }])
    expect(await heads(admin)).toEqual([{ ...log, head: 2 }])
    const chosen = createTeamTransport({
      server: addressOf(server),
      key: admin.key,
      repositories: async () => [repository, aRepository('never seen')],
    })
    expect(await chosen.listLogs()).toEqual([{ ...log, head: 2 }])
  })

  test('counts who read what of whom, for the reader, the owner and the admins', async () => {
    const repository = aRepository('audit')
    await member.transport.appendBatch(aBatch(member, { repository, last: 4 }))
    const reader = await joinAs(server, admin.client, { role: 'reader' })
    const outsider = await joinAs(server, admin.client)
    await reader.transport.readBatches({ repository, machine: member.machine, after: 0, maxBytes: 1_000 })
    await reader.transport.readBatches({ repository, machine: member.machine, after: 0, maxBytes: 1_000 })
    await member.transport.readBatches({ repository, machine: member.machine, after: 0, maxBytes: 1_000 })
    const expected = {
      repository,
      machine: member.machine,
      owner: member.person,
      reader: reader.person,
      times: 2,
      first: 1,
      last: 4,
    }
    for (const { client } of [reader, member, admin]) {
      const reads = (await client.listReads()).filter((read) => read.repository === repository)
      expect(reads).toEqual([expect.objectContaining(expected)])
    }
    expect((await outsider.client.listReads()).filter((read) => read.repository === repository)).toEqual([])
  })
})

describe('people and keys', () => {
  test('an invite works once, expires, and cannot be guessed', async () => {
    const code = await admin.client.createInvite({ role: 'reader', expiresSeconds: 60, isForOwnMachine: false })
    const anybody = createTeamClient({ server: addressOf(server) })
    const candidate = { code, person: 'person-invited', name: 'x', machine: 'machine-invited', machineName: 'y' }
    const outcomes = await Promise.allSettled([
      anybody.join(candidate),
      anybody.join({ ...candidate, person: 'person-other', machine: 'machine-other' }),
    ])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await expect(anybody.join({ ...candidate, person: 'person-late', machine: 'machine-late' })).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('used already'),
    })
    await expect(anybody.join({ ...candidate, code: 'A'.repeat(43) })).rejects.toMatchObject({ code: 'unauthorized' })
    const late = await admin.client.createInvite({ role: 'reader', expiresSeconds: 60, isForOwnMachine: false })
    await administer(`update holdfast_team.invites set expires_at = now() - interval '1 second' where used_at is null`)
    await expect(anybody.join({ ...candidate, code: late })).rejects.toMatchObject({
      message: expect.stringContaining('expired'),
    })
  })

  test('a person or a machine that is there already cannot be joined as by somebody else, and the invite stays usable', async () => {
    const code = await admin.client.createInvite({ role: 'member', expiresSeconds: 60, isForOwnMachine: false })
    const anybody = createTeamClient({ server: addressOf(server) })
    const attempt = (person: string, machine: string) =>
      anybody.join({ code, person, name: 'm', machine, machineName: 'm' })
    await expect(attempt(member.person, 'machine-fresh')).rejects.toMatchObject({ code: 'conflict' })
    await expect(attempt('person-fresh', member.machine)).rejects.toMatchObject({ code: 'conflict' })
    expect(await attempt('person-fresh', 'machine-fresh')).toMatchObject({ person: 'person-fresh', role: 'member' })
  })

  test('roles: a reader reads and does not share, a member does not manage, the operator reads nothing', async () => {
    const reader = await joinAs(server, admin.client, { role: 'reader' })
    await expect(reader.transport.appendBatch(aBatch(reader))).rejects.toMatchObject({ code: 'forbidden' })
    await reader.transport.appendBatch(aBatch(reader, { audience: 'me' }))
    for (const act of [
      () => member.client.createInvite({ role: 'admin', expiresSeconds: 60, isForOwnMachine: false }),
      () => member.client.removePerson(admin.person),
      () => member.client.changeRole(member.person, 'admin'),
    ])
      await expect(act()).rejects.toMatchObject({ code: 'forbidden' })
    await expect(member.client.revokeMachine(admin.machine)).rejects.toMatchObject({ code: 'not-found' })
    const operator = { server: addressOf(server), key: server.operator?.key }
    expect(await createTeamTransport(operator).listLogs()).toEqual([])
    await expect(createTeamTransport(operator).writeDocument('x', new Uint8Array(1))).rejects.toMatchObject({
      code: 'forbidden',
    })
    await admin.client.changeRole(reader.person, 'member')
    await reader.transport.appendBatch(aBatch(reader, { first: 2 }))
  })

  test('a revoked key is refused at once, and the machine may join again and continue its logs', async () => {
    const owner = await joinAs(server, admin.client)
    await owner.transport.appendBatch(aBatch(owner))
    const before = await admin.client.readStanding()
    expect(await admin.client.revokeMachine(owner.machine)).toEqual({
      machine: owner.machine,
      keys: 1,
      keyGeneration: before.keyGeneration + 1,
    })
    await expect(owner.transport.listLogs()).rejects.toMatchObject({ code: 'unauthorized' })
    expect(await admin.client.listMachines()).toContainEqual(
      expect.objectContaining({ machine: owner.machine, leftAt: expect.any(String) }),
    )
  })

  test('who is revoked or removed has left the space too: the public keys are withdrawn', async () => {
    const [one, two, three] = [
      await joinAs(server, admin.client),
      await joinAs(server, admin.client),
      await joinAs(server, admin.client),
    ]
    for (const { transport, machine } of [one, two, three])
      await transport.writeDocument(`members/${machine}`, new Uint8Array(1))
    await admin.client.revokeMachine(one.machine)
    await operatorOf(server).removePerson(two.person)
    const names = await three.transport.listDocuments('members/')
    expect(names).toContain(`members/${three.machine}`)
    expect(names).not.toContain(`members/${one.machine}`)
    expect(names).not.toContain(`members/${two.machine}`)
  })

  test('removing a person deletes what was theirs alone, reports counts, and leaves what they shared', async () => {
    const repository = aRepository('removal')
    const leaver = await joinAs(server, admin.client)
    const shared = aBatch(leaver, { repository, first: 3 })
    await leaver.transport.appendBatch(
      aBatch(leaver, { repository, audience: 'me', last: 2, bytes: new Uint8Array(100) }),
    )
    await leaver.transport.appendBatch(shared)
    await leaver.transport.appendBatch(
      aBatch(leaver, { repository: aRepository('removal too'), audience: 'me', bytes: new Uint8Array(50) }),
    )
    const departure = await admin.client.removePerson(leaver.person)
    expect(departure).toMatchObject({
      machines: 1,
      keys: 1,
      privateLogs: 2,
      privateBatches: 2,
      privateBytes: 150,
      sharedBatches: 1,
    })
    await expect(leaver.transport.listLogs()).rejects.toMatchObject({ code: 'unauthorized' })
    expect(await readWholeLog(admin, { repository, machine: leaver.machine })).toEqual([shared])
    expect((await admin.client.listPeople()).map(({ person }) => person)).not.toContain(leaver.person)
    const left = new Client({ connectionString: url })
    await left.connect()
    const { rows } = await left.query(
      `select count(*)::int as n from holdfast_team.batches where person = $1 and audience = 'me'`,
      [leaver.person],
    )
    await left.end()
    expect(rows).toEqual([{ n: 0 }])
    await expect(admin.client.removePerson(admin.person)).rejects.toMatchObject({ code: 'conflict' })
  })

  test('keys and invites are stored hashed', async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(
      'select key_hash from holdfast_team.machine_keys union all select code_hash from holdfast_team.invites',
    )
    await client.end()
    expect(rows.length).toBeGreaterThan(5)
    for (const row of rows) expect(Object.values(row).join()).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(rows)).not.toContain(server.operator?.key)
  })
})

describe('documents', () => {
  test('are written, listed by prefix, replaced by their author or an admin, and by nobody else', async () => {
    const text = (value: string) => new TextEncoder().encode(value)
    const own = `members/${member.machine}`
    await member.transport.writeDocument(own, text('one'))
    await member.transport.writeDocument(own, text('two'))
    await admin.transport.writeDocument('tombstones/1', text('three'))
    expect(await admin.transport.listDocuments('members/')).toContain(own)
    expect(await admin.transport.listDocuments('tombstones/')).toEqual(['tombstones/1'])
    expect(await admin.transport.readDocument(own)).toEqual(text('two'))
    expect(await admin.transport.readDocument('members/none')).toBeUndefined()
    await expect(member.transport.writeDocument('tombstones/1', text('four'))).rejects.toMatchObject({
      code: 'forbidden',
    })
    await admin.transport.writeDocument('tombstones/1', text('five'))
    // A machine that has read it asks for it again only after a change.
    const documents: DocumentCache = new Map()
    const access = { server: addressOf(server), key: member.key, documents }
    const read = async () => {
      const transport = createTeamTransport(access)
      await transport.listDocuments('')
      return transport.readDocument('tombstones/1')
    }
    expect(await read()).toEqual(text('five'))
    const stored = documents.get('tombstones/1')
    await read()
    expect(documents.get('tombstones/1')).toBe(stored)
    await admin.transport.writeDocument('tombstones/1', text('5'))
    expect(await read()).toEqual(text('5'))
    await admin.transport.writeDocument('tombstones/1', text('five'))
    expect(await member.transport.readDocument('tombstones/1')).toEqual(text('five'))
    const claim = JSON.stringify({ document: { machine: member.machine, principal: admin.person }, signature: '' })
    await expect(member.transport.writeDocument(own, text(claim))).rejects.toMatchObject({ code: 'forbidden' })
    await member.transport.writeDocument(own, text(claim.replace(admin.person, member.person)))
    for (const foreign of [own, `keys/1/${member.machine}`])
      await expect(admin.transport.writeDocument(foreign, text('x'))).rejects.toMatchObject({ code: 'forbidden' })
    await expect(member.transport.writeDocument('../x', text('six'))).rejects.toMatchObject({
      code: expect.stringMatching(/invalid-input|not-found/),
    })
  })
})
