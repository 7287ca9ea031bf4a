import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { createSpool } from '../../src/spool/spool.ts'
import { DEFAULT_CONFIG } from '../../src/kernel/config.ts'
import type { SessionEvent } from '../../src/kernel/event.ts'
import { EventId, SessionKey } from '../../src/kernel/id.ts'
import { openApp } from '../../src/daemon/wiring/open-app.ts'
import { startDaemon } from '../../src/daemon/start.ts'
import { createRedactors } from '../../src/platform/redactors.ts'
import { resolveHome } from '../../src/platform/base/home.ts'
import { openSqliteStore } from '../../src/storage/sqlite/engine.ts'
import { Product, waitUntil } from '../support/product.ts'
import { FakeTime } from '../support/fake-ports.ts'
import { askJson, Daemon, PATIENCE_MS, record } from './support/daemon.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** No process has it: Linux stops at 4194304. */
const DEAD_PID = 999_999_999
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'support', 'shifted-clock.mjs')).href
const SESSIONS = 20
const silent = () => undefined
const quiet = { debug: silent, info: silent, warn: silent, error: silent }

const baseOf = (key: string, at: string) =>
  ({ harness: 'claude-code', sessionKey: SessionKey(key), at, door: 'api' }) as const

/** A session that asked for something and ended. */
function aSession(key: string, at: string): readonly SessionEvent[] {
  const base = baseOf(key, at)
  return [
    { ...base, kind: 'session-started', id: EventId(`${key}-start`), source: 'startup' },
    { ...base, kind: 'prompt-submitted', id: EventId(`${key}-prompt`), prompt: `Work of ${key}.` },
    { ...base, kind: 'session-ended', id: EventId(`${key}-end`), reason: 'other' },
  ]
}

const someSessions = (at: string) => Array.from({ length: SESSIONS }, (_, index) => aSession(`s${index}`, at)).flat()

async function idsIn(home: string): Promise<readonly string[]> {
  const listed = await askJson<{ events: { event: { id: string } }[] }>(home, { path: '/api/events?limit=500' })
  return listed.events.map(({ event }) => event.id)
}

/** The daemon looks after its sessions and then at what is past its days: once a later orphan is noticed, the look before it is over. */
async function twoLooks(home: string, life: string, at: string): Promise<void> {
  for (const round of ['a', 'b']) {
    const key = `orphan-${life}-${round}`
    const process = { pid: DEAD_PID, startedAt: 'another-boot:1' }
    const start = { ...baseOf(key, at), kind: 'session-started', id: EventId(key), source: 'startup', process } as const
    expect(await record(home, [start])).toHaveLength(1)
    await waitUntil(
      async () => {
        const { sessions } = await askJson<{ sessions: { key: string; phase: string }[] }>(home, {
          path: '/api/sessions?limit=100',
        })
        return sessions.some((session) => session.key === key && session.phase === 'interrupted')
      },
      `${key} is seen to be interrupted`,
      PATIENCE_MS,
    )
  }
}

test.each([400, -400])('a daemon that a hook starts while the clock is %i days off deletes nothing', async (days) => {
  await using product = new Product()
  const home = resolveHome(product.env)
  const first = await new Daemon(product.env).ready()
  expect(await record(home.root, someSessions(new Date().toISOString()))).toHaveLength(SESSIONS * 3)
  const kept = await idsIn(home.root)
  await first.signal('SIGTERM')

  const shifted = { ...product.env, NODE_OPTIONS: `--import ${PRELOAD}`, CLOCK_SHIFT_MS: String(days * DAY_MS) }
  for (const life of ['second', 'third']) {
    const wrongAt = new Date(Date.now() + days * DAY_MS).toISOString()
    // What started the daemon was stamped by the same clock, and is replayed before the first look.
    const payload = { session_id: `of-${life}`, hook_event_name: 'SessionStart', cwd: product.dir, source: 'startup' }
    const entry = { id: `hook-of-${life}`, at: wrongAt, harness: 'claude-code', hook: 'SessionStart', payload }
    expect(createSpool({ home, log: quiet }).put(entry)).toBe(true)
    const daemon = await new Daemon(shifted).ready()
    await twoLooks(home.root, life, wrongAt)
    expect((await idsIn(home.root)).slice(0, kept.length)).toEqual(kept)
    await daemon.signal(life === 'second' ? 'SIGTERM' : 'SIGKILL')
  }

  await new Daemon(product.env).ready()
  await twoLooks(home.root, 'fourth', new Date().toISOString())
  expect((await idsIn(home.root)).slice(0, kept.length)).toEqual(kept)
})

/** A life of the daemon of this source, with its real store and a clock that only the test moves. */
async function live(product: Product, time: FakeTime, hours: number, lookMinutes = 10): Promise<number> {
  const home = resolveHome(product.env)
  const result = await startDaemon({
    home,
    config: { ...DEFAULT_CONFIG, daemon: { ...DEFAULT_CONFIG.daemon, idleExitMs: 1_000 * DAY_MS } },
    clock: time,
    log: quiet,
    tickMs: 0,
    openApp: async () =>
      openApp({
        home,
        config: DEFAULT_CONFIG,
        loadConfig: () => DEFAULT_CONFIG,
        clock: time,
        log: quiet,
        redactors: createRedactors({ clock: time }),
        store: await openSqliteStore({ file: home.databaseFile }),
      }),
  })
  if (result.kind !== 'started') throw new Error('another daemon runs')
  for (let minutes = 0; minutes < hours * 60; minutes += lookMinutes) {
    time.advance(lookMinutes * 60_000)
    await result.daemon.tick()
  }
  const { length } = await idsIn(home.root)
  await result.daemon.stop('its life is over')
  return length
}

async function keepSessions(product: Product, at: string): Promise<void> {
  await using store = await openSqliteStore({ file: resolveHome(product.env).databaseFile })
  await store.append(
    someSessions(at).map((event) => ({ event })),
    DEFAULT_CONFIG.continuity,
  )
}

test('nothing goes by a clock that stays wrong for days and restarts; what is past its days goes once time has passed', async () => {
  await using product = new Product()
  const time = new FakeTime()
  await live(product, time, 101)
  await keepSessions(product, time.now())
  const all = SESSIONS * 3
  time.jump(400 * DAY_MS)
  for (let life = 0; life < 5; life += 1) {
    expect(await live(product, time, 24)).toBe(all)
    time.advance(8 * HOUR_MS)
  }
  time.jump(-400 * DAY_MS)
  expect(await live(product, time, 8)).toBe(all)
  // The machine sleeps; then it is used a little every day.
  time.advance(40 * DAY_MS)
  const left: number[] = []
  for (let day = 0; day < 12; day += 1) {
    left.push(await live(product, time, 4))
    time.advance(20 * HOUR_MS)
  }
  expect([left[0], left[8], left.at(-1)]).toEqual([all, all, 0])
})

test('a daemon that lives for a few minutes records at its stop what it watched', async () => {
  await using product = new Product()
  const time = new FakeTime()
  const { clockTrustFile } = resolveHome(product.env)
  const watchedMinutes: number[] = []
  for (let life = 0; life < 4; life += 1) {
    await live(product, time, 0.05, 1)
    const { observedMs }: { observedMs: number } = JSON.parse(readFileSync(clockTrustFile, 'utf8'))
    watchedMinutes.push(observedMs / 60_000)
    time.advance(HOUR_MS)
  }
  // The first look of a life, after a minute, has nothing to compare with.
  expect(watchedMinutes).toEqual([2, 4, 6, 8])
})

test('control: of a wrong clock that nobody knows better for longer than a new home is watched, the log does go', async () => {
  await using product = new Product()
  const time = new FakeTime()
  await live(product, time, 101)
  await keepSessions(product, time.now())
  rmSync(resolveHome(product.env).clockTrustFile)
  time.jump(400 * DAY_MS)
  expect([await live(product, time, 99), await live(product, time, 3)]).toEqual([SESSIONS * 3, 0])
})
