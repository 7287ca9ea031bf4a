import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HoldfastError } from '../kernel/errors.ts'
import { realDurableFs } from '../platform/files/atomic-file.ts'
import { resolveHome } from '../platform/base/home.ts'
import { rememberingLog } from '../../test/support/recording-log.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import { createSpool, type Spool, type SpoolOptions } from './spool.ts'
import type { SpoolEntry } from './spool-entry.ts'

/** Waiting for the disk is what durability costs; atomic-file.test.ts proves it, and these tests are about the rest. */
const FAST_FS = { ...realDurableFs, fsync: () => undefined, fsyncDir: () => undefined }

const LIMITS = { maxFiles: 500, maxMs: 60_000 }

const entryOf = (n: number, more: Partial<SpoolEntry> = {}): SpoolEntry => ({
  id: `event-${n}`,
  at: '2026-01-02T03:04:05.678Z',
  harness: 'claude-code',
  hook: 'UserPromptSubmit',
  payload: { n },
  ...more,
})

function open(options: Partial<SpoolOptions> = {}) {
  const dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: join(dir.path, 'home') })
  const log = rememberingLog()
  const spool = createSpool({ home, log, fs: FAST_FS, ...options })
  const filesIn = (folder: string) => readdirSync(folder).filter((name) => name !== 'dead')
  return {
    dir,
    home,
    log,
    spool,
    waiting: () => filesIn(home.spoolDir),
    dead: () => filesIn(home.deadSpoolDir),
    [Symbol.dispose]: () => dir[Symbol.dispose](),
  }
}

async function drainAll(spool: Spool): Promise<readonly SpoolEntry[]> {
  const seen: SpoolEntry[] = []
  await spool.drain(async (entry) => void seen.push(entry), LIMITS)
  return seen
}

describe('the spool', () => {
  test('gives back what was put, whole and in order, and is empty then', async () => {
    using at = open()
    const entries = [1, 2, 3].map((n) => entryOf(n, { pid: 42, pidStartedAt: 'boot:1', harnessVersion: '2.1' }))
    expect(at.spool.backlog()).toBe(0)
    for (const entry of entries) expect(at.spool.put(entry)).toBe(true)
    expect(at.spool.backlog()).toBe(3)
    expect(await drainAll(at.spool)).toEqual(entries)
    expect([at.spool.backlog(), at.waiting()]).toEqual([0, []])
  })

  test('files and folder are open to nobody else', () => {
    using at = open()
    at.spool.put(entryOf(1))
    expect(statSync(at.home.spoolDir).mode & 0o777).toBe(0o700)
    for (const name of at.waiting()) expect(statSync(join(at.home.spoolDir, name)).mode & 0o777).toBe(0o600)
  })

  test('a clock that goes back does not change the order of arrival', async () => {
    const times = [5n, 9n, 1n, 1n, 3n]
    let n = 0
    using at = open({ nowNs: () => (times[n++] ?? 0n) * 1_000_000n })
    for (const id of [1, 2, 3, 4, 5]) at.spool.put(entryOf(id))
    expect((await drainAll(at.spool)).map(({ id }) => id)).toEqual([
      'event-1',
      'event-2',
      'event-3',
      'event-4',
      'event-5',
    ])
  })

  test('a full spool gives up its oldest passive events, never the end of a session, and says so in one line', async () => {
    using at = open({ capBytes: 2_000 })
    at.spool.put(entryOf(0, { hook: 'SessionEnd' }))
    for (let n = 1; n <= 30; n += 1) at.spool.put(entryOf(n))
    const before = at.log.lines.length
    at.spool.put(entryOf(31))
    expect(at.log.lines.slice(before).map(({ message }) => message)).toEqual(['spool full'])
    const ids = (await drainAll(at.spool)).map(({ id }) => id)
    expect(ids[0]).toBe('event-0')
    expect(ids.at(-1)).toBe('event-31')
    expect(ids.slice(1)).toEqual([...Array(ids.length - 1).keys()].map((n) => `event-${33 - ids.length + n}`))
    expect(ids.length).toBeLessThan(20)
  })

  test('a protected event is stored even without room, and a passive one is not', () => {
    using at = open({ capBytes: 200 })
    expect(at.spool.put(entryOf(1, { hook: 'SessionEnd' }))).toBe(true)
    expect(at.spool.put(entryOf(2, { hook: 'SessionEnd' }))).toBe(true)
    expect(at.spool.put(entryOf(3))).toBe(false)
  })

  test('an entry that keeps failing is set aside after three tries, and the rest goes on', async () => {
    using at = open()
    for (const n of [1, 2, 3]) at.spool.put(entryOf(n))
    const tries: string[] = []
    const report = await at.spool.drain(async ({ id }) => {
      tries.push(id)
      if (id === 'event-2') throw new Error('poison')
    }, LIMITS)
    expect(tries).toEqual(['event-1', 'event-2', 'event-2', 'event-2', 'event-3'])
    expect(report).toEqual({ replayed: 2, dead: 1, left: 0 })
    expect(at.dead().length).toBe(1)
  })

  test('failures are counted across restarts', async () => {
    using at = open()
    at.spool.put(entryOf(1))
    const name = at.waiting()[0] ?? ''
    execFileSync('mv', [join(at.home.spoolDir, name), join(at.home.spoolDir, name.replace('-f0', '-f2'))])
    let tries = 0
    await createSpool({ home: at.home, log: at.log }).drain(async () => {
      tries += 1
      throw new Error('poison')
    }, LIMITS)
    expect([tries, at.dead().length]).toEqual([1, 1])
  })

  test('while the store is away nothing is counted, moved or overtaken', async () => {
    using at = open()
    for (const n of [1, 2]) at.spool.put(entryOf(n))
    const before = at.waiting()
    for (let round = 0; round < 5; round += 1) {
      const report = await at.spool.drain(async () => {
        throw new HoldfastError('store-unavailable', 'away')
      }, LIMITS)
      expect(report).toEqual({ replayed: 0, dead: 0, left: 2 })
    }
    expect(at.waiting()).toEqual(before)
  })

  test('garbage, links, FIFOs and entries without an id are set aside at once and never handed over', async () => {
    using at = open()
    at.spool.put(entryOf(1))
    const name = (n: number) => `0000000000000000000${n}-1-0001-aaaaaaaaaaaaaaaa-p5-f0.json`
    writeFileSync(join(at.home.spoolDir, name(1)), '{"id":')
    writeFileSync(join(at.home.spoolDir, name(2)), '{"id":"","at":"","harness":"","hook":"","payload":1}')
    symlinkSync(at.dir.write('secret.json', JSON.stringify(entryOf(9))), join(at.home.spoolDir, name(3)))
    execFileSync('mkfifo', [join(at.home.spoolDir, name(4))])
    expect((await drainAll(at.spool)).map(({ id }) => id)).toEqual(['event-1'])
    expect(at.dead().length).toBe(4)
  })

  /** Opening the file of a Unix socket fails for root too, which no mode of a file does. */
  async function bindSocket(path: string, folder: string) {
    // The address of a socket has to be short; the file can then have any name.
    const server = createServer().listen(join(folder, 's'))
    await once(server, 'listening')
    renameSync(join(folder, 's'), path)
    return { [Symbol.dispose]: () => void server.close() }
  }
  const UNOPENABLE = '00000000000000000001-1-0001-aaaaaaaaaaaaaaaa-p5-f0.json'

  test('a file that cannot be opened is set aside, and the entries behind it are replayed', async () => {
    using at = open()
    for (const n of [1, 2]) at.spool.put(entryOf(n))
    using _socket = await bindSocket(join(at.home.spoolDir, UNOPENABLE), at.dir.path)
    expect((await drainAll(at.spool)).map(({ id }) => id)).toEqual(['event-1', 'event-2'])
    expect([at.dead(), at.spool.backlog()]).toEqual([[UNOPENABLE], 0])
  })

  test('a file that can be neither opened nor moved is skipped, takes no place in a slice, and is logged once', async () => {
    using at = open()
    for (const n of [1, 2]) at.spool.put(entryOf(n))
    using _socket = await bindSocket(join(at.home.spoolDir, UNOPENABLE), at.dir.path)
    writeFileSync(at.home.deadSpoolDir, 'in the way of the folder')
    const seen: string[] = []
    for (let round = 0; round < 3; round += 1)
      await at.spool.drain(async ({ id }) => void seen.push(id), { maxFiles: 1, maxMs: 60_000 })
    expect(seen).toEqual(['event-1', 'event-2'])
    expect(at.spool.backlog()).toBe(1)
    expect(at.log.lines.map(({ message }) => message)).toEqual(['spool entry skipped'])
  })

  test('an entry that is dropped for room while its replay fails ends nothing', async () => {
    using at = open()
    for (const n of [1, 2]) at.spool.put(entryOf(n))
    const seen: string[] = []
    await at.spool.drain(async ({ id }) => {
      seen.push(id)
      if (id !== 'event-1') return
      unlinkSync(join(at.home.spoolDir, at.waiting().toSorted()[0] ?? ''))
      throw new Error('poison')
    }, LIMITS)
    expect([seen, at.spool.backlog()]).toEqual([['event-1', 'event-2'], 0])
  })

  test('foreign names are left alone, and only old temporaries of ours are removed', async () => {
    using at = open()
    at.spool.put(entryOf(1))
    for (const name of ['notes.txt', '.young.tmp', '.old.tmp']) writeFileSync(join(at.home.spoolDir, name), 'x')
    utimesSync(join(at.home.spoolDir, '.old.tmp'), 1, 1)
    await drainAll(at.spool)
    expect(at.waiting().toSorted()).toEqual(['.young.tmp', 'notes.txt'])
  })

  test('a call that cannot be an event is set aside, bounded, and never replayed', async () => {
    using at = open()
    for (let n = 0; n < 210; n += 1) at.spool.putDead(entryOf(n, { payload: 'garbage' }))
    expect([at.dead().length, at.spool.backlog(), await drainAll(at.spool)]).toEqual([200, 0, []])
  })

  test('a slice ends at its number of files', async () => {
    using at = open()
    for (let n = 0; n < 10; n += 1) at.spool.put(entryOf(n))
    expect(await at.spool.drain(async () => undefined, { maxFiles: 4, maxMs: 60_000 })).toEqual({
      replayed: 4,
      dead: 0,
      left: 6,
    })
  })

  test('a link in the place of the folder is refused, and nothing is written through it', () => {
    using at = open()
    mkdirSync(at.home.root, { recursive: true })
    mkdirSync(join(at.dir.path, 'elsewhere'))
    symlinkSync(join(at.dir.path, 'elsewhere'), at.home.spoolDir)
    expect(() => at.spool.put(entryOf(1))).toThrow('symbolic link')
    expect(readdirSync(join(at.dir.path, 'elsewhere'))).toEqual([])
  })

  test('any string as id, harness or hook stays inside the folder and comes back', async () => {
    using at = open()
    const anyString = fc
      .array(fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)))
      .map((units) => units.join(''))
    const nasty = fc.constantFrom('../../x', '..%2f', 'a\0b', 'con', '\\\\?\\', 'x'.repeat(300), '/etc/passwd')
    const outside = () =>
      execFileSync('find', [at.dir.path, '-not', '-path', `${at.home.spoolDir}/*`], { encoding: 'utf8' })
    at.spool.put(entryOf(0))
    await drainAll(at.spool)
    const before = outside()
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyString, nasty), fc.oneof(anyString, nasty), async (id, hook) => {
        const entry = entryOf(0, { id: id === '' ? 'x' : id, harness: hook, hook })
        at.spool.put(entry)
        const [seen] = await drainAll(at.spool)
        expect(seen).toEqual(JSON.parse(JSON.stringify(entry)))
      }),
      { numRuns: 200 },
    )
    expect(outside()).toBe(before)
  })

  test('a thousand events and a crash at twenty moments of the replay: each kept once, in order', async () => {
    using at = open()
    for (let n = 0; n < 1_000; n += 1) at.spool.put(entryOf(n))
    const kept = new Map<string, unknown>()
    let handed = 0
    for (let crash = 0; crash < 20; crash += 1) {
      // A new spool object over the same folder is a new process; the other one never comes back from its hand-over.
      const crashAt = 1 + ((crash * 7919) % 45)
      const isAfterCommit = crash % 2 === 0
      let n = 0
      await new Promise<void>((resolve) => {
        void createSpool({ home: at.home, log: at.log }).drain(async ({ id, payload }) => {
          n += 1
          if (n === crashAt && !isAfterCommit) return new Promise<void>(() => resolve())
          handed += 1
          if (!kept.has(id)) kept.set(id, payload)
          if (n === crashAt) return new Promise<void>(() => resolve())
        }, LIMITS)
      })
    }
    for (const entry of await drainAll(at.spool)) if (!kept.has(entry.id)) kept.set(entry.id, entry.payload)
    await drainAll(at.spool).then((rest) => rest.forEach(({ id, payload }) => kept.set(id, payload)))
    expect([...kept.keys()]).toEqual([...Array(1_000).keys()].map((n) => `event-${n}`))
    expect(handed).toBeGreaterThan(0)
    expect([at.spool.backlog(), at.log.lines]).toEqual([0, []])
  })

  test('control: a replay that deletes before it hands over loses events in the same test', async () => {
    using at = open()
    for (let n = 0; n < 10; n += 1) at.spool.put(entryOf(n))
    const kept: string[] = []
    for (const name of at.waiting().toSorted()) {
      const { id } = JSON.parse(readFileSync(join(at.home.spoolDir, name), 'utf8'))
      execFileSync('rm', [join(at.home.spoolDir, name)])
      if (id === 'event-5') break
      kept.push(id)
    }
    for (const entry of await drainAll(at.spool)) kept.push(entry.id)
    expect(kept).not.toContain('event-5')
  })
})
