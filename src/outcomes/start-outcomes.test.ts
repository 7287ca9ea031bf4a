import { expect, test } from 'vitest'
import { aBench, type Bench, endSession, PROJECT, start, told, work } from '../../test/support/continuity-setup.ts'
import { anEvent } from '../../test/support/events.ts'
import type { EventOf, ToolCall } from '../kernel/event.ts'
import { SessionKey } from '../kernel/id.ts'
import type { Store } from '../kernel/ports/ports.ts'
import type { StartOutcome } from '../kernel/start-outcome.ts'
import { createContinuity } from '../app/create-continuity.ts'

const SECOND = SessionKey('session-2')

function call(bench: Bench, key: SessionKey, tool: Partial<ToolCall>, pid = 2) {
  const event: Partial<EventOf<'tool-finished'>> = {
    sessionKey: key,
    cwd: PROJECT,
    process: { pid },
    at: bench.ports.time.now(),
    tool: { name: 'Tool', kind: 'other', files: [], ...tool },
    outcome: { ok: true },
  }
  return bench.continuity.record(anEvent('tool-finished', event))
}

const reads = (path: string): Partial<ToolCall> => ({ kind: 'read', files: [{ path, action: 'read' }] })
const edits = (path: string): Partial<ToolCall> => ({ kind: 'edit', files: [{ path, action: 'edited' }] })
const runs = (command: string): Partial<ToolCall> => ({ kind: 'shell', command })

/** A session reads two files, runs the tests, edits the parser and dies; the next one gets a recovery and repeats some of it. */
async function aSecondSession(bench: Bench) {
  const { ports, continuity } = bench
  ports.files.set(`${PROJECT}/src/parser.ts`, 'parser')
  ports.files.set(`${PROJECT}/src/lexer.ts`, 'lexer')
  await work(bench)
  const first = SessionKey('session-1')
  await call(bench, first, reads('src/lexer.ts'), 1)
  await call(bench, first, runs('npm test'), 1)
  await endSession(bench)
  await continuity.drain()
  const text = await told(bench, start('session-2', 2))
  expect(text).toContain('src/parser.ts')
  ports.time.advance(4_000)
  await continuity.record(
    anEvent('prompt-submitted', { sessionKey: SECOND, cwd: PROJECT, at: ports.time.now(), prompt: 'Go on.' }),
  )
  ports.time.advance(6_000)
  await call(bench, SECOND, reads('src/lexer.ts'))
  await call(bench, SECOND, reads('src/other.ts'))
  await call(bench, SECOND, runs('npm test'))
  await call(bench, SECOND, edits('src/parser.ts'))
  await call(bench, SECOND, runs('npm test'))
}

test('the limit counts only starts that did something', async () => {
  await using bench = await aBench()
  await aSecondSession(bench)
  for (const key of ['session-3', 'session-4']) await bench.continuity.record(start(key, 3))
  const shown = async (limit: number) =>
    (await bench.continuity.stats({ limit })).receipts.map(({ sessionKey }) => sessionKey)
  expect([await shown(1), await shown(2), await shown(10)]).toEqual([
    ['session-2'],
    ['session-2', 'session-1'],
    ['session-2', 'session-1'],
  ])
})

test('a recovered session has an outcome with its repeated work, and the first one is a cold start', async () => {
  await using bench = await aBench()
  await aSecondSession(bench)
  const { receipts, projects, scorer } = await bench.continuity.stats({ limit: 10 })
  expect(receipts).toHaveLength(2)
  const [warm, cold] = receipts
  expect(warm).toMatchObject({
    sessionKey: 'session-2',
    epoch: 1,
    source: 'startup',
    isWarm: true,
    calls: 5,
    filesRead: 2,
    commandsRun: 1,
    callsToFirstEdit: 3,
    msToFirstEdit: 6_000,
    earlierSessions: ['claude-code/session-1'],
    rework: {
      filesReread: [{ path: 'src/lexer.ts', standing: 'unchanged', isEditedAfter: false }],
      commandsRepeated: ['npm test'],
      decisionsReopened: [],
      ratio: 0.667,
      novel_context_count: 0,
    },
  })
  expect(cold).toMatchObject({ sessionKey: 'session-1', isWarm: false, callsToFirstEdit: 0, earlierSessions: [] })
  expect(cold?.rework).toBeUndefined()
  expect(projects).toHaveLength(1)
  expect(projects[0]?.comparisons).toHaveLength(1)
  expect(projects[0]?.comparisons[0]).toMatchObject({
    circumstance: 'start',
    warm: { starts: 1, filesReread: { n: 1, median: 1, lowest: 1, highest: 1 } },
    cold: { starts: 1 },
    isEnough: false,
    caution: 'Too few to compare (1 warm, 1 cold; at least 10 of each are needed).',
  })
  expect(scorer.isEnabled).toBe(false)
  expect(scorer.sections.map(({ section }) => section)).toContain('files')
})

test('the ledger lists injected texts, their size, and which lines were used', async () => {
  await using bench = await aBench()
  await aSecondSession(bench)
  const { entries, totals } = await bench.continuity.ledger({ limit: 10 })
  expect(entries).toHaveLength(1)
  const [entry] = entries
  expect(entry).toMatchObject({
    kind: 'recovery',
    sessionKey: 'session-2',
    why: 'the latest work in this worktree, on this branch',
    estimatedTokens: Math.ceil((entry?.chars ?? 0) / 4),
  })
  const useOf = (line: string) => entry?.lines.find((candidate) => candidate.line.includes(line))?.use
  expect(useOf('src/parser.ts')).toEqual({ status: 'used', afterCalls: 4 })
  expect(useOf('src/lexer.ts')).toEqual({ status: 'used', afterCalls: 1 })
  expect(useOf('npm test')).toEqual({ status: 'used', afterCalls: 3 })
  expect(useOf('Make the parser keep blank lines.')).toEqual({ status: 'cannot-tell' })
  expect(totals).toMatchObject({ injections: 1, chars: entry?.chars, usedCount: entry?.usedCount })
  expect(await bench.continuity.ledger({ sessionKey: SessionKey('session-1'), limit: 10 })).toMatchObject({
    entries: [],
  })
})

test('rereading a changed file does not count as repeated work', async () => {
  await using bench = await aBench()
  const { ports, continuity } = bench
  ports.files.set(`${PROJECT}/src/parser.ts`, 'parser')
  await work(bench)
  await endSession(bench)
  await continuity.drain()
  ports.files.set(`${PROJECT}/src/parser.ts`, 'somebody else was here')
  await told(bench, start('session-2', 2))
  await call(bench, SECOND, reads('src/parser.ts'))
  const [receipt] = await continuity.sessionReceipts(SECOND)
  expect(receipt?.rework?.filesReread).toEqual([{ path: 'src/parser.ts', standing: 'changed', isEditedAfter: false }])
  expect(receipt?.rework?.ratio).toBe(0)
})

test('each compaction has its own outcome, compared with the session itself', async () => {
  await using bench = await aBench()
  const { ports, continuity } = bench
  ports.files.set(`${PROJECT}/src/parser.ts`, 'parser')
  await work(bench)
  await told(bench, start('session-1', 1, 'compact'))
  await call(bench, SessionKey('session-1'), reads('src/parser.ts'), 1)
  const receipts = await continuity.sessionReceipts(SessionKey('session-1'))
  expect(receipts.map(({ epoch, source, isWarm }) => ({ epoch, source, isWarm }))).toEqual([
    { epoch: 2, source: 'compact', isWarm: true },
    { epoch: 1, source: 'startup', isWarm: false },
  ])
  expect(receipts[0]?.rework?.filesReread.map(({ path }) => path)).toEqual(['src/parser.ts'])
})

test('a compaction after a first pass is the second start, not the first again', async () => {
  await using bench = await aBench()
  const { continuity } = bench
  const key = SessionKey('session-1')
  await work(bench)
  expect((await continuity.sessionReceipts(key)).map(({ epoch }) => epoch)).toEqual([1])
  for (const path of ['src/a.ts', 'src/b.ts']) {
    await told(bench, start('session-1', 1, 'compact'))
    await call(bench, key, edits(path), 1)
    await continuity.sessionReceipts(key)
  }
  const receipts = await continuity.sessionReceipts(key)
  expect(receipts.map(({ epoch, source }) => `${epoch} ${source}`)).toEqual(['3 compact', '2 compact', '1 startup'])
})

test('events that arrive during a pass wait for the next pass', async () => {
  await using bench = await aBench()
  const { ports, store } = bench
  const key = SessionKey('session-1')
  await work(bench)
  const then = await store.findSessionsByKey(key)
  await told(bench, start('session-1', 1, 'compact'))
  await call(bench, key, edits('src/a.ts'), 1)
  const behind: Store = Object.assign(Object.create(store), { findSessionsByKey: async () => then })
  const seen = await createContinuity(ports.deps(behind)).sessionReceipts(key)
  expect(seen.map(({ epoch, calls }) => ({ epoch, calls }))).toEqual([{ epoch: 1, calls: 1 }])
  expect((await bench.continuity.sessionReceipts(key)).map(({ epoch }) => epoch)).toEqual([2, 1])
})

test('repeated work stays recorded after the compared checkpoints are pruned', async () => {
  await using bench = await aBench()
  await aSecondSession(bench)
  const [before] = await bench.continuity.sessionReceipts(SECOND)
  for (const { checkpoint } of await bench.store.listCheckpoints({ limit: 50 }))
    await bench.store.deleteCheckpoint(checkpoint.id)
  await call(bench, SECOND, reads('src/late.ts'))
  const [after] = await bench.continuity.sessionReceipts(SECOND)
  expect(after?.calls).toBe((before?.calls ?? 0) + 1)
  expect(after?.rework).toEqual(before?.rework)
  expect(after?.earlierSessions).toEqual(before?.earlierSessions)
})

test('a start is compared with what came before it, not with what came since', async () => {
  await using bench = await aBench()
  const { continuity, ports } = bench
  await work(bench)
  await endSession(bench)
  await continuity.drain()
  await continuity.record({ ...start('session-2', 2), at: ports.time.now() })
  const third = { sessionKey: SessionKey('session-3'), cwd: PROJECT, process: { pid: 3 } }
  await continuity.record({ ...start('session-3', 3), at: ports.time.now() })
  await call(bench, third.sessionKey, edits('src/late.ts'), 3)
  await continuity.record(anEvent('session-ended', { ...third, at: ports.time.now() }))
  await continuity.drain()
  await call(bench, SECOND, reads('src/parser.ts'))
  const [receipt] = await continuity.sessionReceipts(SECOND)
  expect(receipt?.earlierSessions).toEqual(['claude-code/session-1'])
})

test('a session that restarts under its old key is not compared with itself', async () => {
  await using bench = await aBench()
  const { continuity, ports } = bench
  await work(bench)
  await endSession(bench)
  await continuity.drain()
  await continuity.record({ ...start('session-1', 1), at: ports.time.now() })
  await call(bench, SessionKey('session-1'), reads('src/parser.ts'), 1)
  const [receipt] = await continuity.sessionReceipts(SessionKey('session-1'))
  expect(receipt).toMatchObject({ epoch: 2, source: 'startup', isWarm: false, earlierSessions: [] })
})

test('the daemon computes outcomes once a session is over or silent, and not while it works', async () => {
  await using bench = await aBench()
  const { ports, continuity, store } = bench
  await work(bench)
  await continuity.tick()
  expect(await store.listStartOutcomes({ limit: 5 })).toEqual([])
  ports.time.advance(61_000)
  await continuity.tick()
  const [silent] = await store.listStartOutcomes({ limit: 5 })
  expect(silent).toMatchObject({ sessionKey: 'session-1', calls: 1 })
  await call(bench, SessionKey('session-1'), reads('src/parser.ts'), 1)
  await endSession(bench)
  await continuity.tick()
  expect(await store.listStartOutcomes({ limit: 5 })).toMatchObject([{ sessionKey: 'session-1', calls: 2 }])
})

test('the same events give the same outcome', async () => {
  await using bench = await aBench()
  await aSecondSession(bench)
  const [before] = await bench.continuity.sessionReceipts(SECOND)
  await bench.store.saveStartOutcomes(
    [{ ...before, eventSeq: 0, calls: 0 }].flatMap((receipt) => (before ? [{ ...before, ...receipt }] : [])),
  )
  expect((await bench.continuity.sessionReceipts(SECOND))[0]).toEqual(before)
})

test('a start after a very long one is found, and has its own outcome', async () => {
  await using bench = await aBench()
  await bench.continuity.record({ ...start('session-1', 1), at: bench.ports.time.now() })
  const many = Array.from({ length: 1_100 }, () => anEvent('tool-finished', { cwd: PROJECT }))
  await bench.continuity.recordAll(many)
  await bench.continuity.record({ ...start('session-1', 1, 'compact'), at: bench.ports.time.now() })
  await call(bench, SessionKey('session-1'), reads('src/parser.ts'), 1)
  const receipts = await bench.continuity.sessionReceipts(SessionKey('session-1'))
  expect(receipts.map(({ epoch, calls, filesRead }) => ({ epoch, calls, filesRead }))).toEqual([
    { epoch: 2, calls: 1, filesRead: 1 },
    { epoch: 1, calls: 400, filesRead: 0 },
  ])
})

test('a lost outcome is computed again from the events, and the others stay as they are', async () => {
  await using bench = await aBench()
  await aSecondSession(bench)
  for (const path of ['src/a.ts', 'src/b.ts']) {
    await bench.continuity.record(start('session-2', 2, 'resume'))
    await call(bench, SECOND, edits(path))
  }
  const whole = await bench.continuity.sessionReceipts(SECOND)
  expect(whole.map(({ epoch }) => epoch)).toEqual([3, 2, 1])
  const lost = new Set([2])
  const store: Store = Object.assign(Object.create(bench.store), {
    listStartOutcomes: async (query: Parameters<Store['listStartOutcomes']>[0]) =>
      (await bench.store.listStartOutcomes(query)).filter(({ epoch }) => !lost.has(epoch)),
    saveStartOutcomes: async (receipts: readonly StartOutcome[]) => {
      made.push(...receipts.map(({ epoch }) => epoch))
      lost.clear()
      await bench.store.saveStartOutcomes(receipts)
    },
  })
  const made: number[] = []
  const afterDamage = createContinuity(bench.ports.deps(store))
  expect(await afterDamage.sessionReceipts(SECOND)).toEqual(whole)
  expect([made.includes(2), made.includes(1)]).toEqual([true, false])
  made.length = 0
  expect(await afterDamage.sessionReceipts(SECOND)).toEqual(whole)
  expect(made).toEqual([])
})

/** More sessions than one pass covers, as after an import. */
async function manySessions(bench: Bench, count: number): Promise<void> {
  const at = bench.ports.time.now()
  for (let index = 0; index < count; index += 1) {
    const who = { sessionKey: SessionKey(`many-${index}`), cwd: PROJECT, at }
    await bench.continuity.recordAll([
      anEvent('session-started', { ...who, source: 'startup' }),
      anEvent('tool-finished', who),
      anEvent('session-ended', who),
    ])
  }
}

test('sessions beyond the limit of one query are reported as pending, then settled', async () => {
  await using bench = await aBench()
  await manySessions(bench, 320)
  const stats = async () => {
    const { projects, pendingSessions } = await bench.continuity.stats({ limit: 1 })
    const { warm, cold } = projects[0]?.comparisons[0] ?? {}
    return { starts: (warm?.starts ?? 0) + (cold?.starts ?? 0), pendingSessions }
  }
  expect(await stats()).toEqual({ starts: 300, pendingSessions: 20 })
  expect(await stats()).toEqual({ starts: 320, pendingSessions: 0 })
})

test('a query answers in time with what is settled, and reports the others as pending', async () => {
  await using bench = await aBench()
  await manySessions(bench, 40)
  const { store } = bench
  const save = store.saveStartOutcomes.bind(store)
  store.saveStartOutcomes = (outcomes) => {
    bench.ports.time.advance(100)
    return save(outcomes)
  }
  const pending: number[] = []
  for (let n = 0; n < 4; n += 1) pending.push((await bench.continuity.stats({ limit: 1 })).pendingSessions)
  expect(pending).toEqual([24, 8, 0, 0])
})

test('older sessions are settled over several passes', async () => {
  await using bench = await aBench()
  await manySessions(bench, 130)
  const counts: number[] = []
  for (let look = 0; look < 14; look += 1) {
    await bench.continuity.tick()
    counts.push((await bench.store.listStartOutcomes({ limit: 200 })).length)
  }
  expect([counts[0], counts.at(-1)]).toEqual([20, 130])
})
