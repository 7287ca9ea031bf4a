import { expect, test } from 'vitest'
import { aBench, type Bench, endOf, PROJECT, start, told, work } from '../../test/support/continuity-bench.ts'
import { anEvent } from '../../test/support/events.ts'
import { DEFAULT_CONFIG } from '../kernel/config.ts'
import type { EventOf, ToolCall } from '../kernel/event.ts'
import { SessionId, SessionKey } from '../kernel/id.ts'
import type { Store } from '../kernel/ports/ports.ts'
import type { Receipt } from '../kernel/start-outcome.ts'
import { createContinuity } from '../app/create-continuity.ts'

const SECOND = SessionKey('session-2')

function call(bench: Bench, key: SessionKey, tool: Partial<ToolCall>, pid = 2) {
  const event: Partial<EventOf<'tool-finished'>> = {
    sessionKey: key,
    cwd: PROJECT,
    process: { pid },
    at: bench.world.time.now(),
    tool: { name: 'Tool', kind: 'other', files: [], ...tool },
    outcome: { ok: true },
  }
  return bench.continuity.record(anEvent('tool-finished', event))
}

const reads = (path: string): Partial<ToolCall> => ({ kind: 'read', files: [{ path, action: 'read' }] })
const edits = (path: string): Partial<ToolCall> => ({ kind: 'edit', files: [{ path, action: 'edited' }] })
const runs = (command: string): Partial<ToolCall> => ({ kind: 'shell', command })

/** A session reads two files, runs the tests, edits the parser and dies; the next one is told, and does some of it again. */
async function aSecondSession(bench: Bench) {
  const { world, continuity } = bench
  world.files.set(`${PROJECT}/src/parser.ts`, 'parser')
  world.files.set(`${PROJECT}/src/lexer.ts`, 'lexer')
  await work(bench)
  const first = SessionKey('session-1')
  await call(bench, first, reads('src/lexer.ts'), 1)
  await call(bench, first, runs('npm test'), 1)
  await endOf(bench)
  await continuity.drain()
  const text = await told(bench, start('session-2', 2))
  expect(text).toContain('src/parser.ts')
  world.time.advance(4_000)
  await continuity.record(
    anEvent('prompt-submitted', { sessionKey: SECOND, cwd: PROJECT, at: world.time.now(), prompt: 'Go on.' }),
  )
  world.time.advance(6_000)
  await call(bench, SECOND, reads('src/lexer.ts'))
  await call(bench, SECOND, reads('src/other.ts'))
  await call(bench, SECOND, runs('npm test'))
  await call(bench, SECOND, edits('src/parser.ts'))
  await call(bench, SECOND, runs('npm test'))
}

test('a limit counts the starts that are shown: those after which nothing was done are left out', async () => {
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

test('a recovered session has a receipt of what it did again, and the first one is a cold start', async () => {
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
    caution: 'Too few to compare (1 warm, 1 cold; 10 of each are the least).',
  })
  expect(scorer.sections.every(({ factor }) => factor === 1)).toBe(true)
})

test('the ledger says what was told, at what cost, and which lines were used', async () => {
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

test('a file that changed since is read again for a reason', async () => {
  await using bench = await aBench()
  const { world, continuity } = bench
  world.files.set(`${PROJECT}/src/parser.ts`, 'parser')
  await work(bench)
  await endOf(bench)
  await continuity.drain()
  world.files.set(`${PROJECT}/src/parser.ts`, 'somebody else was here')
  await told(bench, start('session-2', 2))
  await call(bench, SECOND, reads('src/parser.ts'))
  const [receipt] = await continuity.sessionReceipts(SECOND)
  expect(receipt?.rework?.filesReread).toEqual([{ path: 'src/parser.ts', standing: 'changed', isEditedAfter: false }])
  expect(receipt?.rework?.ratio).toBe(0)
})

test('each compaction has its own receipt, compared with the session itself', async () => {
  await using bench = await aBench()
  const { world, continuity } = bench
  world.files.set(`${PROJECT}/src/parser.ts`, 'parser')
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

test('a compaction after a first look is the second start, not the first again', async () => {
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

test('what happens while a session is being looked at waits for the next look', async () => {
  await using bench = await aBench()
  const { world, store } = bench
  const key = SessionKey('session-1')
  await work(bench)
  const then = await store.findSessionsByKey(key)
  await told(bench, start('session-1', 1, 'compact'))
  await call(bench, key, edits('src/a.ts'), 1)
  const behind: Store = Object.assign(Object.create(store), { findSessionsByKey: async () => then })
  const seen = await createContinuity(world.deps(behind)).sessionReceipts(key)
  expect(seen.map(({ epoch, calls }) => ({ epoch, calls }))).toEqual([{ epoch: 1, calls: 1 }])
  expect((await bench.continuity.sessionReceipts(key)).map(({ epoch }) => epoch)).toEqual([2, 1])
})

test('what was found done again stands after the checkpoints are gone that it was compared with', async () => {
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
  const { continuity, world } = bench
  await work(bench)
  await endOf(bench)
  await continuity.drain()
  await continuity.record({ ...start('session-2', 2), at: world.time.now() })
  const third = { sessionKey: SessionKey('session-3'), cwd: PROJECT, process: { pid: 3 } }
  await continuity.record({ ...start('session-3', 3), at: world.time.now() })
  await call(bench, third.sessionKey, edits('src/late.ts'), 3)
  await continuity.record(anEvent('session-ended', { ...third, at: world.time.now() }))
  await continuity.drain()
  await call(bench, SECOND, reads('src/parser.ts'))
  const [receipt] = await continuity.sessionReceipts(SECOND)
  expect(receipt?.earlierSessions).toEqual(['claude-code/session-1'])
})

test('a session that begins anew under its old key is not compared with itself', async () => {
  await using bench = await aBench()
  const { continuity, world } = bench
  await work(bench)
  await endOf(bench)
  await continuity.drain()
  await continuity.record({ ...start('session-1', 1), at: world.time.now() })
  await call(bench, SessionKey('session-1'), reads('src/parser.ts'), 1)
  const [receipt] = await continuity.sessionReceipts(SessionKey('session-1'))
  expect(receipt).toMatchObject({ epoch: 2, source: 'startup', isWarm: false, earlierSessions: [] })
})

test('the daemon makes receipts by itself once a session is over or silent, and not while it works', async () => {
  await using bench = await aBench()
  const { world, continuity, store } = bench
  await work(bench)
  await continuity.tick()
  expect(await store.listReceipts({ limit: 5 })).toEqual([])
  world.time.advance(61_000)
  await continuity.tick()
  const [silent] = await store.listReceipts({ limit: 5 })
  expect(silent).toMatchObject({ sessionKey: 'session-1', calls: 1 })
  await call(bench, SessionKey('session-1'), reads('src/parser.ts'), 1)
  await endOf(bench)
  await continuity.tick()
  expect(await store.listReceipts({ limit: 5 })).toMatchObject([{ sessionKey: 'session-1', calls: 2 }])
})

test('made again from the same events, a receipt is the same', async () => {
  await using bench = await aBench()
  await aSecondSession(bench)
  const [before] = await bench.continuity.sessionReceipts(SECOND)
  await bench.store.keepReceipts(
    [{ ...before, eventSeq: 0, calls: 0 }].flatMap((receipt) => (before ? [{ ...before, ...receipt }] : [])),
  )
  expect((await bench.continuity.sessionReceipts(SECOND))[0]).toEqual(before)
})

/** Sessions that were shown files being edited and never opened one of them. */
async function unusedEdits({ store }: Bench, count: number): Promise<void> {
  const [receipt] = await store.listReceipts({ limit: 1 })
  if (receipt === undefined) throw new Error('there is no receipt to go by')
  const labels = [{ section: 'edited', shown: 3, used: 0 }]
  const past = Array.from({ length: count }, (_, index) => ({
    ...receipt,
    sessionId: SessionId(`claude-code/past-${index}`),
    startSeq: 1,
    labels,
  }))
  await store.keepReceipts(past)
}

/** Another daemon on the same store: what it learnt is what is kept. */
function restarted(bench: Bench): Bench {
  return { ...bench, continuity: createContinuity(bench.world.deps(bench.store)) }
}

async function scoreOf(bench: Bench, isEnabled: boolean): Promise<number | undefined> {
  bench.world.config = { ...DEFAULT_CONFIG, scorer: { enabled: isEnabled } }
  const { reasons } = await bench.continuity.previewRecovery({ cwd: PROJECT })
  return reasons.find(({ section }) => section === 'edited')?.score
}

test('what many sessions did not use is worth less where the scorer is on, and what few did not is worth the same', async () => {
  await using bench = await aBench()
  await work(bench)
  await endOf(bench)
  await bench.continuity.stats({ limit: 1 })
  const before = await scoreOf(bench, true)
  expect(before).toBeGreaterThan(0)
  await unusedEdits(bench, 2)
  expect(await scoreOf(restarted(bench), true)).toBe(before)
  await unusedEdits(bench, 12)
  const last = restarted(bench)
  expect(await scoreOf(last, true)).toBeLessThan((before ?? 0) * 0.6)
  expect(await scoreOf(last, false)).toBe(before)
})

test('a start after a very long one is found, and has its own receipt', async () => {
  await using bench = await aBench()
  await bench.continuity.record({ ...start('session-1', 1), at: bench.world.time.now() })
  const many = Array.from({ length: 1_100 }, () => anEvent('tool-finished', { cwd: PROJECT }))
  await bench.continuity.recordAll(many)
  await bench.continuity.record({ ...start('session-1', 1, 'compact'), at: bench.world.time.now() })
  await call(bench, SessionKey('session-1'), reads('src/parser.ts'), 1)
  const receipts = await bench.continuity.sessionReceipts(SessionKey('session-1'))
  expect(receipts.map(({ epoch, calls, filesRead }) => ({ epoch, calls, filesRead }))).toEqual([
    { epoch: 2, calls: 1, filesRead: 1 },
    { epoch: 1, calls: 400, filesRead: 0 },
  ])
})

test('a receipt that the disk damaged is made again from the events, and those around it stay as they are', async () => {
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
    listReceipts: async (query: Parameters<Store['listReceipts']>[0]) =>
      (await bench.store.listReceipts(query)).filter(({ epoch }) => !lost.has(epoch)),
    keepReceipts: async (receipts: readonly Receipt[]) => {
      made.push(...receipts.map(({ epoch }) => epoch))
      lost.clear()
      await bench.store.keepReceipts(receipts)
    },
  })
  const made: number[] = []
  const afterDamage = createContinuity(bench.world.deps(store))
  expect(await afterDamage.sessionReceipts(SECOND)).toEqual(whole)
  expect([made.includes(2), made.includes(1)]).toEqual([true, false])
  made.length = 0
  expect(await afterDamage.sessionReceipts(SECOND)).toEqual(whole)
  expect(made).toEqual([])
})

/** More sessions than are looked at when they end: an import, or a daemon that was away. */
async function manySessions(bench: Bench, count: number): Promise<void> {
  const at = bench.world.time.now()
  for (let index = 0; index < count; index += 1) {
    const who = { sessionKey: SessionKey(`many-${index}`), cwd: PROJECT, at }
    await bench.continuity.recordAll([
      anEvent('session-started', { ...who, source: 'startup' }),
      anEvent('tool-finished', who),
      anEvent('session-ended', who),
    ])
  }
}

test('of more sessions than one question looks at, the rest is said to be missing, and is not for long', async () => {
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

test('those that many later ones stood before are looked at by and by', async () => {
  await using bench = await aBench()
  await manySessions(bench, 130)
  const counts: number[] = []
  for (let look = 0; look < 14; look += 1) {
    await bench.continuity.tick()
    counts.push((await bench.store.listReceipts({ limit: 200 })).length)
  }
  expect([counts[0], counts.at(-1)]).toEqual([20, 130])
})
