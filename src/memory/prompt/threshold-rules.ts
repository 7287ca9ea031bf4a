import { termsOf } from '../../kernel/text/terms.ts'

/**
 * The rules of the bar before a prompt, as `bench/prompt-bar` varies them. `memory.minCoverage` and `memory.maxPerPrompt`
 * are not among them, because people may set those.
 */
export interface BarRules {
  /** What every task and every remark is about. These count for nothing: they tell no subject from another. */
  readonly common: ReadonlySet<string>
  /** Shorter words are no subject, unless they are written as a name. */
  readonly minTermChars: number
  /** How many words of substance a prompt and a memory must share. */
  readonly minShared: number
  /** Past so many words of substance and others, a prompt is about many things, and no memory covers it. */
  readonly shortPromptTerms: number
  /** From this importance on, a memory speaks up for "run the tests". */
  readonly speaksForCommonWords: number
  /** Whether a memory about another thing of the same sort stays silent. */
  readonly rivals: boolean
  /** How much of the shorter of two memories the other must have to be about the same thing; above 1, nothing is. */
  readonly sameSubject: number
}

const COMMON_WORDS =
  'add added already always app apply back bad before below better both branch bug build call case change check class clean code command ' +
  'comment commit common correct create current default delete different done each error every everything exist expect fail file find first ' +
  'fix follow found function git good handle help here hmm implement important improve instead issue keep know last later let line list look ' +
  'main make many maybe method missing module more move much must need never new next number ok okay old output over own part point possible ' +
  'pr problem project properly pull push put question read really refactor remember remove rename replace repo repository result return right ' +
  'run script see set setup show something start still stop sure task tell test thing think time too true try two type under understand ' +
  'update used user using value version wait want way well without work write wrong yeah year yes yet'

/** Measured, rule by rule: docs/recall.md. */
export const BAR_RULES: BarRules = {
  common: new Set(COMMON_WORDS.split(' ').flatMap((word) => termsOf(word))),
  minTermChars: 3,
  minShared: 2,
  shortPromptTerms: 8,
  speaksForCommonWords: 7,
  rivals: true,
  sameSubject: 0.6,
}
