import { THRESHOLD_RULES, type ThresholdRules } from '../src/memory/prompt/prompt-threshold.ts'
import { judgeForPrompt } from '../src/memory/prompt/prompt-threshold.ts'
import type { Replayed } from './prompt-bar-replay.ts'

const RESAMPLES = 1_000

export interface Setting {
  readonly minCoverage: number
  readonly maxPerPrompt: number
  readonly rules: ThresholdRules
}

export const IN_TREE: Setting = { minCoverage: 0.7, maxPerPrompt: 3, rules: THRESHOLD_RULES }

/** One memory that was put before a prompt. */
export interface InjectedMemory {
  readonly asked: Replayed
  readonly id: string
  readonly isRelevant: boolean
}

/** As in the product: each memory once per session. */
export function tell(all: readonly Replayed[], { rules, ...bar }: Setting): readonly InjectedMemory[] {
  const shownIn = new Map<string, Set<string>>()
  return all.flatMap((asked) => {
    const shown = shownIn.get(asked.session) ?? new Set<string>()
    shownIn.set(asked.session, shown)
    const injected = judgeForPrompt(asked.text, asked.hits, { ...bar, rules, shown })
      .filter(({ outcome }) => outcome === 'shown')
      .map(({ memory }) => ({ asked, id: String(memory.id), isRelevant: asked.isRelevant(memory.id) }))
    for (const { id } of injected) shown.add(id)
    return injected
  })
}

export interface Score {
  readonly prompts: number
  /** Prompts that got a memory, and those that got one about the same work. */
  readonly injected: number
  readonly helped: number
  /** Prompts for which something about the same work was known. */
  readonly helpable: number
  readonly shown: number
  readonly relevant: number
  readonly precision: number
  /** What as many drawn by lot for the same prompts would have had. */
  readonly chance: number
  readonly lift: number
  readonly recall: number
  /** 95 %, over sessions. */
  readonly precisionFrom: number
  readonly precisionTo: number
  readonly liftFrom: number
  readonly liftTo: number
}

interface Sums {
  shown: number
  relevant: number
  chance: number
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

/** The same at every run. */
export function lottery(): () => number {
  let state = 42
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

function between(values: readonly number[]): readonly [number, number] {
  const sorted = values.toSorted((a, b) => a - b)
  return [sorted[Math.floor(sorted.length * 0.025)] ?? 0, sorted[Math.floor(sorted.length * 0.975)] ?? 0]
}

function sumsBySession(injected: readonly InjectedMemory[]): readonly Sums[] {
  const sums = new Map<string, Sums>()
  for (const { asked, isRelevant } of injected) {
    const sum = sums.get(asked.session) ?? { shown: 0, relevant: 0, chance: 0 }
    sums.set(asked.session, sum)
    sum.shown += 1
    sum.relevant += Number(isRelevant)
    sum.chance += asked.chance
  }
  return [...sums.values()]
}

/** Resampled by session: the memories of one session are about the same work. */
function intervals(sums: readonly Sums[]): Pick<Score, 'precisionFrom' | 'precisionTo' | 'liftFrom' | 'liftTo'> {
  const random = lottery()
  const precisions: number[] = []
  const lifts: number[] = []
  for (let sample = 0; sample < RESAMPLES && sums.length > 0; sample++) {
    let [shown, relevant, chance] = [0, 0, 0]
    for (let drawn = 0; drawn < sums.length; drawn++) {
      const sum = sums[Math.floor(random() * sums.length)]
      shown += sum?.shown ?? 0
      relevant += sum?.relevant ?? 0
      chance += sum?.chance ?? 0
    }
    precisions.push(ratio(relevant, shown))
    lifts.push(ratio(relevant, chance))
  }
  const [precisionFrom, precisionTo] = between(precisions)
  const [liftFrom, liftTo] = between(lifts)
  return { precisionFrom, precisionTo, liftFrom, liftTo }
}

export function score(all: readonly Replayed[], injected: readonly InjectedMemory[]): Score {
  const relevant = injected.filter(({ isRelevant }) => isRelevant)
  const chance = injected.reduce((sum, { asked }) => sum + asked.chance, 0)
  const helped = new Set(relevant.map(({ asked }) => asked)).size
  const helpable = all.filter((asked) => asked.chance > 0).length
  return {
    prompts: all.length,
    injected: new Set(injected.map(({ asked }) => asked)).size,
    helped,
    helpable,
    shown: injected.length,
    relevant: relevant.length,
    precision: ratio(relevant.length, injected.length),
    chance: ratio(chance, injected.length),
    lift: ratio(relevant.length, chance),
    recall: ratio(helped, helpable),
    ...intervals(sumsBySession(injected)),
  }
}
