import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../src/kernel/event.ts'
import type { Injection } from '../../src/kernel/injection.ts'
import type { RetentionPolicy, Store } from '../../src/kernel/ports/ports.ts'
import { aCheckpoint, anEnd, aPlace, aPrompt, aStart, aTurnEnd, CADENCE, idOf, START } from './store-examples.ts'
import type { OpenStoreForTest } from './store-contract.ts'

const daysAgo = (days: number): string => new Date(Date.parse(START) - days * 86_400_000).toISOString()
const POLICY: RetentionPolicy = { now: START, retentionDays: 30, sliceRows: 500 }

async function keepAll(store: Store, events: readonly SessionEvent[]): Promise<void> {
  await store.append(
    events.map((event) => ({ event, location: aPlace() })),
    CADENCE,
  )
}

/** A session of three events that ended so many days ago. */
function anEndedSession(name: string, days: number): readonly SessionEvent[] {
  const at = daysAgo(days)
  return [aStart(name, { at }), aPrompt(name, { at }), anEnd(name, { at })]
}

async function seqsLeft(store: Store, afterSeq?: number): Promise<readonly number[]> {
  return (await store.listEvents({ afterSeq, limit: 1_000 })).map(({ seq }) => seq)
}

function anInjection(name: string, days: number): Injection {
  const told = { chars: 10, textHash: 'abc', sources: [], reasons: [] }
  return { sessionId: idOf(name), at: daysAgo(days), kind: 'memories', epoch: 1, ...told }
}

export function pruneEventsContract(open: OpenStoreForTest): void {
  describe('pruning the log', () => {
    test('has nothing to do in an empty store', async () => {
      await using opened = await open()
      expect(await opened.store.pruneEvents(POLICY)).toBe(0)
      expect(await opened.store.pruneLedgers(POLICY)).toBe(0)
      expect(await opened.store.verify()).toEqual([])
    })

    test('lets go of old events from the beginning, up to the first that is young', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, [
        ...anEndedSession('old', 40),
        ...anEndedSession('young', 29),
        ...anEndedSession('late', 40),
      ])
      expect(await store.pruneEvents(POLICY)).toBe(3)
      expect(await seqsLeft(store)).toEqual([4, 5, 6, 7, 8, 9])
      expect(await store.pruneEvents(POLICY)).toBe(0)
      expect(await store.verify()).toEqual([])
      expect(await store.counts()).toMatchObject({ events: 6, sessions: 3 })
    })

    test('keeps everything from the first event of a session that is in use', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, [
        ...anEndedSession('old', 50),
        aStart('live', { at: daysAgo(45) }),
        ...anEndedSession('behind', 40),
        aPrompt('live', { at: daysAgo(2) }),
      ])
      expect(await store.pruneEvents(POLICY)).toBe(3)
      expect(await seqsLeft(store)).toEqual([4, 5, 6, 7, 8])
      await store.markInterrupted(idOf('live'), daysAgo(1))
      expect(await store.pruneEvents(POLICY)).toBe(4)
      expect(await seqsLeft(store)).toEqual([8])
      expect(await store.verify()).toEqual([])
    })

    test('a session that never ended does not hold the log once it is silent for as long, nor does a lost one', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, [
        aStart('silent', { at: daysAgo(40) }),
        aPrompt('silent', { at: daysAgo(31) }),
        aStart('lost', { at: daysAgo(35) }),
      ])
      await opened.tamper(`delete from sessions where id = '${idOf('lost')}'`)
      expect(await store.pruneEvents(POLICY)).toBe(3)
      expect(await store.verify()).toEqual([])
    })

    test('an event from the future holds nobody up, and goes with the next that is old', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, [
        ...anEndedSession('mistimed', -9_000),
        ...anEndedSession('old', 40),
        ...anEndedSession('mistimed too', -9_000),
        ...anEndedSession('young', 2),
      ])
      expect(await store.pruneEvents(POLICY)).toBe(6)
      expect(await seqsLeft(store)).toEqual([7, 8, 9, 10, 11, 12])
      expect(await store.pruneEvents(POLICY)).toBe(0)
      expect(await store.verify()).toEqual([])
    })

    test('takes no more than a slice at a time', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(
        store,
        ['a', 'b', 'c'].flatMap((name) => anEndedSession(name, 90)),
      )
      const slices: number[] = []
      for (let taken = -1; taken !== 0; slices.push(taken)) {
        taken = await store.pruneEvents({ ...POLICY, sliceRows: 4 })
        expect(await store.verify()).toEqual([])
      }
      expect(slices).toEqual([4, 4, 1, 0])
    })

    test('numbers and chain go on where they were, also after the whole log is gone', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, anEndedSession('old', 40))
      const [last] = (await store.listEvents({ limit: 9 })).slice(-1)
      expect(await store.pruneEvents(POLICY)).toBe(3)
      expect(await store.lastSeq()).toBe(3)
      expect(await store.listEvents({ limit: 9 })).toEqual([])
      const [appended] = await store.append([{ event: aStart('new') }], CADENCE)
      expect(appended).toMatchObject({ seq: 4, isNew: true })
      expect(await store.verify()).toEqual([])
      expect(await seqsLeft(store)).toEqual([4])
      await opened.tamper(`update log_head set anchor_hash = '${last?.hash.replace(/^./, 'g')}'`)
      expect((await store.verify()).map(({ detail }) => detail)).toEqual([
        expect.stringMatching(/^Event 4 .* does not follow event 3\.$/),
      ])
    })

    test('a reader who is behind goes on with what is left', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, [...anEndedSession('old', 40), ...anEndedSession('young', 1)])
      await store.pruneEvents(POLICY)
      expect(await seqsLeft(store, 0)).toEqual([4, 5, 6])
      expect(await seqsLeft(store, 2)).toEqual([4, 5, 6])
      expect(await seqsLeft(store, 4)).toEqual([5, 6])
      expect(await store.listEvents({ sessionId: idOf('old'), limit: 9 })).toEqual([])
    })

    test('what is left is still known, what is gone is not', async () => {
      await using opened = await open()
      const { store } = opened
      const old = anEndedSession('old', 40)
      const young = anEndedSession('young', 1)
      await keepAll(store, [...old, ...young])
      await store.pruneEvents(POLICY)
      expect(await store.knownEvents([...old, ...young].map(({ id }) => id))).toEqual(young.map(({ id }) => id))
      const again = await store.append(
        young.map((event) => ({ event })),
        CADENCE,
      )
      expect(again.map(({ seq, isNew }) => ({ seq, isNew }))).toEqual([4, 5, 6].map((seq) => ({ seq, isNew: false })))
      expect(await store.lastSeq()).toBe(6)
    })

    test.each<[string, string, RegExp]>([
      [
        'changed',
        `update events set body = replace(body, 'failing', 'passing') where seq = 5`,
        /^Event 5 .* is damaged/,
      ],
      ['missing, the first one left', 'delete from events where seq = 4', /^Events 4 to 4 are missing\.$/],
      ['missing, in the middle', 'delete from events where seq = 5', /^Events 5 to 5 are missing\.$/],
      [
        'missing, at the end',
        'delete from events where seq = 6',
        /^The log should end at 6, and its last event is 5\.$/,
      ],
      ['missing, all of them', 'delete from events', /^The log should end at 6, and its last event is 3\.$/],
      [
        'left before an anchor that somebody moved',
        'update log_head set anchor_seq = 5, anchor_hash = (select hash from events where seq = 5)',
        /^The log should start after 5, and its first event is 4\.$/,
      ],
    ])('after the anchor an event that is %s is still found', async (_, statement, detail) => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, [...anEndedSession('old', 40), ...anEndedSession('young', 1)])
      await store.pruneEvents(POLICY)
      await opened.tamper(statement)
      expect((await store.verify()).map((finding) => finding.detail)).toEqual([expect.stringMatching(detail)])
    })

    test('goes on while events come in, without a gap', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, Array.from({ length: 20 }, (_, index) => anEndedSession(`old${index}`, 40)).flat())
      const calls = Array.from({ length: 10 }, async (_, index) => {
        const pruned = await store.pruneEvents({ ...POLICY, sliceRows: 7 })
        await store.append([{ event: aPrompt(`new${index}`) }], CADENCE)
        return pruned
      })
      const [pruned, findings] = await Promise.all([Promise.all(calls), store.verify()])
      expect(pruned.reduce((sum, count) => sum + count, 0)).toBe(60)
      expect(findings).toEqual([])
      expect(await store.verify()).toEqual([])
      expect(await seqsLeft(store)).toEqual(Array.from({ length: 10 }, (_, index) => 61 + index))
    })

    test('sessions and checkpoints stay', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, anEndedSession('old', 40))
      const checkpoint = aCheckpoint('old', { createdAt: daysAgo(40), eventSeq: 3 })
      await store.saveCheckpoint(checkpoint)
      expect(await store.pruneEvents(POLICY)).toBe(3)
      expect(await store.findSession(idOf('old'))).toMatchObject({ phase: 'ended', promptCount: 1 })
      const kept = await store.listCheckpoints({ sessionId: idOf('old'), limit: 5 })
      expect(kept.map((stored) => stored.checkpoint)).toEqual([checkpoint])
    })
  })

  describe('pruning the ledgers', () => {
    test('injections go by their age, oldest first, a slice at a time', async () => {
      await using opened = await open()
      const { store } = opened
      const [oldest, old, young] = [anInjection('a', 60), anInjection('b', 31), anInjection('c', 29)]
      for (const injection of [old, oldest, young]) await store.recordInjection(injection)
      expect(await store.pruneLedgers({ ...POLICY, sliceRows: 1 })).toBe(1)
      expect(await store.listInjections({ limit: 9 })).toEqual([young, old])
      expect(await store.pruneLedgers(POLICY)).toBe(1)
      expect(await store.listInjections({ limit: 9 })).toEqual([young])
      expect(await store.pruneLedgers(POLICY)).toBe(0)
    })

    test('an injection after a recent one is not older, even if the clock was behind', async () => {
      await using opened = await open()
      const { store } = opened
      const kept = [anInjection('a', 29), anInjection('b', 430)]
      for (const injection of [anInjection('c', 31), ...kept]) await store.recordInjection(injection)
      expect(await store.pruneLedgers(POLICY)).toBe(1)
      expect(await store.listInjections({ limit: 9 })).toEqual(kept.toReversed())
    })

    test('work goes once its session is over and has no event left, and how far it was read stays', async () => {
      await using opened = await open()
      const { store } = opened
      await keepAll(store, [
        ...anEndedSession('over', 40),
        aStart('silent', { at: daysAgo(40) }),
        ...anEndedSession('back', 39),
        aTurnEnd('back', { at: daysAgo(1) }),
      ])
      const snapshot = (name: string, eventSeq: number) => ({
        sessionId: idOf(name),
        eventSeq,
        transcriptOffset: 700,
        state: '{"asks":["all of them"]}',
      })
      const kept = [snapshot('over', 3), snapshot('silent', 4), snapshot('back', 7)]
      for (const work of kept) await store.saveWork(work)
      expect(await store.pruneLedgers(POLICY)).toBe(0)
      await store.pruneEvents(POLICY)
      expect(await store.pruneLedgers(POLICY)).toBe(1)
      expect(await store.pruneLedgers(POLICY)).toBe(0)
      expect(await Promise.all(kept.map(({ sessionId }) => store.findWork(sessionId)))).toEqual([
        { ...snapshot('over', 3), state: '' },
        ...kept.slice(1),
      ])
      const owesWork = async (name: string) => (await store.findSession(idOf(name)))?.hasNewWork
      expect([await owesWork('over'), await owesWork('back')]).toEqual([false, true])
    })
  })
}
