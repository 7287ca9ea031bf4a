import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EventId, SessionKey } from '../../src/kernel/id.ts'
import { resolveHome } from '../../src/platform/base/home.ts'
import { isAlive, Product, waitUntil } from '../support/product.ts'
import { askJson, Daemon, PATIENCE_MS, record } from './support/daemon.ts'

const RACES = 5
const STARTERS = 10
/** No process has it: Linux stops at 4194304. */
const DEAD_PID = 999_999_999

/** Starts many at once, and waits until each one listens or has left. */
async function race(product: Product, starters: number, script?: string): Promise<readonly Daemon[]> {
  const daemons = Array.from({ length: starters }, () => new Daemon(product.env, script))
  const isAtHome = ({ pid, said }: Daemon) => product.daemonPid() === pid || said.startsWith('Listening')
  const isSettled = (daemon: Daemon) => daemon.isOver || isAtHome(daemon)
  await waitUntil(() => daemons.every(isSettled), 'every starter listens or has left', PATIENCE_MS)
  return daemons
}

const endpointPid = async ({ home }: Product) => (await askJson<{ pid: number }>(home, { path: '/api/health' })).pid

test(`${RACES} races of ${STARTERS} starters: one wins each, the others leave in peace, and after kill -9 the next one wins`, async () => {
  await using product = new Product()
  for (let round = 0; round < RACES; round += 1) {
    const daemons = await race(product, STARTERS)
    const winners = daemons.filter((daemon) => !daemon.isOver)
    const said = daemons.map((daemon) => daemon.said)
    expect({ winners: winners.length, said }).toEqual({ winners: 1, said: expect.any(Array) })
    expect(await endpointPid(product)).toBe(winners[0]?.pid)
    for (const loser of daemons.filter((daemon) => daemon.isOver)) {
      expect([await loser.ended(), loser.said]).toEqual([
        0,
        expect.stringMatching(/^(?:A daemon runs at 127\.0\.0\.1:\d+ \(pid \d+\)|Another daemon is starting)\.\n$/),
      ])
    }
    await winners[0]?.kill()
  }
  const next = await new Daemon(product.env).ready()
  expect(await endpointPid(product)).toBe(next.pid)
})

test('control: of daemons without a lock, a race shows more than one winner', async () => {
  await using product = new Product()
  const script = join(import.meta.dirname, 'support', 'forgetful-daemon.mjs')
  const daemons = await race(product, 3, script)
  expect(daemons.filter((daemon) => !daemon.isOver).length).toBeGreaterThan(1)
})

/** What an earlier daemon, or a disaster, may have left where the daemon keeps its own. */
const LEFTOVERS: Readonly<Record<string, (pid: number) => { text: string; mtime?: Date }>> = {
  'the pid of nobody': () => ({ text: `${DEAD_PID}\n` }),
  'the pid of a stranger, which was somebody else then': (pid) => ({ text: `${pid}\nanother-boot:1\n` }),
  'the pid of a stranger, from long ago': (pid) => ({ text: `${pid}\n`, mtime: new Date(Date.now() - 3_600_000) }),
  garbage: () => ({ text: '\0\xff{{{ not ours $(reboot)\n' }),
  'nothing at all': () => ({ text: '' }),
  'a file from the future': (pid) => ({ text: `${pid}\n`, mtime: new Date(Date.now() + 365 * 86_400_000) }),
}

function endpointOf(text: string, socket: string): string {
  // The file has the right shape when it contains a pid.
  if (!/^\d+\n/.test(text)) return text
  return JSON.stringify({
    pid: Number.parseInt(text),
    startedAt: '2020-01-01T00:00:00.000Z',
    port: 1,
    socket,
    version: '0',
    nonce: 'n',
  })
}

describe('what lies in the run folder', () => {
  test.each(Object.keys(LEFTOVERS))('%s: a daemon starts, and the stranger lives', async (what) => {
    await using product = new Product()
    const home = resolveHome(product.env)
    const stranger = product.anAgent()
    const { text, mtime } = LEFTOVERS[what]?.(stranger) ?? { text: '' }
    mkdirSync(home.runDir, { recursive: true, mode: 0o700 })
    const files = {
      [home.startStampFile]: text,
      [home.endpointFile]: endpointOf(text, home.socket),
      [home.launcherFile]: text,
      [home.lateFile]: text,
    }
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content, 'latin1')
      if (mtime !== undefined) utimesSync(file, mtime, mtime)
    }
    const started = await product.cli(['daemon', 'start'])
    expect(started).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The daemon was started \(pid \d+\)/) })
    const pid = Number(/\d+/.exec(started.stdout)?.[0])
    expect(await endpointPid(product)).toBe(pid)
    expect(isAlive(stranger)).toBe(true)
    // And stopping ours ends ours only.
    expect(await product.cli(['daemon', 'stop'])).toMatchObject({ code: 0 })
    expect([isAlive(pid), isAlive(stranger)]).toEqual([false, true])
  })

  test('a lock file of garbage: a daemon starts, and only one', async () => {
    await using product = new Product()
    const home = resolveHome(product.env)
    mkdirSync(home.runDir, { recursive: true, mode: 0o700 })
    writeFileSync(home.lockFile, 'not a database '.repeat(1_000))
    await new Daemon(product.env).ready()
    // Garbage over a lock that is held changes nothing about who holds it.
    writeFileSync(home.lockFile, 'not a database '.repeat(1_000))
    const second = new Daemon(product.env)
    expect([await second.ended(), second.said]).toEqual([0, expect.stringMatching(/^A daemon runs at /)])
  })

  test('a socket that a killed daemon left is replaced; a file in its place is not touched, and named', async () => {
    await using product = new Product()
    const home = resolveHome(product.env)
    await (await new Daemon(product.env).ready()).kill()
    expect(statSync(home.socket).isSocket()).toBe(true)
    const second = await new Daemon(product.env).ready()
    const event = {
      kind: 'session-started',
      id: EventId('after-the-kill'),
      harness: 'claude-code',
      sessionKey: SessionKey('s'),
      at: new Date().toISOString(),
      door: 'api',
      source: 'startup',
    } as const
    expect(await record(home.root, [event])).toEqual([1])
    await second.kill()
    rmSync(home.socket)
    writeFileSync(home.socket, 'precious')
    const third = new Daemon(product.env)
    expect(await third.ended()).toBe(1)
    expect(third.said).toContain(home.socket)
    expect(statSync(home.socket).size).toBe('precious'.length)
  })
})
