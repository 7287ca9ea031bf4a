import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { afterPruning, type ClockLook, isClockTrusted, observeClock } from './clock-trust.ts'
import { type ClockTrust } from '../kernel/ports/runtime.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const LOOK_MS = 15 * MINUTE_MS
const START_MS = Date.parse('2026-01-02T03:00:00.000Z')

/** Decides at every look whether to delete by age. */
interface Rule {
  look(look: ClockLook): boolean
  /** A hook starts the daemon: its event, stamped by the same clock, is kept before the first look. */
  boot(wallMs: number): void
}

/** What the daemon does: only the record survives a start. */
function currentRule(): Rule {
  let trust: ClockTrust | undefined
  return {
    boot: () => undefined,
    look(look) {
      trust = observeClock(trust, look)
      if (!isClockTrusted(trust)) return false
      trust = afterPruning(trust)
      return true
    },
  }
}

/** What it did before: compares the clock with the newest event, and with its own last look an hour ago. */
function formerRule(): Rule {
  let newestEventMs: number | undefined
  let last: { wallMs: number; sinceMs: number } | undefined
  return {
    boot(wallMs) {
      newestEventMs = wallMs
      last = undefined
    },
    look({ wallMs, elapsedMs = 0 }) {
      if (last !== undefined) {
        last.sinceMs += elapsedMs
        if (last.sinceMs < HOUR_MS) return false
      }
      const before = last ?? (newestEventMs === undefined ? undefined : { wallMs: newestEventMs, sinceMs: 0 })
      last = { wallMs, sinceMs: 0 }
      return before !== undefined && Math.abs(wallMs - before.wallMs - before.sinceMs) <= DAY_MS
    },
  }
}

/** A machine whose wall clock may be wrong, with a daemon on it that runs now and then. */
class Machine {
  trueMs = START_MS
  errorMs = 0
  readonly #rule: Rule
  #isRunning = false
  #lastLookMs = 0
  /** How far the clock was ahead of the truth at each deletion. */
  readonly aheadMs: number[] = []
  runningMs = 0
  longestWaitMs = 0
  #prunedAtRunningMs = 0

  constructor(rule: Rule) {
    this.#rule = rule
  }

  off(ms: number): void {
    this.#isRunning = false
    this.trueMs += ms
  }

  setError(ms: number): void {
    this.errorMs = ms
  }

  run(ms: number): void {
    if (!this.#isRunning) this.#rule.boot(this.trueMs + this.errorMs)
    if (!this.#isRunning) this.#look(undefined)
    this.#isRunning = true
    for (let left = ms; left > 0; left -= LOOK_MS) {
      const step = Math.min(LOOK_MS, left)
      this.trueMs += step
      this.runningMs += step
      this.#look(this.trueMs - this.#lastLookMs)
    }
  }

  #look(elapsedMs: number | undefined): void {
    this.#lastLookMs = this.trueMs
    const isPruned = this.#rule.look({
      wallMs: this.trueMs + this.errorMs,
      ...(elapsedMs !== undefined && { elapsedMs }),
    })
    this.longestWaitMs = Math.max(this.longestWaitMs, this.runningMs - this.#prunedAtRunningMs)
    if (!isPruned) return
    this.aheadMs.push(this.errorMs)
    this.#prunedAtRunningMs = this.runningMs
  }
}

/** A machine whose clock is right and known to be. */
function aTrustingMachine(rule: Rule = currentRule()): Machine {
  const machine = new Machine(rule)
  machine.run(102 * HOUR_MS)
  machine.aheadMs.length = 0
  machine.longestWaitMs = 0
  return machine
}

const hours = (min: number, max: number) => fc.integer({ min: min * 4, max: max * 4 }).map((quarters) => quarters / 4)

/** Lives of a daemon: how long each runs, and how long nobody runs one after it. */
const lives = (maxHours: number, maxAwayDays: number) =>
  fc.array(
    fc.record({ runHours: hours(0.25, maxHours), awayMs: fc.integer({ min: 1_000, max: maxAwayDays * DAY_MS }) }),
    { minLength: 1, maxLength: 6 },
  )

interface Episode {
  readonly errorDays: number
  /** When it begins: while the daemon runs, or at its next start. */
  readonly isAtBoot: boolean
  readonly wrong: readonly { readonly runHours: number; readonly awayMs: number }[]
  readonly right: readonly { readonly runHours: number; readonly awayMs: number }[]
}

/** Weeks and years, either way. */
const errorDays = fc
  .tuple(fc.integer({ min: 20, max: 4_000 }), fc.boolean())
  .map(([days, isAhead]) => (isAhead ? days : -days))

const episode: fc.Arbitrary<Episode> = fc.record({
  errorDays,
  isAtBoot: fc.boolean(),
  wrong: lives(80, 9),
  right: lives(30, 60),
})

/** Runs the lives, and stops before the clock was wrong for as long as a right one is watched. */
function runWrong(machine: Machine, { wrong, errorDays: days }: Episode): void {
  let leftHours = Math.min(Math.abs(days), 400) * 0.95
  for (const { runHours, awayMs } of wrong) {
    const ran = Math.min(runHours, leftHours)
    machine.run(ran * HOUR_MS)
    leftHours -= ran
    if (leftHours <= 0) return
    machine.off(awayMs)
  }
}

function play(rule: Rule, episodes: readonly Episode[]): Machine {
  const machine = aTrustingMachine(rule)
  for (const each of episodes) {
    if (each.isAtBoot) machine.off(HOUR_MS)
    machine.setError(each.errorDays * DAY_MS)
    runWrong(machine, each)
    machine.setError(0)
    for (const { runHours, awayMs } of each.right) {
      machine.run(runHours * HOUR_MS)
      machine.off(awayMs)
    }
  }
  return machine
}

const neverAhead = (rule: () => Rule) =>
  fc.property(fc.array(episode, { minLength: 1, maxLength: 4 }), (episodes) => {
    expect(play(rule(), episodes).aheadMs.filter((ms) => ms > 0)).toEqual([])
  })

describe('a clock that is wrong', () => {
  test('in either direction, at boot or later, over many lives of the daemon: nothing is deleted by it', () => {
    fc.assert(neverAhead(currentRule), { numRuns: 300 })
  })

  test('control: the former rule deletes by it', () => {
    expect(fc.check(neverAhead(formerRule), { numRuns: 300 }).failed).toBe(true)
  })

  test('and set right again within minutes costs one hour of watching', () => {
    const machine = aTrustingMachine()
    machine.off(8 * HOUR_MS)
    machine.setError(400 * DAY_MS)
    machine.run(HOUR_MS / 4)
    machine.setError(0)
    machine.run(HOUR_MS)
    expect(machine.aheadMs).toEqual([])
    machine.run(HOUR_MS)
    expect(machine.aheadMs).toEqual([0])
  })

  test('and stays so is believed after 400 hours of watching, and then set right costs the same again', () => {
    const machine = aTrustingMachine()
    machine.setError(-4_000 * DAY_MS)
    machine.run(399 * HOUR_MS)
    expect(machine.aheadMs).toEqual([])
    machine.run(2 * HOUR_MS)
    expect(machine.aheadMs).toEqual([-4_000 * DAY_MS])
    machine.setError(0)
    machine.run(399 * HOUR_MS)
    expect(machine.aheadMs).toHaveLength(1)
    machine.run(2 * HOUR_MS)
    expect(machine.aheadMs.at(-1)).toBe(0)
  })

  test('from the first look of a home on is not believed for 100 hours', () => {
    const machine = new Machine(currentRule())
    machine.setError(400 * DAY_MS)
    for (let day = 0; day < 9; day += 1) {
      machine.run(11 * HOUR_MS)
      machine.off(13 * HOUR_MS)
    }
    expect(machine.aheadMs).toEqual([])
    machine.setError(0)
    machine.run(99 * HOUR_MS)
    expect(machine.aheadMs).toEqual([])
  })
})

describe('a clock that is right', () => {
  test('is believed within half a day of watching, however short the lives of the daemon are', () => {
    fc.assert(
      fc.property(fc.array(lives(2, 10), { minLength: 20, maxLength: 40 }), (weeks) => {
        const machine = aTrustingMachine()
        for (const { runHours, awayMs } of weeks.flat()) {
          machine.run(runHours * HOUR_MS)
          machine.off(awayMs)
        }
        // Ten hours for the longest absence, and what a life can lose of its last look.
        expect(machine.longestWaitMs).toBeLessThanOrEqual(12 * HOUR_MS)
      }),
      { numRuns: 100 },
    )
  })

  test('is believed within 800 hours of watching, however long nobody watched', () => {
    fc.assert(
      fc.property(lives(20, 400), (some) => {
        const machine = aTrustingMachine()
        const until = machine.runningMs + 820 * HOUR_MS
        while (machine.runningMs < until)
          for (const { runHours, awayMs } of some) {
            machine.run(runHours * HOUR_MS)
            machine.off(awayMs)
          }
        expect(machine.aheadMs.length).toBeGreaterThan(0)
      }),
      { numRuns: 50 },
    )
  })

  test('in a new home is believed once it was watched for 100 hours, a little every day', () => {
    const machine = new Machine(currentRule())
    for (let day = 0; day < 110; day += 1) {
      machine.run(HOUR_MS)
      machine.off(23 * HOUR_MS)
    }
    expect(machine.aheadMs.length).toBeGreaterThan(0)
    expect(machine.longestWaitMs).toBeLessThanOrEqual(101 * HOUR_MS)
  })

  test('in a new home that is left alone for weeks again and again is believed within 800 hours of watching', () => {
    let trust: ClockTrust | undefined
    let wallMs = START_MS
    let watchedMs = 0
    for (let visit = 0; visit < 200 && !(trust !== undefined && isClockTrusted(trust)); visit += 1) {
      trust = observeClock(trust, { wallMs })
      for (let look = 0; look < 48; look += 1) {
        wallMs += LOOK_MS
        watchedMs += LOOK_MS
        trust = observeClock(trust, { wallMs, elapsedMs: LOOK_MS })
      }
      wallMs += 11 * DAY_MS
    }
    expect(trust === undefined ? false : isClockTrusted(trust)).toBe(true)
    expect(watchedMs).toBeLessThanOrEqual(812 * HOUR_MS)
  })

  test('after forty days asleep is believed once it was watched for forty hours', () => {
    const machine = aTrustingMachine()
    machine.off(40 * DAY_MS)
    machine.run(39 * HOUR_MS)
    expect(machine.aheadMs).toEqual([])
    machine.run(2 * HOUR_MS)
    expect(machine.aheadMs).toEqual([0, 0])
  })

  test('is never believed within the first hour after a night', () => {
    const machine = aTrustingMachine()
    machine.off(12 * HOUR_MS)
    machine.run(HOUR_MS - LOOK_MS)
    expect(machine.aheadMs).toEqual([])
  })

  test('while the machine sleeps nobody watches it, whatever the monotonic clock counts', () => {
    const seen: ClockTrust = { trustedAtMs: START_MS, seenAtMs: START_MS, observedMs: 0, neededMs: HOUR_MS }
    const trust = observeClock(seen, { wallMs: START_MS + 9 * DAY_MS, elapsedMs: 9 * DAY_MS })
    expect(trust).toEqual({ ...seen, seenAtMs: START_MS + 9 * DAY_MS, observedMs: HOUR_MS / 4 })
  })
})
