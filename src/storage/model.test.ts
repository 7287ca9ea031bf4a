import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aCheckpoint, anEnd, aPrompt, aStart, CADENCE, idOf, START } from '../../test/contracts/store-examples.ts'
import { isPermanent, type Checkpoint } from '../kernel/checkpoint.ts'
import type { SessionEvent } from '../kernel/event.ts'
import type { Store } from '../kernel/ports/ports.ts'
import { openSqliteStore } from './sqlite/engine.ts'

const RETENTION_DAYS = 7
const DAY_MS = 86_400_000
const NAMES = ['a', 'b', 'c'] as const
const name = fc.constantFrom(...NAMES)

/** A simple model of what the store must hold. */
interface Model {
  clockMs: number
  /** Every event ever appended; its number is its 1-based index. */
  readonly events: SessionEvent[]
  /** How many of the first ones were pruned. */
  pruned: number
  checkpoints: Checkpoint[]
}
interface Real {
  readonly store: Store
}
type Command = fc.AsyncCommand<Model, Real>

const now = (model: Model): string => new Date(model.clockMs).toISOString()
const always = { check: () => true }
const findNewest = (model: Model, session: string): Checkpoint | undefined =>
  model.checkpoints.findLast(({ sessionId }) => sessionId === idOf(session))

const jump = (days: number): Command => ({
  ...always,
  toString: () => `jump(${days} days)`,
  run: async (model) => {
    model.clockMs += days * DAY_MS
  },
})

const MAKERS = { start: aStart, prompt: aPrompt, end: anEnd } as const
type Made = keyof typeof MAKERS

const append = (session: string, made: Made): Command => ({
  ...always,
  toString: () => `append(${session}, ${made})`,
  run: async (model, { store }) => {
    const event = MAKERS[made](session, { at: now(model) })
    const [appended] = await store.append([{ event }], CADENCE)
    model.events.push(event)
    expect(appended).toMatchObject({ seq: model.events.length, isNew: true })
  },
})

const appendAgain = (which: number): Command => ({
  check: (model) => model.events.length > model.pruned,
  toString: () => `appendAgain(${which})`,
  run: async (model, { store }) => {
    const index = model.pruned + (which % (model.events.length - model.pruned))
    const event = model.events[index]
    if (event === undefined) return
    const [appended] = await store.append([{ event }], CADENCE)
    expect(appended).toMatchObject({ seq: index + 1, isNew: false, effects: [] })
  },
})

const keep = (session: string, details: Partial<Checkpoint>): Command => ({
  ...always,
  toString: () => `keep(${session}, ${JSON.stringify(details)})`,
  run: async (model, { store }) => {
    const checkpoint = aCheckpoint(session, { ...details, createdAt: now(model) })
    await store.saveCheckpoint(checkpoint)
    model.checkpoints.push(checkpoint)
    const [latest] = await store.listCheckpoints({ sessionId: idOf(session), limit: 1 })
    expect(latest?.checkpoint).toEqual(checkpoint)
  },
})

/** What the policy prunes must be old or over the limit, and never named, of a task or the newest. */
const prune = (maxPerSession: number, sliceRows: number): Command => ({
  ...always,
  toString: () => `prune(${maxPerSession}, ${sliceRows})`,
  run: async (model, { store }) => {
    const policy = { now: now(model), retentionDays: RETENTION_DAYS, maxPerSession, sliceRows }
    const removed = await store.pruneCheckpoints(policy)
    const stored = await store.listCheckpoints({ limit: 10_000 })
    const left = new Set(stored.map(({ checkpoint }) => checkpoint.id))
    const gone = model.checkpoints.filter(({ id }) => !left.has(id))
    expect(gone.length).toBe(removed)
    expect(removed).toBeLessThanOrEqual(sliceRows)
    const cutoff = model.clockMs - RETENTION_DAYS * DAY_MS
    for (const session of NAMES) {
      const had = model.checkpoints.filter(({ sessionId }) => sessionId === idOf(session)).length
      const lost = gone.filter(({ sessionId }) => sessionId === idOf(session))
      const notExpired = lost.filter(({ createdAt }) => Date.parse(createdAt) >= cutoff)
      expect(notExpired.length).toBeLessThanOrEqual(Math.max(0, had - maxPerSession))
      expect(lost.filter(isPermanent)).toEqual([])
      expect(lost).not.toContain(findNewest(model, session))
    }
    model.checkpoints = model.checkpoints.filter(({ id }) => left.has(id))
  },
})

/** Stamped by a fast clock: its time says nothing about its age. */
function isMistimed(model: Model, { at }: SessionEvent): boolean {
  return Date.parse(at) > model.clockMs
}

/** Whether an event has to stay: it is young, or its session is neither ended nor silent. */
function mustStay(model: Model, event: SessionEvent): boolean {
  const isYoung = ({ at }: SessionEvent) => Date.parse(at) >= model.clockMs - RETENTION_DAYS * DAY_MS
  const ofSession = model.events.filter(({ sessionKey }) => sessionKey === event.sessionKey)
  return (
    (isYoung(event) && !isMistimed(model, event)) ||
    (ofSession.at(-1)?.kind !== 'session-ended' && ofSession.some(isYoung))
  )
}

const pruneLog = (sliceRows: number): Command => ({
  ...always,
  toString: () => `pruneLog(${sliceRows})`,
  run: async (model, { store }) => {
    const slice = model.events.slice(model.pruned, model.pruned + sliceRows)
    const firstToStay = slice.findIndex((event) => mustStay(model, event))
    const mayGo = firstToStay === -1 ? slice : slice.slice(0, firstToStay)
    const removed = await store.pruneEvents({ now: now(model), retentionDays: RETENTION_DAYS, sliceRows })
    // A mistimed event is pruned with a later old one.
    expect(removed).toBe(mayGo.findLastIndex((event) => !isMistimed(model, event)) + 1)
    model.pruned += removed
    expect(await store.verify()).toEqual([])
  },
})

const onTheLog = [
  fc.integer({ min: 1, max: 9 }).map(jump),
  fc.tuple(name, fc.constantFrom<Made>('start', 'prompt', 'end')).map(([session, made]) => append(session, made)),
  fc.integer({ min: 1, max: 8 }).map(pruneLog),
  fc.nat().map(appendAgain),
]
const anyJump = fc.integer({ min: -3_650, max: 3_650 }).map(jump)

const onEverything = fc.commands(
  [
    anyJump,
    ...onTheLog,
    fc
      .tuple(
        name,
        fc.constantFrom('periodic', 'autosave', 'decision', 'agent'),
        fc.constantFrom(undefined, undefined, 'named'),
      )
      .map(([session, trigger, label]) => keep(session, { trigger, name: label })),
    fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 8 })).map(([max, slice]) => prune(max, slice)),
  ],
  { maxCommands: 40 },
)

// Far jumps make everything old or young: they are rare, so that sessions have both.
const mostlyDays = fc.commands([...onTheLog, ...onTheLog, ...onTheLog, anyJump], { maxCommands: 40, size: 'max' })

test.each([
  ['in a store', onEverything],
  ['to a log, from one day to another', mostlyDays],
])(
  'random operations %s at random times: no gaps, the latest is the last stored, nothing is pruned too soon',
  async (_, commands) => {
    await fc.assert(
      fc.asyncProperty(commands, async (steps) => {
        await using store = await openSqliteStore({ file: ':memory:' })
        const model: Model = { clockMs: Date.parse(START), events: [], pruned: 0, checkpoints: [] }
        await fc.asyncModelRun(() => ({ model, real: { store } }), steps)
        expect(await store.lastSeq()).toBe(model.events.length)
        expect((await store.listEvents({ limit: 1_000 })).map(({ event }) => event)).toEqual(
          model.events.slice(model.pruned),
        )
        for (const session of NAMES) {
          const [latest] = await store.listCheckpoints({ sessionId: idOf(session), limit: 1 })
          expect(latest?.checkpoint).toEqual(findNewest(model, session))
        }
        expect(await store.verify()).toEqual([])
      }),
      { numRuns: 80 },
    )
  },
)
