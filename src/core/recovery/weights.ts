/**
 * Every number that decides what is remembered and what is shown, in one place.
 * Chosen by measurement (`bench/recovery.ts`), rounded to what the data can tell apart.
 */
export const WEIGHTS = {
  /** The chance that a name in the code comes up again, as a logistic model; counts and ages go in as log2(1 + x). */
  name: {
    bias: -2.6,
    weights: {
      asked: 1.16,
      said: 0.41,
      acted: 0.58,
      shown: -0.21,
      /** All of them, however long ago. */
      sightings: 0.25,
      /** Folded things since the last. */
      age: -0.25,
      pascal: -0.19,
      underscore: 0.05,
      capitals: 0.19,
    },
    /** Folded things after which a sighting counts half. */
    halfLife: 60,
    /** Whatever a subagent did counts for this share. */
    subagentShare: 0.3,
  },

  /**
   * The chance that the next session opens a file, as a logistic model fitted on real sessions: counts, ages and
   * ranks go in as log2(1 + x), `namedLately` as a share that halves with `namedHalfLife`.
   */
  file: {
    bias: -0.4,
    edits: 0.46,
    reads: 0.18,
    /** Folded things since it was touched. */
    age: -0.25,
    /** Files touched since. */
    touchedSince: -0.1,
    namedLately: 0.8,
    namedHalfLife: 15,
    /** Outside the worktree: notes and scratch, seldom opened again. */
    outside: -1.9,
  },

  /** Chance that a command is run again, by what it is for, before fading with the commands run since. */
  command: { test: 0.7, build: 0.6, lint: 0.6, run: 0.4, other: 0.4, vcs: 0.15 },
  commandHalfLife: 5,

  /** Chance that a file is needed which git sees changed and no tool was seen to edit. Judged, not measured: transcripts hold no git state. */
  uncommitted: 0.4,

  /** What it is worth to have said one needed thing of a section. Sections that are not a matter of chance come first. */
  section: {
    contradicted: 100,
    written: 100,
    goal: 100,
    latest: 0.3,
    next: 100,
    waiting: 60,
    running: 5,
    todos: 2,
    blockers: 20,
    failing: 0.8,
    errors: 0.8,
    edited: 1,
    uncommitted: 1,
    read: 1,
    commands: 0.7,
    identifiers: 0.3,
    decisions: 2,
    failed: 1,
    refs: 0.1,
    remembers: 0.5,
    words: 0.5,
  },
  /** What is less likely to be needed is not said even where there is room: silence is better than noise. */
  leastChance: { files: 0.08, commands: 0.1, identifiers: 0.03 },
  /** Shares of the budget, and one size. */
  room: { goal: 0.11, firstAsk: 0.05, lastWordsChars: 300 },
} as const
