import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HoldfastError } from '../../src/kernel/errors.ts'
import type { SealedBatch } from '../../src/kernel/ports/sync-transport.ts'
import { createTeamClient } from '../../src/team/io/client/team-client.ts'
import { createTeamTransport } from '../../src/team/io/client/http-transport.ts'
import { readOperator } from '../../src/team/io/client/membership-file.ts'
import { findShard } from '../../src/team/repository-shard.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { killHard } from '../support/product.ts'
import { aBatch, aRepository, joinAs, readWholeLog, startTeamServer, type TestMember } from '../support/team-setup.ts'
import { seededRandom } from './support/random.ts'

const holdfast = join(import.meta.dirname, '../../bin/holdfast')
const INSTANCES = 3
const REPOSITORIES = Array.from({ length: 12 }, (_, at) => aRepository(`cluster ${at}`))

let instances: readonly TestPostgres[]
let urls: readonly string[]
const folder = mkdtempSync(join(tmpdir(), 'holdfast-team-'))
beforeAll(async () => {
  instances = await Promise.all(Array.from({ length: INSTANCES }, () => startPostgres()))
  urls = await Promise.all(instances.map((instance) => instance.createDatabase()))
})
afterAll(async () => {
  for (const instance of instances) await instance[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

interface FrontProcess {
  readonly port: number
  readonly child: ChildProcess
}

async function startFront(name: string, port = 0): Promise<FrontProcess> {
  const child = spawn(process.execPath, [holdfast, 'team', 'serve', '--port', String(port), '--json'], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      HOLDFAST_HOME: join(folder, name),
      HOLDFAST_TEAM_STORE: urls.join(' '),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of child.stdout) {
    text += String(chunk)
    if (text.trimEnd().endsWith('}')) break
  }
  const started: { port: number } = JSON.parse(text)
  return { port: started.port, child }
}

async function kill({ child }: FrontProcess): Promise<void> {
  const exited = once(child, 'exit')
  if (child.pid !== undefined) killHard(child.pid)
  await exited
}

/** As a machine does: the same batch again until it is acknowledged, by whichever front answers. */
async function sendUntilAcknowledged(member: TestMember, ports: readonly number[], batch: SealedBatch): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const port = ports[attempt % ports.length]
    const transport = createTeamTransport({ server: `http://127.0.0.1:${port}`, key: member.key, timeoutMs: 20_000 })
    try {
      return await transport.appendBatch(batch)
    } catch (thrown) {
      const mayRepeat = thrown instanceof HoldfastError && ['store-unavailable', 'rate-limited'].includes(thrown.code)
      if (!mayRepeat) throw thrown
      await sleep(20)
    }
  }
}

async function countIn(url: string): Promise<ReadonlyMap<string, number>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ repository: string; n: number }>(
      'select repository, count(*)::int as n from holdfast_team.batches group by repository',
    )
    return new Map(rows.map(({ repository, n }) => [repository, n]))
  } finally {
    await client.end()
  }
}

test('three instances and two fronts, both killed and one instance crashed while six machines write: nothing lost, nothing doubled', async () => {
  const random = seededRandom('team-cluster')
  let first = await startFront('first')
  let second = await startFront('second')
  const ports = [first.port, second.port]
  try {
    const operator = readOperator({ root: join(folder, 'first') })
    if (operator === undefined) throw new Error('the first front created no operator')
    const inviter = createTeamClient(operator)
    const members: TestMember[] = []
    for (let at = 0; at < 6; at += 1) members.push(await joinAs(first, inviter))

    const sent = new Map<string, SealedBatch[]>()
    const writing = Promise.all(
      members.map(async (member, at) => {
        // The last one is cut off for all of this time, and sends everything afterwards.
        if (at === members.length - 1) return
        for (let number = 1; number <= 10; number += 1) {
          for (const repository of REPOSITORIES) {
            const batch = aBatch(member, { repository, first: number })
            sent.set(`${repository} ${member.machine}`, [...(sent.get(`${repository} ${member.machine}`) ?? []), batch])
            await sendUntilAcknowledged(member, at % 2 === 0 ? ports : ports.toReversed(), batch)
          }
        }
      }),
    )
    const over = new AbortController()
    const done = writing.finally(() => over.abort())
    let kills = 0
    while (!over.signal.aborted && kills < 6) {
      await sleep(100 + random.int(0, 400))
      if (kills % 3 === 2) await instances[random.int(0, INSTANCES - 1)]?.crashAndRestart()
      else if (kills % 2 === 0) {
        await kill(first)
        first = await startFront('first', first.port)
      } else {
        await kill(second)
        second = await startFront('second', second.port)
      }
      kills += 1
    }
    await done
    expect(kills).toBeGreaterThan(1)

    const absent = members.at(-1)
    if (absent === undefined) throw new Error('nobody joined')
    for (const repository of REPOSITORIES) {
      const collected = Array.from({ length: 10 }, (_, at) => aBatch(absent, { repository, first: at + 1 }))
      sent.set(`${repository} ${absent.machine}`, collected)
      for (const batch of collected) await sendUntilAcknowledged(absent, ports, batch)
    }

    const [reader] = members
    if (reader === undefined) throw new Error('nobody joined')
    for (const [place, batches] of sent) {
      const [repository = '', machine = ''] = place.split(' ')
      expect(await readWholeLog(reader, { repository, machine }, 100_000)).toEqual(batches)
    }
    const heads = await reader.transport.listLogs()
    expect(heads).toHaveLength(REPOSITORIES.length * members.length)
    expect(new Set(heads.map(({ head }) => head))).toEqual(new Set([10]))

    // Every repository is in one instance, the one that its hash names.
    const found = await Promise.all(urls.map(countIn))
    for (const repository of REPOSITORIES) {
      const counts = found.map((counted) => counted.get(repository) ?? 0)
      const expected = found.map((_, at) => (at === findShard(repository, INSTANCES) ? members.length * 10 : 0))
      expect(counts).toEqual(expected)
    }
    expect(found.every((counted) => counted.size > 0)).toBe(true)
  } finally {
    for (const front of [first, second]) await kill(front)
  }
})

test('stores in another order, or fewer of them, are refused before anything is read from the wrong one', async () => {
  await expect(startTeamServer(urls.toReversed())).rejects.toMatchObject({
    code: 'conflict',
    hint: expect.stringContaining('same order'),
  })
  await expect(startTeamServer(urls.slice(0, 2))).rejects.toMatchObject({ code: 'conflict' })
})
