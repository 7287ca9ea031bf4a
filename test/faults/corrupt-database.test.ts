import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EventId, SessionKey } from '../../src/kernel/id.ts'
import { resolveHome } from '../../src/platform/base/home.ts'
import { commandOf, run } from '../support/hook-programs.ts'
import { Product, waitUntil } from '../support/product.ts'
import { ask, askJson, Daemon, dist, PATIENCE_MS, record } from './support/daemon.ts'
import { readKeptLog } from './support/log-check.ts'
import { DAMAGES, PAGE_BYTES } from './support/damage.ts'
import { seededRandom } from './support/random.ts'

const EVENTS = 600

const promptOf = (number: number) => `Step ${number}: ${`word${number} `.repeat(40)}`

async function fill(home: string): Promise<void> {
  for (let from = 0; from < EVENTS; from += 20) {
    const events = Array.from({ length: 20 }, (_, index) => ({
      kind: 'prompt-submitted' as const,
      id: EventId(`event-${from + index}`),
      harness: 'claude-code',
      sessionKey: SessionKey(`session-${(from + index) % 8}`),
      at: '2026-01-02T03:04:05.000Z',
      door: 'api' as const,
      prompt: promptOf(from + index),
    }))
    expect(await record(home, events)).toHaveLength(20)
  }
}

/** A home with a full database and nobody in it; the database is one file. */
async function filledHome(product: Product) {
  const home = resolveHome(product.env)
  const daemon = await new Daemon(product.env).ready()
  await fill(home.root)
  await daemon.signal('SIGTERM')
  for (const part of ['-wal', '-shm']) rmSync(`${home.databaseFile}${part}`, { force: true })
  return home
}

/** How an event stands in its row, whatever else has its words. */
const rowOf = (number: number) =>
  `"id":"event-${number}","kind":"prompt-submitted","prompt":${JSON.stringify(promptOf(number))}`

/** The events whose rows are on pages that are as they were: no damage elsewhere is a reason to lose one of them. */
function untouched(before: Buffer, after: Buffer): readonly string[] {
  const pages = Array.from({ length: Math.floor(after.length / PAGE_BYTES) }, (_, page) => page * PAGE_BYTES)
  const pageAt = (bytes: Buffer, at: number) => bytes.subarray(at, at + PAGE_BYTES)
  const same = Buffer.concat(
    pages.filter((at) => pageAt(after, at).equals(pageAt(before, at))).map((at) => pageAt(after, at)),
  )
  const numbers = Array.from({ length: EVENTS }, (_, number) => number)
  return numbers.filter((number) => same.includes(rowOf(number))).map((number) => `event-${number}`)
}

/** Every event that the API gives out, page by page. */
async function served(home: string): Promise<readonly { id: string; prompt?: string }[]> {
  const all: { seq: number; event: { id: string; prompt?: string } }[] = []
  for (;;) {
    const { events } = await askJson<{ events: typeof all }>(home, {
      path: `/api/events?limit=1000&afterSeq=${all.at(-1)?.seq ?? 0}`,
    })
    if (events.length === 0) return all.map(({ event }) => event)
    all.push(...events)
  }
}

const quarantined = (dir: string) => (existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.db')) : [])

describe('a database with', () => {
  test.each(DAMAGES)('$what: the daemon comes up, serves only what was written, and hooks work', async (damage) => {
    const random = seededRandom(damage.what)
    await using product = new Product()
    const home = await filledHome(product)
    const before = readFileSync(home.databaseFile)
    expect(untouched(before, before)).toHaveLength(EVENTS)
    const bytes = damage.inflict(Buffer.from(before), random)
    writeFileSync(home.databaseFile, bytes)

    const daemon = await new Daemon(product.env).ready()
    const events = await served(home.root)
    const asWritten = new Map(Array.from({ length: EVENTS }, (_, number) => [`event-${number}`, promptOf(number)]))
    expect(events.filter(({ id, prompt }) => asWritten.get(id) !== prompt)).toEqual([])
    const servedIds = new Set(events.map(({ id }) => id))
    const left = untouched(before, bytes)
    expect(left.filter((id) => !servedIds.has(id))).toEqual([])
    expect(events.length).toBeGreaterThanOrEqual(EVENTS * (damage.atLeast ?? 0))
    // A damage that spares nothing would make that easy.
    if (damage.sparesSome) expect(left.length).toBeGreaterThan(0)
    const set = quarantined(home.quarantineDir)
    const told = `${events.length} of ${EVENTS} events served, ${left.length} on untouched pages`
    console.log(`${damage.what}: ${told}, ${set.length} set aside`)
    if (damage.isPlain) {
      expect(set).toHaveLength(1)
      expect(readFileSync(join(home.quarantineDir, set[0] ?? '')).equals(bytes)).toBe(true)
    }
    const payload = JSON.stringify({
      hook_event_name: 'UserPromptSubmit',
      session_id: 'after',
      cwd: product.dir,
      prompt: 'After.',
    })
    const env = { ...product.env, HOLDFAST_HOOK_BUDGET_MS: '20000' }
    const ran = await run([...commandOf('node', dist), 'claude-code', 'UserPromptSubmit'], { env, input: payload })
    expect(ran).toMatchObject({ exit: 0, stderr: '' })
    await waitUntil(
      async () => (await served(home.root)).some(({ prompt }) => prompt === 'After.'),
      'the prompt is kept',
      PATIENCE_MS,
    )
    expect((await ask(home.root, { path: '/api/sessions' })).status).toBe(200)
    // Nothing goes missing without a word: what is not served is set aside, or named when the store is checked.
    await daemon.kill()
    const { findings } = await readKeptLog(home.root, home.quarantineDir)
    const isTold = findings.length > 0 || quarantined(home.quarantineDir).length > 0
    expect({ isWhole: events.length === EVENTS, isTold }).toMatchObject(
      events.length === EVENTS ? { isWhole: true } : { isTold: true },
    )
  })
})

test('a write-ahead log that was cut short: what is left is sound, in order, goes on, and what is missing is said', async () => {
  const random = seededRandom('cut write-ahead log')
  await using product = new Product()
  const home = resolveHome(product.env)
  const daemon = await new Daemon(product.env).ready()
  await fill(home.root)
  await waitUntil(
    () =>
      existsSync(`${home.databaseFile}.mark`) &&
      readFileSync(`${home.databaseFile}.mark`, 'utf8').includes(`"seq":${EVENTS}`),
    'it is noted how far the log has come',
    PATIENCE_MS,
  )
  await daemon.kill()
  const wal = `${home.databaseFile}-wal`
  const size = readFileSync(wal).length
  expect(size).toBeGreaterThan(PAGE_BYTES)
  truncateSync(wal, random.int(Math.floor(size / 4), size - 1))
  const next = await new Daemon(product.env).ready()
  const events = await served(home.root)
  expect(events.length).toBeLessThan(EVENTS)
  expect(events.map(({ id, prompt }) => [id, prompt])).toEqual(
    events.map((_, number) => [`event-${number}`, promptOf(number)]),
  )
  console.log(`cut write-ahead log: ${events.length} of ${EVENTS} events left`)
  const again = {
    kind: 'session-started',
    id: EventId('after'),
    harness: 'claude-code',
    sessionKey: SessionKey('s'),
    at: '2026-01-02T03:04:05.000Z',
    door: 'api',
    source: 'startup',
  } as const
  // No number is given twice.
  expect(await record(home.root, [again])).toEqual([EVENTS + 1])
  expect(readFileSync(home.daemonLog, 'utf8')).toContain('Events that were acknowledged are missing')
  const doctor = await product.cli(['doctor', '--json'])
  expect(doctor.stdout).toContain(`events ${events.length + 1} to ${EVENTS} are missing`)
  await next.kill()
  expect((await readKeptLog(home.root)).findings).toEqual([
    { what: 'event-gap', detail: `Events ${events.length + 1} to ${EVENTS} are missing.` },
  ])
})

test('control: a sound database is served whole, and nothing is set aside', async () => {
  await using product = new Product()
  const home = await filledHome(product)
  await new Daemon(product.env).ready()
  expect(await served(home.root)).toHaveLength(EVENTS)
  expect(quarantined(home.quarantineDir)).toEqual([])
})
