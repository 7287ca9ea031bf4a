import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSpool, type Spool } from '../../src/spool/spool.ts'
import type { SpoolEntry } from '../../src/spool/spool-entry.ts'
import { formatSpoolName, hashId } from '../../src/spool/spool-entry.ts'
import { type Home, resolveHome } from '../../src/platform/base/home.ts'
import { acquireLock } from '../../src/storage/sqlite/connection/lock.ts'
import { commandOf, isRunnable, RUNNERS, run } from '../support/hook-programs.ts'
import { pidsWithHome, Product, waitUntil } from '../support/product.ts'
import { Daemon, dist, PATIENCE_MS } from './support/daemon.ts'
import { readKeptLog } from './support/log-check.ts'
import { type Random, seededRandom } from './support/random.ts'

const EVENTS = 1_000
const PROCESSES = 50
const SESSIONS = 10
const KILLS = 20
/** Events fired again when a daemon had finished before it was killed. */
const MORE_EVENTS = 500

const HOOK = 'UserPromptSubmit'
const sessionOf = (number: number) => `session-${number % SESSIONS}`
const promptOf = (number: number) => `Step ${number}.`
const isByProcess = (number: number) => number % (EVENTS / PROCESSES) === 7

function payloadOf(number: number, cwd: string) {
  return { hook_event_name: HOOK, session_id: sessionOf(number), cwd, prompt: promptOf(number) }
}

function entryOf(number: number, cwd: string): SpoolEntry {
  const id = `spooled-event-${number}`
  return { id, at: new Date().toISOString(), harness: 'claude-code', hook: HOOK, payload: payloadOf(number, cwd) }
}

/** Prompts by session, in order. */
function bySession(rows: readonly { session: string; prompt: string }[]): Readonly<Record<string, readonly string[]>> {
  const sessions: Record<string, string[]> = {}
  for (const { session, prompt } of rows) (sessions[session] ??= []).push(prompt)
  return sessions
}

function expectedOf(events: number): Readonly<Record<string, readonly string[]>> {
  const numbers = Array.from({ length: events }, (_, number) => number)
  return bySession(numbers.map((number) => ({ session: sessionOf(number), prompt: promptOf(number) })))
}

async function keptBySession(home: string) {
  const { events, findings } = await readKeptLog(home)
  const rows = events.map(({ event }) => ({
    session: event.sessionKey,
    prompt: event.kind === 'prompt-submitted' ? event.prompt : event.kind,
  }))
  return { kept: bySession(rows), count: rows.length, findings }
}

function spoolOf(home: Home): Spool {
  const silent = () => undefined
  return createSpool({ home, log: { debug: silent, info: silent, warn: silent, error: silent } })
}

/** The files in a folder, the folder of the dead aside. */
function filesIn(dir: string): readonly string[] {
  return existsSync(dir) ? readdirSync(dir).filter((name) => name !== 'dead') : []
}

/** A thousand hooks fire while no daemon can start: we hold its lock. */
async function fireWithoutDaemon(product: Product, home: Home): Promise<void> {
  mkdirSync(home.runDir, { recursive: true, mode: 0o700 })
  const lock = acquireLock(home.lockFile)
  if (lock === undefined) throw new Error('somebody else has the lock')
  const runners = RUNNERS.filter(isRunnable)
  const spool = spoolOf(home)
  for (let number = 0; number < EVENTS; number += 1) {
    if (!isByProcess(number)) {
      expect(spool.put(entryOf(number, product.dir))).toBe(true)
      continue
    }
    const runner = runners[number % runners.length] ?? 'node'
    const command = [...commandOf(runner, dist), 'claude-code', HOOK]
    const ran = await run(command, { env: product.env, input: JSON.stringify(payloadOf(number, product.dir)) })
    expect({ runner, ...ran }).toEqual({ runner, exit: 0, stdout: '', stderr: '' })
  }
  await waitUntil(() => pidsWithHome(home.root).length === 0, 'daemons that hooks started gave up', PATIENCE_MS)
  lock.release()
}

/** Kills the daemon when it has replayed a few more: so few that enough is left for the kills to come. */
async function killDuringReplay(product: Product, spool: Spool, random: Random, killsLeft: number): Promise<void> {
  const before = spool.backlog()
  const wanted = random.int(0, Math.floor(before / killsLeft / 2))
  const daemon = new Daemon(product.env)
  if (wanted === 0) await sleep(random.int(0, 600))
  while (before - spool.backlog() < wanted && !daemon.isOver) await sleep(1)
  expect(await daemon.kill()).toBe('SIGKILL')
}

test(`${EVENTS} hooks while the daemon is away, ${KILLS} kills during replay: all once, in order, nothing left over`, async () => {
  const random = seededRandom('kills during replay')
  await using product = new Product()
  const home = resolveHome(product.env)
  const spool = spoolOf(home)
  await fireWithoutDaemon(product, home)
  expect(spool.backlog()).toBe(EVENTS)

  let fired = EVENTS
  for (let kills = 0; kills < KILLS; ) {
    // On a busy machine a daemon may have replayed everything before it is our turn to kill it: that is not a kill during replay.
    if (spool.backlog() === 0) {
      for (const until = fired + MORE_EVENTS; fired < until; fired += 1)
        expect(spool.put(entryOf(fired, product.dir))).toBe(true)
    }
    await killDuringReplay(product, spool, random, KILLS - kills)
    if (spool.backlog() > 0) kills += 1
  }
  const left = spool.backlog()
  const last = await new Daemon(product.env).ready()
  await waitUntil(() => spool.backlog() === 0, 'the spool is empty', PATIENCE_MS)
  await last.signal('SIGTERM')

  const { kept, count, findings } = await keptBySession(home.root)
  console.log(`${KILLS} kills during replay, ${left} of ${fired} events left for the last daemon, ${count} kept`)
  expect(kept).toEqual(expectedOf(fired))
  expect(findings).toEqual([])
  expect([filesIn(home.spoolDir), filesIn(home.deadSpoolDir)]).toEqual([[], []])
})

test('control: files that can never be events are set aside, and stop none of the others', async () => {
  await using product = new Product()
  const home = resolveHome(product.env)
  const spool = spoolOf(home)
  const poison: readonly (readonly [string, string])[] = [
    ['garbage', 'not json {{{'],
    ['nothing', ''],
    ['another shape', '{"id":"x"}'],
    ['an unknown harness', JSON.stringify({ ...entryOf(1, product.dir), id: 'unknown-harness', harness: 'nobody' })],
    ['no session', JSON.stringify({ ...entryOf(1, product.dir), id: 'without-session', payload: { prompt: 'x' } })],
  ]
  for (let number = 0; number < 40; number += 1) {
    expect(spool.put(entryOf(number, product.dir))).toBe(true)
    const [what, content] = poison[number / 8] ?? []
    if (what === undefined || content === undefined) continue
    const name = { arrival: BigInt(Date.now()) * 1_000_000n, pid: 1, n: number, idHash: hashId(what) }
    const file = formatSpoolName({ ...name, isProtected: false, bytes: content.length, failures: 0 })
    writeFileSync(join(home.spoolDir, file), content, { mode: 0o600 })
  }
  const daemon = await new Daemon(product.env).ready()
  await waitUntil(() => spool.backlog() === 0, 'the spool is empty', PATIENCE_MS)
  await daemon.signal('SIGTERM')
  const { count, findings } = await keptBySession(home.root)
  expect([count, findings, filesIn(home.deadSpoolDir).length]).toEqual([40, [], poison.length])
})
