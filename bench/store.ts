// bench: the store among a million checkpoints, and under 200 concurrent sessions
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Store } from '../src/kernel/ports/ports.ts'
import { closeConnection, openConnection } from '../src/storage/sqlite/connection/connection.ts'
import { openStore } from '../src/storage/open-store.ts'
import { openSqliteStore } from '../src/storage/sqlite/engine.ts'
import { bundleStoreWorker } from '../test/contracts/store-worker-bundle.ts'
import { benchArguments } from './arguments.ts'
import { buildCheckpoints, projectNumber } from './store-rows.ts'
import { runSessions, type SessionsResult } from './store-sessions.ts'

const MAX_RATIO = 3
const MIN_ACKED_PER_SECOND = 1_000
const SMALL_ROWS = 1_000
const SAMPLES = 10_000
const WARM_UP = 400

const HELP = `Usage: npm run bench -- store [--rows 1000000] [--sessions 200] [--events 50]

Measures (1) how long the latest checkpoint of a project takes to find among --rows, against the same among ${SMALL_ROWS};
(2) how many events a second --sessions concurrent sessions get acknowledged, each sending its next event when the last
is durable. Fails when the ratio of (1) is above ${MAX_RATIO}, when (2) is below ${MIN_ACKED_PER_SECOND}, or when an event is lost or mixed up.`

interface Lookup {
  readonly rows: number
  readonly p50Us: number
  readonly p99Us: number
  readonly megabytes: number
  readonly buildSeconds: number
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Microseconds that one lookup takes. */
async function timeLookup(store: Store, rows: number, sample: number): Promise<number> {
  const project = projectNumber((sample * 7_919) % rows, rows)
  const started = performance.now()
  const [latest] = await store.listCheckpoints({ projectId: project.id, limit: 1 })
  const micros = (performance.now() - started) * 1_000
  if (latest?.checkpoint.place.projectId !== project.id) throw new Error(`No checkpoint of ${project.id} was found.`)
  return micros
}

async function openBuilt(
  folder: string,
  rows: number,
): Promise<{ store: Store; built: Omit<Lookup, 'p50Us' | 'p99Us'> }> {
  const file = join(folder, `rows-${rows}.db`)
  const started = performance.now()
  const connection = await openConnection({ file })
  buildCheckpoints(connection.database, rows, (done) => {
    process.stderr.write(`\rbuilding ${rows.toLocaleString('en')} rows: ${Math.round((done / rows) * 100)} %`)
  })
  closeConnection(connection)
  process.stderr.write('\n')
  const buildSeconds = (performance.now() - started) / 1_000
  return {
    store: await openSqliteStore({ file }),
    built: { rows, buildSeconds, megabytes: statSync(file).size / 1e6 },
  }
}

function summarise(built: Omit<Lookup, 'p50Us' | 'p99Us'>, micros: readonly number[]): Lookup {
  const sorted = micros.slice(WARM_UP).toSorted((a, b) => a - b)
  return { ...built, p50Us: percentile(sorted, 0.5), p99Us: percentile(sorted, 0.99) }
}

/** Small and large in turns, so that a busy moment of the machine does not fall on one of them only. */
async function measureLookups(folder: string, largeRows: number): Promise<readonly [Lookup, Lookup]> {
  const small = await openBuilt(folder, SMALL_ROWS)
  const large = await openBuilt(folder, largeRows)
  await using _small = small.store
  await using _large = large.store
  const inSmall: number[] = []
  const inLarge: number[] = []
  for (let sample = 0; sample < WARM_UP + SAMPLES; sample += 1) {
    inSmall.push(await timeLookup(small.store, SMALL_ROWS, sample))
    inLarge.push(await timeLookup(large.store, largeRows, sample))
  }
  return [summarise(small.built, inSmall), summarise(large.built, inLarge)]
}

async function measureSessions(folder: string, sessions: number, events: number): Promise<SessionsResult> {
  const root = process.env.HOLDFAST_ROOT ?? process.cwd()
  using worker = await bundleStoreWorker(root)
  await using store = await openStore({
    url: 'sqlite:',
    sqliteFile: join(folder, 'sessions.db'),
    workerFile: worker.file,
    backupDir: join(folder, 'backups'),
    quarantineDir: join(folder, 'quarantine'),
  })
  return await runSessions(store, sessions, events)
}

function print(lookups: readonly Lookup[], result: SessionsResult): void {
  console.log('rows        p50 µs    p99 µs      MB   build s')
  for (const { rows, p50Us, p99Us, megabytes, buildSeconds } of lookups) {
    const cells = [p50Us.toFixed(1).padStart(8), p99Us.toFixed(1).padStart(10), megabytes.toFixed(1).padStart(8)]
    console.log(`${String(rows).padEnd(10)}${cells.join('')}${buildSeconds.toFixed(1).padStart(10)}`)
  }
  console.log(
    `\n${result.sessions} sessions: ${result.acked} acknowledged in ${result.seconds.toFixed(2)} s, ` +
      `p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms, ${result.lost} lost, ${result.mixed} mixed`,
  )
}

async function main(argv: readonly string[]): Promise<number> {
  const { values } = benchArguments({
    args: [...argv],
    options: {
      rows: { type: 'string', default: '1000000' },
      sessions: { type: 'string', default: '200' },
      events: { type: 'string', default: '50' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  try {
    const result = await measureSessions(folder, Number(values.sessions), Number(values.events))
    const [small, large] = await measureLookups(folder, Number(values.rows))
    print([small, large], result)
    const ratio = large.p99Us / small.p99Us
    const ackedPerSecond = result.acked / result.seconds
    const isMet =
      ratio <= MAX_RATIO && ackedPerSecond >= MIN_ACKED_PER_SECOND && result.lost === 0 && result.mixed === 0
    console.log(
      `store: latest_p99_ratio=${ratio.toFixed(2)} (max ${MAX_RATIO}) rows=${large.rows} p99_us=${large.p99Us.toFixed(0)} ` +
        `acked_per_s=${ackedPerSecond.toFixed(0)} (min ${MIN_ACKED_PER_SECOND}) lost=${result.lost} mixed=${result.mixed}${isMet ? '' : ' MISSED'}`,
    )
    return isMet ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = await main(process.argv.slice(2))
