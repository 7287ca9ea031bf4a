// bench: a team server under 200 machines × 20 records a second, against plain INSERTs of the same bytes; cost by repositories
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import type { SyncTransport } from '../src/kernel/ports/sync-transport.ts'
import { systemClock } from '../src/platform/base/clock.ts'
import { createTeamTransport } from '../src/team/io/client/http-transport.ts'
import { createInvite, joinTeam } from '../src/team/io/store/team-people.ts'
import { openTeamStore, type TeamStore } from '../src/team/io/store/team-store.ts'
import { OPERATOR, type TeamCaller } from '../src/team/team-role.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { percentile } from './recall-time.ts'

const [, , machinesArgument = '200', secondsArgument = '20', repositoriesArgument = '10000'] = process.argv
const MACHINES = Number(machinesArgument)
const SECONDS = Number(secondsArgument)
const MANY_REPOSITORIES = Number(repositoriesArgument)
const RECORDS_A_SECOND = 20
/** A sealed batch of 20 records: what age leaves of 20 compressed memories and summaries. */
const BATCH_BYTES = 8_000
const FEW_REPOSITORIES = 10
const PROBES = 300
const root = process.env.HOLDFAST_ROOT ?? join(import.meta.dirname, '..')

const keyOf = (name: string) => createHash('sha256').update(name).digest('hex')

interface Front {
  readonly url: string
  readonly child: ChildProcess
}

async function startFront(home: string, store: string): Promise<Front> {
  const child = spawn(process.execPath, [join(root, 'bin', 'holdfast'), 'team', 'serve', '--port', '0', '--json'], {
    env: { PATH: process.env.PATH, HOME: home, HOLDFAST_HOME: join(home, 'front'), HOLDFAST_TEAM_STORE: store },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of child.stdout) {
    text += String(chunk)
    if (text.trimEnd().endsWith('}')) break
  }
  const { url }: { url: string } = JSON.parse(text)
  return { url, child }
}

interface Machine {
  readonly machine: string
  readonly person: string
  readonly transport: SyncTransport
}

async function joinMachines(store: TeamStore, team: string, url: string, wanted: number): Promise<readonly Machine[]> {
  const operator: TeamCaller = { team, person: OPERATOR, machine: OPERATOR, role: OPERATOR }
  const joined: Machine[] = []
  for (let at = 0; at < wanted; at += 1) {
    const code = await createInvite(store, operator, { role: 'member', expiresSeconds: 3_600, isForOwnMachine: false })
    const name = `machine-${joined.length}-${randomBytes(4).toString('hex')}`
    const admission = await joinTeam(store, { code, person: `person-${name}`, name, machine: name, machineName: name })
    joined.push({ ...admission, transport: createTeamTransport({ server: url, key: admission.key }) })
  }
  return joined
}

/** Each machine acts once a second, at its own moment in it. Gives the milliseconds that each act took. */
async function everySecond(machines: number, seconds: number, act: (machine: number, round: number) => Promise<void>) {
  const tookMs: number[] = []
  let late = 0
  const startedMs = performance.now()
  await Promise.all(
    Array.from({ length: machines }, async (_, machine) => {
      for (let round = 0; round < seconds; round += 1) {
        const dueMs = startedMs + (round + machine / machines) * 1_000
        await sleep(Math.max(0, dueMs - performance.now()))
        if (performance.now() - dueMs > 1_000) late += 1
        const beganMs = performance.now()
        await act(machine, round)
        tookMs.push(performance.now() - beganMs)
      }
    }),
  )
  return { tookMs, late }
}

const show = (ms: number) => `${ms.toFixed(1)} ms`

async function measureLoad(machines: readonly Machine[], reader: Machine, url: string): Promise<void> {
  const bytes = Uint8Array.from(randomBytes(BATCH_BYTES))
  // The reference: the same bytes, as often, in one plain table of the same server.
  const plain = new Pool({ connectionString: url, max: 16 })
  await plain.query('create table plain (machine text, number bigint, bytes bytea, primary key (machine, number))')
  await plain.query('alter table plain alter column bytes set storage external')
  const reference = await everySecond(machines.length, SECONDS, async (machine, round) => {
    await plain.query('insert into plain values ($1, $2, $3)', [`m${machine}`, round, Buffer.from(bytes)])
  })
  await plain.query('drop table plain')
  await plain.end()

  const repositories = machines.map((_, at) => keyOf(`load ${at % 20}`))
  const sentMs = new Map<string, number>()
  const lagsMs: number[] = []
  const cursors = new Map<string, number>()
  const over = new AbortController()
  async function pull(): Promise<void> {
    for (const { repository, machine, head } of await reader.transport.listLogs()) {
      const place = `${repository} ${machine}`
      for (let after = cursors.get(place) ?? 0; after < head; after = cursors.get(place) ?? head) {
        const batches = await reader.transport.readBatches({ repository, machine, after, maxBytes: 1_000_000 })
        for (const { first, last } of batches) {
          const sent = sentMs.get(`${machine} ${first}`)
          if (sent !== undefined) lagsMs.push(performance.now() - sent)
          cursors.set(place, last)
        }
        if (batches.length === 0) break
      }
    }
  }
  const reading = (async () => {
    while (!over.signal.aborted) {
      const beganMs = performance.now()
      await pull()
      await sleep(Math.max(0, 1_000 - (performance.now() - beganMs)))
    }
  })()
  const load = await everySecond(machines.length, SECONDS, async (at, round) => {
    const machine = machines[at]
    if (machine === undefined) return
    const first = round * RECORDS_A_SECOND + 1
    sentMs.set(`${machine.machine} ${first}`, performance.now())
    await machine.transport.appendBatch({
      repository: repositories[at] ?? '',
      machine: machine.machine,
      principal: machine.person,
      audience: 'team',
      first,
      last: first + RECORDS_A_SECOND - 1,
      bytes,
    })
  })
  over.abort()
  await reading
  await pull()
  const records = machines.length * SECONDS * RECORDS_A_SECOND
  const offered = machines.length * RECORDS_A_SECOND
  console.log(
    `${machines.length} machines × ${RECORDS_A_SECOND} records a second for ${SECONDS} s: ${records} records, ${offered} a second, one batch of ${BATCH_BYTES} bytes for each machine and second`,
  )
  for (const at of [0.5, 0.99]) {
    const [served, inserted] = [percentile(load.tookMs, at), percentile(reference.tookMs, at)]
    console.log(
      `  append p${at * 100}: ${show(served)}, plain INSERT ${show(inserted)}: ratio ${(served / inserted).toFixed(2)}`,
    )
  }
  console.log(
    `  more than a second late: ${load.late} of ${load.tookMs.length} batches, plain INSERT ${reference.late}`,
  )
  console.log(
    `  lag until another machine has it, which asks once a second: p50 ${show(percentile(lagsMs, 0.5))}, p99 ${show(percentile(lagsMs, 0.99))} (ratio to its interval ${(percentile(lagsMs, 0.99) / 1_000).toFixed(2)})`,
  )
  console.log(`  arrived: ${lagsMs.length} of ${machines.length * SECONDS} batches`)
}

const TICKS_A_SECOND = 100

/** CPU time that a process has used, in milliseconds; undefined where there is no /proc. Another load does not change it. */
function findCpuMs({ pid }: ChildProcess): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_A_SECOND
  } catch {
    return undefined
  }
}

/** As many at once as there are connections: what one server can take. */
async function measureThroughput(machines: readonly Machine[], url: string, front: ChildProcess): Promise<void> {
  const bytes = Uint8Array.from(randomBytes(BATCH_BYTES))
  const atOnce = 16
  const rounds = 60
  async function run(act: (at: number, round: number) => Promise<void>): Promise<number> {
    const beganMs = performance.now()
    await Promise.all(
      Array.from({ length: atOnce }, async (_, at) => {
        for (let round = 0; round < rounds; round += 1) await act(at, round)
      }),
    )
    return (atOnce * rounds * 1_000) / (performance.now() - beganMs)
  }
  const plain = new Pool({ connectionString: url, max: atOnce })
  await plain.query('create table plain (machine text, number bigint, bytes bytea, primary key (machine, number))')
  const inserted = await run(async (at, round) => {
    await plain.query('insert into plain values ($1, $2, $3)', [`m${at}`, round, Buffer.from(bytes)])
  })
  await plain.query('drop table plain')
  await plain.end()
  const repository = keyOf('throughput')
  const beforeMs = findCpuMs(front)
  const served = await run(async (at, round) => {
    const machine = machines[at]
    if (machine === undefined) return
    const place = { repository, machine: machine.machine, principal: machine.person, audience: 'team' } as const
    await machine.transport.appendBatch({ ...place, first: round + 1, last: round + 1, bytes })
  })
  console.log(
    `as fast as possible, ${atOnce} machines at once: ${served.toFixed(0)} batches a second through the front, ${inserted.toFixed(0)} plain INSERTs: ratio ${(inserted / served).toFixed(2)}`,
  )
  const afterMs = findCpuMs(front)
  if (beforeMs === undefined || afterMs === undefined) return
  const each = (afterMs - beforeMs) / (atOnce * rounds)
  console.log(
    `  CPU time of the front for a batch: ${each.toFixed(2)} ms, so one core serves ${(1_000 / each).toFixed(0)} a second`,
  )
}

async function fillRepositories(url: string, team: string, machine: Machine, from: number, to: number): Promise<void> {
  const plain = new Pool({ connectionString: url, max: 1 })
  await plain.query('set role none')
  await plain.query(
    `insert into holdfast_team.batches (repository, team, machine, first, last, person, audience, size, bytes)
     select encode(sha256(convert_to('many ' || n, 'UTF8')), 'hex'), $1, $2, b, b, $3, 'team', 400, decode(repeat('ab', 400), 'hex')
     from generate_series($4::int, $5::int - 1) n, generate_series(1, 3) b`,
    [team, machine.machine, machine.person, from, to],
  )
  await plain.query(
    `insert into holdfast_team.log_heads (repository, team, machine, audience, person, head, batches, bytes)
     select encode(sha256(convert_to('many ' || n, 'UTF8')), 'hex'), $1, $2, 'team', $3, 3, 3, 1200
     from generate_series($4::int, $5::int - 1) n`,
    [team, machine.machine, machine.person, from, to],
  )
  await plain.query('analyze holdfast_team.batches')
  await plain.query('analyze holdfast_team.log_heads')
  await plain.end()
}

interface Probe {
  readonly appendMs: number
  readonly readMs: number
  readonly headMs: number
}

async function probe(
  writer: Machine,
  reader: Machine,
  front: string,
  key: string,
  repositories: number,
  heads: Map<string, number>,
): Promise<Probe> {
  const times: Record<keyof Probe, number[]> = { appendMs: [], readMs: [], headMs: [] }
  const measure = async (name: keyof Probe, act: () => Promise<unknown>) => {
    const beganMs = performance.now()
    await act()
    times[name].push(performance.now() - beganMs)
  }
  for (let at = 0; at < PROBES; at += 1) {
    const repository = keyOf(`many ${(at * 7_919) % repositories}`)
    const first = (heads.get(repository) ?? 3) + 1
    heads.set(repository, first)
    const bytes = new Uint8Array(400)
    const place = { repository, machine: writer.machine }
    const own = createTeamTransport({ server: front, key, repositories: async () => [repository] })
    await measure('appendMs', () =>
      writer.transport.appendBatch({ ...place, principal: writer.person, audience: 'team', first, last: first, bytes }),
    )
    await measure('readMs', () => reader.transport.readBatches({ ...place, after: first - 1, maxBytes: 100_000 }))
    await measure('headMs', () => own.listLogs())
  }
  return {
    appendMs: percentile(times.appendMs, 0.5),
    readMs: percentile(times.readMs, 0.5),
    headMs: percentile(times.headMs, 0.5),
  }
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-sync-'))
  mkdirSync(join(folder, 'front'), { mode: 0o700 })
  await using postgres = await startPostgres()
  const url = await postgres.createDatabase()
  const front = await startFront(folder, url)
  try {
    await using store = await openTeamStore({ urls: [url], connections: 4, clock: systemClock })
    const admin = new Pool({ connectionString: url, max: 1 })
    const { rows } = await admin.query<{ value: string }>(`select value from holdfast_team.facts where name = 'team'`)
    await admin.query('update holdfast_team.teams set quota_bytes = 1000000000000')
    const team = rows[0]?.value ?? ''
    const machines = await joinMachines(store, team, front.url, MACHINES + 2)
    const [reader, writer, ...loaders] = machines
    if (reader === undefined || writer === undefined) throw new Error('no machines joined')
    await measureLoad(loaders, reader, url)
    await measureThroughput(loaders, url, front.child)

    const heads = new Map<string, number>()
    const key: string = (await joinKey(store, team)).key
    await fillRepositories(url, team, writer, 0, FEW_REPOSITORIES)
    await probe(writer, reader, front.url, key, FEW_REPOSITORIES, heads)
    const few = await probe(writer, reader, front.url, key, FEW_REPOSITORIES, heads)
    await fillRepositories(url, team, writer, FEW_REPOSITORIES, MANY_REPOSITORIES)
    const many = await probe(writer, reader, front.url, key, MANY_REPOSITORIES, heads)
    for (const [name, what] of [
      ['appendMs', 'append a batch'],
      ['readMs', 'read a batch'],
      ['headMs', 'ask for the logs of one repository'],
    ] as const)
      console.log(
        `${what}: ${show(few[name])} with ${FEW_REPOSITORIES} repositories, ${show(many[name])} with ${MANY_REPOSITORIES}: ratio ${(many[name] / few[name]).toFixed(2)}`,
      )
    const beganMs = performance.now()
    const logs = await reader.transport.listLogs()
    console.log(`ask for all ${logs.length} logs of the team: ${show(performance.now() - beganMs)}`)
    const sizes = await admin.query<{ name: string; bytes: string; rows: string }>(
      `select c.relname as name, pg_total_relation_size(c.oid) as bytes, c.reltuples::bigint as rows from pg_class c
       where c.relnamespace = 'holdfast_team'::regnamespace and c.relkind = 'r' and c.relname in ('batches', 'log_heads', 'reads')`,
    )
    for (const size of sizes.rows) console.log(`table ${size.name}: ${size.bytes} bytes, about ${size.rows} rows`)
    await admin.end()
  } finally {
    front.child.kill('SIGTERM')
    await once(front.child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
}

async function joinKey(store: TeamStore, team: string) {
  const operator: TeamCaller = { team, person: OPERATOR, machine: OPERATOR, role: OPERATOR }
  const code = await createInvite(store, operator, { role: 'member', expiresSeconds: 3_600, isForOwnMachine: false })
  return joinTeam(store, {
    code,
    person: 'person-probe',
    name: 'probe',
    machine: 'machine-probe',
    machineName: 'probe',
  })
}

await main()
