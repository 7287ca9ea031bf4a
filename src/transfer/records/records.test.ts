import * as fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { aCheckpoint, aMemory, aPlace, aRule } from '../../../test/contracts/store-examples.ts'
import { aBench, type Bench, endSession, FIRST, work } from '../../../test/support/continuity-setup.ts'
import { CheckpointId, MemoryId, ProjectId, SessionKey } from '../../kernel/id.ts'
import { canonicalJson } from '../../kernel/json-shape.ts'
import { createRecordExport } from './export-records.ts'
import type { DataRecord } from './record.ts'

const open: Bench[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((bench) => bench[Symbol.asyncDispose]()))
})

async function aHome(machine: string, person = 'person-1'): Promise<Bench> {
  const bench = await aBench({ machine, person })
  open.push(bench)
  return bench
}

async function exportAll({ continuity }: Bench): Promise<readonly DataRecord[]> {
  const records: DataRecord[] = []
  for (let position: string | undefined, isFirst = true; isFirst || position !== undefined; isFirst = false) {
    const page = await continuity.exportRecords({ isAll: true, ...(position !== undefined && { position }) })
    records.push(...page.records)
    position = page.position
  }
  // As a file has it.
  return JSON.parse(canonicalJson(records))
}

/** Without the homes that took part, and in one order: what the records say. */
const stateOf = async (bench: Bench) =>
  (await exportAll(bench))
    .filter(({ kind }) => kind !== 'machine')
    .map((record) => canonicalJson(record))
    .toSorted()

const take = (bench: Bench, records: readonly DataRecord[]) => bench.continuity.importRecords({ records })

const PROJECT = ProjectId('project-a')
const [FIRST_MEMORY, SECOND_MEMORY] = [MemoryId('mem-1'), MemoryId('mem-2')]

/** One of everything that is exchanged. */
async function fill(bench: Bench): Promise<void> {
  const { store, continuity } = bench
  await work(bench)
  await endSession(bench)
  await continuity.drain()
  await store.saveLabels(FIRST, { title: 'Form feeds', tags: ['parser'], isPinned: true })
  await store.saveMemory(aMemory('We use pnpm', { id: FIRST_MEMORY, hits: 3 }))
  await store.saveMemory(aMemory('We use npm now', { id: SECOND_MEMORY, supersedes: FIRST_MEMORY }))
  await store.saveDraft({
    state: 'proposed',
    at: '2026-01-02T03:00:00.000Z',
    memory: aMemory('Tabs', { id: MemoryId('mem-3') }),
  })
  await store.saveRules([aRule('Never push to main.', { id: 'rule-1' })])
  await store.saveEntity({
    projectId: PROJECT,
    name: 'parse',
    type: 'function',
    file: 'a.ts',
    lastSeenAt: '2026-01-02T03:00:00.000Z',
  })
  await store.saveSummary({
    id: 'sum-1',
    projectId: PROJECT,
    worktree: '/home/dev/a',
    summary: 'The parser keeps form feeds.',
    filesChanged: ['a.ts'],
    entitiesRegistered: [],
    checklistProgress: {},
    savedAt: '2026-01-02T03:00:00.000Z',
  })
  await store.saveIntent({
    id: 'intent-1',
    projectId: PROJECT,
    worktree: '/home/dev/a',
    sessionLabel: 'one',
    intent: 'Change the parser',
    files: ['a.ts'],
    startedAt: '2026-01-02T03:00:00.000Z',
  })
  await store.saveLocation({
    machineId: bench.ports.machine.hostId,
    location: '/home/dev/a',
    projectId: PROJECT,
    remotes: ['example.com/team/a'],
    rootCommit: 'c'.repeat(40),
    commits: [],
    lastSeenAt: '2026-01-02T03:00:00.000Z',
  })
  // Saved by name, by a session that has no row: as in a handoff.
  await store.saveCheckpoint(
    aCheckpoint('lone', { id: CheckpointId('cp-named'), name: 'before the release', place: aPlace() }),
  )
}

test('everything that is durable is exported, and the export of an empty home that imported it is equal', async () => {
  const desk = await aHome('desk')
  await fill(desk)
  const exported = await exportAll(desk)
  expect(new Set(exported.map(({ kind }) => kind))).toEqual(
    new Set([
      'machine',
      'location',
      'memory',
      'rule',
      'summary',
      'entity',
      'intent',
      'checkpoint',
      'session',
      'labels',
      'event',
    ]),
  )
  const laptop = await aHome('laptop')
  expect(await take(laptop, exported)).toEqual({
    stored: exported.length,
    known: 0,
    refused: 0,
    authors: [],
    newMachines: [{ id: 'desk', name: 'desk' }],
  })
  expect(await take(laptop, exported)).toMatchObject({ stored: 0, known: exported.length })
  expect(await stateOf(laptop)).toEqual(await stateOf(desk))
  const session = await laptop.store.findSession(FIRST)
  expect(session).toMatchObject({ phase: 'ended', machine: { id: 'desk' }, origin: { principal: 'person-1' } })
  expect(session?.labels).toEqual({ title: 'Form feeds', tags: ['parser'], isPinned: true })
  // What belongs to a disk or a process stays.
  expect(session?.process).toBeUndefined()
  expect(canonicalJson(exported)).not.toContain('"pid"')
})

test('any order and number of arrivals gives the same state', async () => {
  const desk = await aHome('desk')
  await fill(desk)
  const first = await exportAll(desk)
  // Later changes of the same things, on two machines that did not meet meanwhile.
  const laptop = await aHome('laptop')
  await take(laptop, first)
  await desk.continuity.editMemory({ id: SECOND_MEMORY, cwd: '/project', tags: ['tools'], isPinned: true })
  await laptop.continuity.editMemory({ id: SECOND_MEMORY, cwd: '/project', importance: 9 })
  await laptop.continuity.forget(MemoryId('mem-1'))
  await laptop.store.saveRules([
    aRule('Never push to main.', { id: 'rule-1', state: 'retired', retiredAt: '2026-01-03T00:00:00.000Z' }),
  ])
  await desk.store.completeIntents({
    projectId: PROJECT,
    sessionLabel: 'one',
    completedAt: '2026-01-03T00:00:00.000Z',
    outcome: 'done',
  })
  await laptop.store.deleteEntities({ projectId: PROJECT, name: 'parse' })
  await desk.store.deleteCheckpoint(CheckpointId('cp-named'))
  await laptop.store.saveLabels(FIRST, { title: 'Form feeds, again', tags: [], isPinned: false })
  const all = [...first, ...(await exportAll(desk)), ...(await exportAll(laptop))]
  await take(desk, all)
  await take(laptop, all)
  const expected = await stateOf(desk)
  expect(await stateOf(laptop)).toEqual(expected)
  expect(expected.join('\n')).toContain('Form feeds, again')
  expect(expected.join('\n')).not.toContain('We use pnpm')
  // A control: without the last machine's records the state is another one.
  const control = await aHome('control')
  await take(control, first)
  expect(await stateOf(control)).not.toEqual(expected)

  let replica = 0
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(all, { minLength: all.length }),
      fc.subarray(all),
      fc.integer({ min: 1, max: 9 }),
      async (records, repeated, size) => {
        replica += 1
        await using bench = await aBench({ machine: `replica-${replica}`, person: 'person-1' })
        const events = (record: DataRecord) => record.kind === 'event'
        // Events of one session come in the order of its machine's log.
        const arriving = [...records.filter((record) => !events(record)), ...repeated]
        const log = all.filter(events)
        arriving.splice(records.length % (arriving.length || 1), 0, ...log)
        for (let at = 0; at < arriving.length; at += size) await take(bench, arriving.slice(at, at + size))
        expect(await stateOf(bench)).toEqual(expected)
      },
    ),
    { numRuns: 8 },
  )
})

test('a forgotten memory does not come back from an older export, and a restored one does', async () => {
  const desk = await aHome('desk')
  await fill(desk)
  const old = await exportAll(desk)
  await desk.continuity.forget(SECOND_MEMORY)
  expect(await take(desk, old)).toMatchObject({ stored: 0 })
  expect(await desk.store.findMemory(SECOND_MEMORY)).toBeUndefined()
  const laptop = await aHome('laptop')
  await take(laptop, old)
  await take(laptop, await exportAll(desk))
  expect(await laptop.store.findMemory(SECOND_MEMORY)).toBeUndefined()
  expect((await laptop.store.findDraft(SECOND_MEMORY))?.state).toBe('forgotten')
  await desk.continuity.restoreMemories({ ids: [SECOND_MEMORY] })
  await take(laptop, await exportAll(desk))
  expect((await laptop.store.findMemory(SECOND_MEMORY))?.content).toBe('We use npm now')
  expect(await stateOf(laptop)).toEqual(await stateOf(desk))
})

test('what another person wrote keeps its author, and their name is reported', async () => {
  const theirs = await aHome('their-desk', 'person-2')
  await fill(theirs)
  const mine = await aHome('my-desk')
  const answer = await take(mine, await exportAll(theirs))
  expect(answer.authors).toEqual([{ id: 'person-2', name: 'dev@desk' }])
  const author = { principal: 'person-2', machine: { id: 'their-desk', name: 'desk' } }
  expect((await mine.store.findMemory(SECOND_MEMORY))?.origin).toEqual(author)
  expect((await mine.store.findRule('rule-1'))?.origin).toEqual(author)
  expect((await mine.store.listLocations({ projectId: PROJECT }))[0]?.origin?.principal).toBe('person-2')
  expect((await mine.store.findSession(FIRST))?.origin).toEqual(author)
})

test('what was erased does not come back from an old export, and is erased on the other machine too', async () => {
  const desk = await aHome('desk')
  await fill(desk)
  await desk.continuity.remember({
    content: 'Quokka branch',
    cwd: '/project',
    source: 'cli',
    session: { harness: 'claude-code', sessionKey: SessionKey('session-1') },
  })
  await desk.continuity.drain()
  const old = await exportAll(desk)
  const laptop = await aHome('laptop')
  await take(laptop, old)
  await endSession(desk)
  const report = await desk.continuity.erase({ session: SessionKey('session-1') })
  expect([report.sessions, report.memories]).toEqual([1, 1])
  const refused = await take(desk, old)
  expect(refused.stored).toBe(0)
  expect(refused.refused).toBe(old.filter((record) => canonicalJson(record).includes('session-1')).length)
  expect(await desk.store.findSession(FIRST)).toBeUndefined()
  const after = await exportAll(desk)
  expect(canonicalJson(after)).not.toMatch(/Quokka|blank lines|session-1/)
  // A late machine: it has the session until it gets the tombstone, and refuses it from then on.
  expect(await laptop.store.findSession(FIRST)).toBeDefined()
  await take(laptop, after)
  expect(await laptop.store.findSession(FIRST)).toBeUndefined()
  expect(await take(laptop, old)).toMatchObject({ stored: 0, refused: refused.refused })
  expect(canonicalJson(await exportAll(laptop))).not.toMatch(/Quokka|blank lines|session-1/)
})

test('a tombstone erases nothing of another person, and one with another signature nothing at all', async () => {
  const desk = await aHome('desk')
  await fill(desk)
  const old = await exportAll(desk)
  const theirs = await aHome('their-desk', 'person-2')
  await take(theirs, old)
  await theirs.continuity.erase({ session: SessionKey('session-1') })
  const tombstones = (await exportAll(theirs)).filter(({ kind }) => kind === 'tombstone')
  expect(tombstones).toHaveLength(1)
  await desk.continuity.importRecords({ records: tombstones, acceptErasures: true })
  expect(await desk.store.listTombstones()).toHaveLength(1)
  expect(await desk.store.findSession(FIRST)).toBeDefined()
  const laptop = await aHome('laptop')
  await take(laptop, old)
  await desk.continuity.erase({ isPerson: true })
  const [own] = (await exportAll(desk)).filter(
    ({ kind, value }) => kind === 'tombstone' && 'principal' in value && value.principal === 'person-1',
  )
  if (own?.kind !== 'tombstone') throw new Error('no tombstone was written')
  const forged = { ...own, value: { ...own.value, digests: [...own.value.digests, 'f'.repeat(64)] } }
  for (const acceptErasures of [false, true])
    expect(await laptop.continuity.importRecords({ records: [forged], acceptErasures })).toMatchObject({
      stored: 0,
      skippedErasures: { unknown: 0, invalid: 1 },
    })
  expect(await laptop.store.findSession(FIRST)).toBeDefined()
  expect(await take(laptop, [own])).toMatchObject({ stored: 1 })
  expect(await laptop.store.findSession(FIRST)).toBeUndefined()
  expect(await laptop.store.listMemories({ includeSuperseded: true, limit: 9 })).toEqual([])
  expect(await laptop.store.findRule('rule-1')).toBeUndefined()
})

test('a file with this person in it erases nothing unless its machine was known before, or the person accepts it', async () => {
  const desk = await aHome('desk')
  await fill(desk)
  // Knows every id, names this person, and signs with a key of its own.
  const forger = await aHome('forger')
  await take(forger, await exportAll(desk))
  await forger.continuity.erase({ isPerson: true })
  const forged = (await exportAll(forger)).filter(
    ({ kind, value }) => kind === 'tombstone' || (kind === 'machine' && 'id' in value && value.id === 'forger'),
  )
  expect(forged.map(({ kind }) => kind)).toEqual(['machine', 'tombstone'])
  const before = await stateOf(desk)
  const answer = await take(desk, forged)
  expect(answer).toMatchObject({ stored: 1, newMachines: [{ id: 'forger' }] })
  expect(answer.skippedErasures).toEqual({
    unknown: 1,
    invalid: 0,
    machines: ['forger'],
    sessions: 1,
    memories: 3,
    rules: 1,
  })
  expect(await stateOf(desk)).toEqual(before)
  expect(await desk.store.listTombstones()).toEqual([])
  // What its tombstone names may still be stored.
  const laptop = await aHome('laptop')
  await take(laptop, forged)
  expect(await take(laptop, await exportAll(desk))).toMatchObject({ refused: 0 })
  // Another key than the machine is known by.
  const [machine, tombstone] = forged
  if (machine?.kind !== 'machine' || tombstone?.kind !== 'tombstone') throw new Error('nothing was forged')
  const copy = await aHome('copy')
  await copy.store.saveMachine({ ...machine.value, publicKey: 'another' })
  expect(await copy.continuity.importRecords({ records: [tombstone], acceptErasures: true })).toMatchObject({
    stored: 0,
    skippedErasures: { invalid: 1 },
  })
  const another = await aHome('another-desk')
  await take(another, await exportAll(desk))
  expect(await another.continuity.importRecords({ records: [tombstone], acceptErasures: true })).toMatchObject({
    stored: 1,
  })
  expect(await another.store.findSession(FIRST)).toBeUndefined()
})

test('hooks have their turn while everything is listed', async () => {
  const { store, ports: fakes } = await aHome('desk')
  const ports = fakes.deps(store)
  for (let at = 0; at < 1_000; at += 1) await store.saveMemory(aMemory(`Fact ${at}`, { id: MemoryId(`mem-${at}`) }))
  const redactor = await ports.redactors.forWorktree(undefined)
  const redactions: number[] = []
  let isOver = false
  const nextTurn = () => {
    redactions.push(0)
    if (!isOver) setImmediate(nextTurn)
  }
  nextTurn()
  const note = <Result>(result: Result): Result => {
    redactions.push((redactions.pop() ?? 0) + 1)
    return result
  }
  const counted = {
    ...redactor,
    redact: (text: string) => note(redactor.redact(text)),
    redactAll: (texts: readonly string[]) => note(redactor.redactAll(texts)),
  }
  const listing = createRecordExport({ ...ports, redactors: { forWorktree: async () => counted } })
  expect(await listing.listThings()).toHaveLength(1_001)
  isOver = true
  const all = redactions.reduce((sum, count) => sum + count, 0)
  expect(Math.max(...redactions)).toBeLessThan(all / 4)
})
