import { describe, expect, test } from 'vitest'
import { EVENT_KINDS, getSessionId } from '../../src/kernel/event.ts'
import { EventId, SessionId } from '../../src/kernel/id.ts'
import { advance } from '../../src/kernel/session.ts'
import { aPlace, aPrompt, aStart, aTurnEnd, anEnd, CADENCE, HARNESS, idOf, kindsOf } from './store-examples.ts'
import { anEvent } from '../support/events.ts'
import type { OpenStoreForTest } from './store-contract.ts'

export function logContract(open: OpenStoreForTest): void {
  describe('the event log', () => {
    test('is empty at first', async () => {
      await using opened = await open()
      const { store } = opened
      expect(await store.lastSeq()).toBe(0)
      expect(await store.listEvents({ limit: 10 })).toEqual([])
      expect(await store.knownEvents([EventId('nobody')])).toEqual([])
      expect(await store.append([], CADENCE)).toEqual([])
      expect(await store.counts()).toEqual({ events: 0, sessions: 0, checkpoints: 0, memories: 0 })
      expect(await store.verify()).toEqual([])
    })

    test('an event is kept whole and its session advanced with it', async () => {
      await using opened = await open()
      const { store } = opened
      const event = aStart('a', { cwd: '/home/dev/a', process: { pid: 7, startedAt: 'boot+1' }, model: 'm1' })
      const place = aPlace()
      const appended = await store.append([{ event, location: place }], CADENCE)
      const { session, effects } = advance(undefined, event, { seq: 1, location: place, cadence: CADENCE })
      expect(appended).toEqual([{ seq: 1, isNew: true, session, effects }])
      expect(await store.findSession(session.id)).toEqual(session)
      const [stored] = await store.listEvents({ limit: 10 })
      expect(stored).toEqual({ seq: 1, event, hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    })

    test('every kind of the vocabulary comes back as it was, and is found by its kind', async () => {
      await using opened = await open()
      const { store } = opened
      const events = EVENT_KINDS.map((kind) => anEvent(kind))
      await store.append(
        events.map((event) => ({ event })),
        CADENCE,
      )
      const stored = await store.listEvents({ limit: 100 })
      expect(stored.map(({ event }) => event)).toEqual(events)
      const [step] = await store.listEvents({ kinds: ['task-session-changed'], limit: 100 })
      expect(step?.event).toEqual(events.find(({ kind }) => kind === 'task-session-changed'))
    })

    test('effects of the state machine come back to the caller', async () => {
      await using opened = await open()
      await opened.store.append([{ event: aStart('a') }, { event: aPrompt('a') }], CADENCE)
      const [ended] = await opened.store.append([{ event: anEnd('a') }], CADENCE)
      expect(ended?.effects).toEqual([
        { kind: 'checkpoint', trigger: 'session_end', isUrgent: true },
        { kind: 'close-session' },
      ])
    })

    test('a replayed event is stored once and answered with the first arrival', async () => {
      await using opened = await open()
      const { store } = opened
      const event = aPrompt('a')
      const [first] = await store.append([{ event: aStart('a') }, { event }], CADENCE).then((all) => all.slice(1))
      const [again] = await store.append(
        [{ event: aPrompt('a', { id: event.id, prompt: 'told differently' }) }],
        CADENCE,
      )
      expect(again).toEqual({ seq: 2, isNew: false, session: first?.session, effects: [] })
      expect(await store.lastSeq()).toBe(2)
      expect((await store.listEvents({ limit: 10 })).at(-1)?.event).toEqual(event)
    })

    test('an id that comes twice in one call is stored once', async () => {
      await using opened = await open()
      const event = aPrompt('a')
      const appended = await opened.store.append([{ event }, { event }, { event: aTurnEnd('a') }], CADENCE)
      expect(appended.map(({ seq, isNew }) => ({ seq, isNew }))).toEqual([
        { seq: 1, isNew: true },
        { seq: 1, isNew: false },
        { seq: 2, isNew: true },
      ])
      expect(appended.at(-1)?.session.promptCount).toBe(1)
    })

    test('an id that comes at once by two ways in is stored once', async () => {
      await using opened = await open()
      const event = aPrompt('a')
      const calls = Array.from({ length: 8 }, () => opened.store.append([{ event }], CADENCE))
      const answers = (await Promise.all(calls)).flat()
      expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1)
      expect(new Set(answers.map(({ seq }) => seq))).toEqual(new Set([1]))
      expect(await opened.store.counts()).toMatchObject({ events: 1, sessions: 1 })
    })

    test('fifty concurrent appends get numbers without a gap, and every session its own events', async () => {
      await using opened = await open()
      const { store } = opened
      const names = Array.from({ length: 50 }, (_, index) => `s${index}`)
      const answers = await Promise.all(
        names.map((name) => store.append([{ event: aStart(name) }, { event: aPrompt(name) }], CADENCE)),
      )
      const seqs = answers.flat().map(({ seq }) => seq)
      expect(seqs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
      for (const [index, name] of names.entries()) {
        expect(answers[index]?.map(({ session }) => session.id)).toEqual([idOf(name), idOf(name)])
        const events = await store.listEvents({ sessionId: idOf(name), limit: 10 })
        expect(kindsOf(events)).toEqual(['session-started', 'prompt-submitted'])
      }
      expect(await store.verify()).toEqual([])
    })

    test('one event that cannot be kept is refused alone', async () => {
      await using opened = await open()
      const { store } = opened
      const poison = aPrompt('poison')
      Object.defineProperty(poison, 'prompt', { enumerable: true, value: 1n })
      const good = Array.from({ length: 5 }, (_, index) => store.append([{ event: aPrompt(`g${index}`) }], CADENCE))
      const bad = store.append([{ event: aPrompt('poison') }, { event: poison }], CADENCE)
      await expect(bad).rejects.toThrow(/BigInt/)
      expect((await Promise.all(good)).flat().map(({ isNew }) => isNew)).toEqual([true, true, true, true, true])
      expect(await store.lastSeq()).toBe(5)
      expect(await store.findSession(idOf('poison'))).toBeUndefined()
      expect(await store.verify()).toEqual([])
    })

    test('is read from a number on, by session and by kind, in order and within the limit', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append(
        [
          { event: aStart('a') },
          { event: aStart('b') },
          { event: aPrompt('a') },
          { event: aPrompt('b') },
          { event: aTurnEnd('a') },
        ],
        CADENCE,
      )
      const seqs = async (query: Parameters<typeof store.listEvents>[0]) =>
        (await store.listEvents(query)).map(({ seq }) => seq)
      expect(await seqs({ limit: 2 })).toEqual([1, 2])
      expect(await seqs({ afterSeq: 3, limit: 9 })).toEqual([4, 5])
      expect(await seqs({ sessionId: idOf('a'), limit: 9 })).toEqual([1, 3, 5])
      expect(await seqs({ sessionId: idOf('a'), afterSeq: 1, kinds: ['prompt-submitted'], limit: 9 })).toEqual([3])
      expect(await seqs({ kinds: [], limit: 9 })).toEqual([])
      expect(await seqs({ sessionId: SessionId('nobody'), limit: 9 })).toEqual([])
    })

    test('knows which ids it has', async () => {
      await using opened = await open()
      const events = [aStart('a'), aPrompt('a')]
      await opened.store.append(
        events.map((event) => ({ event })),
        CADENCE,
      )
      const ids = [...events.map(({ id }) => id), EventId('never-seen')]
      expect(await opened.store.knownEvents(ids)).toEqual(ids.slice(0, 2))
      expect(await opened.store.knownEvents([])).toEqual([])
    })

    test('more events than fit one statement are one batch', async () => {
      await using opened = await open()
      const entries = Array.from({ length: 700 }, (_, index) => ({ event: aPrompt(`s${index % 250}`) }))
      const appended = await opened.store.append(entries, CADENCE)
      expect(appended.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
      expect(await opened.store.counts()).toMatchObject({ events: 700, sessions: 250 })
    })

    test('text with NUL, lone surrogates and quotes comes back as it was, also in ids', async () => {
      await using opened = await open()
      const { store } = opened
      const hostile = `a\u0000b \ud800 '"; drop table events; -- \u{1f6a2}`
      const event = aPrompt(hostile, { id: EventId(`id ${hostile}`), prompt: hostile, cwd: hostile })
      await store.append([{ event, location: aPlace({ worktree: hostile }) }], CADENCE)
      expect((await store.append([{ event }], CADENCE))[0]?.isNew).toBe(false)
      expect((await store.listEvents({ limit: 5 }))[0]?.event).toEqual(event)
      expect(await store.knownEvents([event.id])).toEqual([event.id])
      expect((await store.findSession(getSessionId(event)))?.place?.worktree).toBe(hostile)
      expect(await store.listSessions({ worktree: hostile, limit: 5 })).toHaveLength(1)
    })

    test('a changed row is left out of every answer and reported', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a') }, { event: aPrompt('a') }, { event: aTurnEnd('a') }], CADENCE)
      await opened.tamper(`update events set body = replace(body, 'failing', 'passing') where seq = 2`)
      expect((await store.listEvents({ limit: 10 })).map(({ seq }) => seq)).toEqual([1, 3])
      expect((await store.listEvents({ afterSeq: 1, limit: 1 })).map(({ seq }) => seq)).toEqual([3])
      expect((await store.verify()).map(({ what }) => what)).toEqual(['event-hash'])
    })

    test('a row rewritten together with its hash breaks the chain', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a') }, { event: aPrompt('a') }], CADENCE)
      await opened.tamper(`update events set prev_hash = '', body = '{}', hash = '${EMPTY_BODY_HASH}' where seq = 1`)
      expect((await store.verify()).map(({ detail }) => detail)).toEqual([
        expect.stringMatching(/^Event 2 .* does not follow event 1\.$/),
      ])
    })

    test('a missing row, in the middle or at the end, is reported', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a') }, { event: aPrompt('a') }, { event: aTurnEnd('a') }], CADENCE)
      await opened.tamper('delete from events where seq = 2')
      expect(await store.verify()).toEqual([{ what: 'event-gap', detail: 'Events 2 to 2 are missing.' }])
      await opened.tamper('delete from events where seq = 3')
      expect((await store.verify()).map(({ what }) => what)).toEqual(['event-gap'])
    })

    test('says which engine it is', async () => {
      await using opened = await open()
      expect(await opened.store.describe()).toMatch(/^(SQLite 3|PostgreSQL 1)\d*\.\d+/)
    })
  })

  describe('a process that starts another session', () => {
    const process = { pid: 4_711, startedAt: 'boot+99' }

    test('has left the one it held before', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('old', { process }) }, { event: aPrompt('old', { process }) }], CADENCE)
      await store.append([{ event: aStart('new', { process, at: '2026-03-01T10:00:00.000Z' }) }], CADENCE)
      expect(await store.findSession(idOf('old'))).toMatchObject({
        phase: 'interrupted',
        endedAt: '2026-03-01T10:00:00.000Z',
      })
      expect(await store.findSession(idOf('new'))).toMatchObject({ phase: 'idle' })
    })

    test('also when both come in one batch', async () => {
      await using opened = await open()
      await opened.store.append([{ event: aStart('old', { process }) }, { event: aStart('new', { process }) }], CADENCE)
      expect(await opened.store.findSession(idOf('old'))).toMatchObject({ phase: 'interrupted' })
      expect(await opened.store.findSession(idOf('new'))).toMatchObject({ phase: 'idle' })
    })

    test.each([
      ['another start time', { process: { pid: 4_711, startedAt: 'boot+100' } }],
      ['another pid', { process: { pid: 4_712, startedAt: 'boot+99' } }],
      ['no start time, so it cannot be told apart', { process: { pid: 4_711 } }],
      ['another harness', { process, harness: 'codex' }],
      ['a subagent', { process, subagent: { id: 'sub' } }],
    ])('is not meant by %s', async (_, other) => {
      await using opened = await open()
      await opened.store.append([{ event: aStart('old', { process }) }], CADENCE)
      await opened.store.append([{ event: aStart('new', other) }], CADENCE)
      expect(await opened.store.findSession(idOf('old'))).toMatchObject({ phase: 'idle', harness: HARNESS })
    })

    test('leaves one that had ended as it ended', async () => {
      await using opened = await open()
      await opened.store.append([{ event: aStart('old', { process }) }, { event: anEnd('old') }], CADENCE)
      await opened.store.append([{ event: aStart('new', { process }) }], CADENCE)
      expect(await opened.store.findSession(idOf('old'))).toMatchObject({ phase: 'ended', endReason: 'exit' })
    })
  })
}

/** SHA-256 of `{}`. */
const EMPTY_BODY_HASH = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'
