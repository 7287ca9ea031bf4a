import { THRESHOLD_RULES, type ThresholdRules } from '../src/memory/prompt/prompt-threshold.ts'
import type { Replayed } from './prompt-bar-replay.ts'
import { IN_TREE, type Score, score, type Setting, tell } from './prompt-bar-score.ts'

export interface NamedSetting {
  readonly name: string
  readonly setting: Setting
}

function ruled(name: string, rules: Partial<ThresholdRules>): NamedSetting {
  return { name, setting: { ...IN_TREE, rules: { ...THRESHOLD_RULES, ...rules } } }
}

export const CURVE: readonly NamedSetting[] = [0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1].map((minCoverage) => ({
  name: `coverage ${minCoverage.toFixed(1)}`,
  setting: { ...IN_TREE, minCoverage },
}))

export const WITHOUT: readonly NamedSetting[] = [
  ruled('one shared word', { minShared: 1 }),
  ruled('three shared words', { minShared: 3 }),
  ruled('no common words', { common: new Set() }),
  ruled('words of any length', { minTermChars: 1 }),
  ruled('no prompt is long', { shortPromptTerms: Number.POSITIVE_INFINITY }),
  ruled('every prompt is long', { shortPromptTerms: 0 }),
  ruled('same subject from .5', { sameSubject: 0.5 }),
  ruled('same subject from .8', { sameSubject: 0.8 }),
  ruled('older ones speak too', { sameSubject: 2 }),
  { name: 'one for a prompt', setting: { ...IN_TREE, maxPerPrompt: 1 } },
]

const GRID: readonly NamedSetting[] = [1, 2, 3].flatMap((minShared) =>
  [0.5, 0.6, 0.7, 0.8, 0.9].map((minCoverage) => ({
    name: `${minShared} shared, coverage ${minCoverage.toFixed(1)}`,
    setting: { ...IN_TREE, minCoverage, rules: { ...THRESHOLD_RULES, minShared } },
  })),
)

export interface Choice {
  readonly leftOut: string
  readonly chosen: string
  readonly scored: Score
  readonly inTree: Score
}

/** How surely what is shown is better than chance, in all of them alike. */
function surelyBetter(scores: readonly Score[]): number {
  return scores.reduce((sum, { liftFrom }) => sum + Math.log(Math.max(0.01, liftFrom)), 0)
}

/** Each left out in turn: the setting that does best on the others, and what it does on this one. */
export function chooseLeavingOut(sets: ReadonlyMap<string, readonly Replayed[]>): readonly Choice[] {
  const grid = GRID.map(({ name, setting }) => ({
    name,
    scores: new Map([...sets].map(([set, all]) => [set, score(all, tell(all, setting))])),
  }))
  return [...sets].flatMap(([leftOut, all]) => {
    const ranked = grid.toSorted((a, b) => {
      const othersOf = ({ scores }: typeof a) => [...scores].flatMap(([set, one]) => (set === leftOut ? [] : [one]))
      return surelyBetter(othersOf(b)) - surelyBetter(othersOf(a))
    })
    const scored = ranked[0]?.scores.get(leftOut)
    if (scored === undefined) return []
    return [{ leftOut, chosen: ranked[0]?.name ?? '', scored, inTree: score(all, tell(all, IN_TREE)) }]
  })
}
