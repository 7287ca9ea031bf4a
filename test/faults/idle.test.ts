import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../src/kernel/config.ts'
import type { SessionEvent } from '../../src/kernel/event.ts'
import { EventId, SessionKey } from '../../src/kernel/id.ts'
import { createRedactors } from '../../src/platform/redactors.ts'
import { resolveHome } from '../../src/platform/base/home.ts'
import { systemProcesses } from '../../src/platform/process/processes.ts'
import { openApp } from '../../src/daemon/wiring/open-app.ts'
import { startDaemon } from '../../src/daemon/start.ts'
import { acquireLock } from '../../src/storage/sqlite/connection/lock.ts'
import { openSqliteStore } from '../../src/storage/sqlite/engine.ts'
import { ClaudeSession } from '../support/claude-session.ts'
import { isAlive, pidsWithHome, PATIENT, Product, waitUntil } from '../support/product.ts'
import { FakeTime } from '../support/fake-ports.ts'
import { PATIENCE_MS, record } from './support/daemon.ts'

const MINUTE_MS = 60_000
const IDLE_RSS_LIMIT_KB = 95 * 1_024
const silent = () => undefined
const log = { debug: silent, info: silent, warn: silent, error: silent }

function eventsOf(pid: number, kinds: readonly ('session-started' | 'session-ended')[]): readonly SessionEvent[] {
  return kinds.map((kind, index) => {
    const base = {
      id: EventId(`event-${index}`),
      harness: 'claude-code',
      sessionKey: SessionKey('s'),
      at: '2026-01-02T03:00:00.000Z',
      door: 'api',
      process: { pid, startedAt: systemProcesses.startedAt(pid) },
    } as const
    return kind === 'session-started'
      ? { ...base, kind, source: 'startup' as const }
      : { ...base, kind, reason: 'other' as const }
  })
}

/** The daemon of this source, its real store and engine, and a clock that only the test moves. */
async function daemonWithClock(product: Product) {
  const home = resolveHome(product.env)
  const time = new FakeTime()
  const result = await startDaemon({
    home,
    config: DEFAULT_CONFIG,
    clock: time,
    log,
    tickMs: 0,
    openApp: async () =>
      openApp({
        home,
        config: DEFAULT_CONFIG,
        loadConfig: () => DEFAULT_CONFIG,
        clock: time,
        log,
        redactors: createRedactors({ clock: time }),
        store: await openSqliteStore({ file: home.databaseFile }),
      }),
  })
  if (result.kind !== 'started') throw new Error('another daemon runs')
  const { daemon } = result
  const state = { isOver: false }
  void daemon.stopped.then(() => {
    state.isOver = true
  })
  return {
    home,
    stop: () => daemon.stop('the test is over'),
    /** Whether it has left by then. */
    async after(minutes: number): Promise<boolean> {
      for (let half = 0; half < minutes * 2 && !state.isOver; half += 1) {
        time.advance(MINUTE_MS / 2)
        await daemon.tick()
        // A stop takes a few turns of the loop; whether one has begun shows at once.
        if (!existsSync(home.endpointFile)) await daemon.stopped
      }
      return state.isOver
    },
  }
}

describe('sixteen minutes after the last session, by the clock of the daemon', () => {
  test('that ended, nobody is left, and nothing of it but what it kept', async () => {
    await using product = new Product()
    const agent = product.anAgent()
    const daemon = await daemonWithClock(product)
    expect(await record(product.home, eventsOf(agent, ['session-started', 'session-ended']))).toEqual([1, 2])
    expect(await daemon.after(14)).toBe(false)
    expect(await daemon.after(2)).toBe(true)
    expect([daemon.home.socket, daemon.home.endpointFile, daemon.home.launcherFile].filter(existsSync)).toEqual([])
    const lock = acquireLock(daemon.home.lockFile)
    expect(lock).toBeDefined()
    lock?.release()
  })

  test('whose agent was killed, nobody is left either', async () => {
    await using product = new Product()
    const agent = product.anAgent()
    const daemon = await daemonWithClock(product)
    expect(await record(product.home, eventsOf(agent, ['session-started']))).toEqual([1])
    await product.kill(agent)
    expect(await daemon.after(16)).toBe(true)
  })

  test('control: that is still there, the daemon is too, hours later', async () => {
    await using product = new Product()
    const agent = product.anAgent()
    const daemon = await daemonWithClock(product)
    expect(await record(product.home, eventsOf(agent, ['session-started']))).toEqual([1])
    expect(await daemon.after(180)).toBe(false)
    await daemon.stop()
  })
})

const IMPATIENT = { HOLDFAST_DAEMON_IDLE_EXIT_MS: '1000' }
/** On a busy machine a hook may be out of time before it has started a daemon; the next one would. */

test('the built daemon leaves by itself, and no process of its home is left', async () => {
  await using product = new Product(IMPATIENT)
  await product.connect()
  const agent = product.anAgent()
  const session = new ClaudeSession(product, await product.aProject('app'), { pid: agent, env: PATIENT })
  await session.start()
  await waitUntil(() => product.daemonPid() !== undefined, 'there is a daemon', PATIENCE_MS)
  const daemon = product.daemonPid() ?? 0
  // Control: as long as the session lives, the daemon does, many times its patience.
  await sleep(16_000)
  expect([isAlive(daemon), product.daemonPid()]).toEqual([true, daemon])
  await session.end()
  await product.kill(agent)
  await waitUntil(() => pidsWithHome(product.home).length === 0, 'no process is left', PATIENCE_MS)
  expect(existsSync(resolveHome(product.env).socket)).toBe(false)
})

/** Kilobytes, as the kernel counts them. */
function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

test.skipIf(!existsSync('/proc/self/status'))('the idle daemon takes less than 95 MB', async () => {
  await using product = new Product()
  await product.connect()
  const session = new ClaudeSession(product, await product.aProject('app'), { pid: product.anAgent(), env: PATIENT })
  await session.start()
  for (let count = 1; count <= 12; count += 1) {
    await session.prompt(`Step ${count} of the plan.`)
    await session.edit('src/parser.ts', 'text', `text${count}`)
  }
  await session.say('Done.')
  await waitUntil(() => product.daemonPid() !== undefined, 'there is a daemon', PATIENCE_MS)
  const pid = product.daemonPid() ?? 0
  // Past the composing that the last events asked for.
  await sleep(4_000)
  const [now, peak] = [memoryOf(pid, 'VmRSS'), memoryOf(pid, 'VmHWM')]
  console.log(`daemon, idle after 26 hooks: RSS ${Math.round(now / 1_024)} MB, peak ${Math.round(peak / 1_024)} MB`)
  expect(now).toBeLessThan(IDLE_RSS_LIMIT_KB)
})
