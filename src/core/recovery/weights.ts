/**
 * Every number that decides what is remembered and what is shown, in one place.
 * Models are fitted by `bench/train-recovery.ts`, the rest is chosen by measurement (`bench/recovery.ts`).
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

  /** The chances that the next session opens a file and that it changes it, as logistic models; counts go in as log2(1 + x). */
  path: {
    /** Folded things after which a sighting counts half. */
    halfLife: 15,
    /** What an earlier session was about is this much as likely to be needed. */
    earlierSession: 0.5,
    /** For files in checkpoints that kept no chance. */
    unknown: { opened: 0.3, edited: 0.1 },
    /** How much the share of named files that are needed counts, against how many of the needed ones are named. */
    precision: 0.85,
    opened: {
      bias: -2.53,
      weights: {
        asked: 5.78,
        askedOnly: -6.76,
        bare: -1.53,
        candidates: -0.24,
        data: -0.53,
        editedLately: 0.15,
        edits: -0.05,
        everEdited: 0.63,
        found: 0.31,
        foundOnly: 1.65,
        listed: 0.07,
        listedOnly: -0.24,
        outside: -0.29,
        prose: -0.64,
        readLately: 0.69,
        said: 0.19,
        sightings: 0.38,
        stem: 0.55,
        test: -0.53,
        touched: 1.51,
        touchedSince: -0.08,
      },
    },
    edited: {
      bias: -1.82,
      weights: {
        asked: 3.48,
        askedOnly: -4.19,
        bare: -1.52,
        candidates: -0.5,
        data: -0.13,
        editedLately: 0.52,
        edits: -0.28,
        everEdited: 0.6,
        found: 0.28,
        foundOnly: 1.55,
        listed: 0.35,
        listedOnly: -0.55,
        outside: -2.55,
        prose: -0.68,
        readLately: 0.47,
        said: -0.12,
        sightings: 0.4,
        stem: 0.75,
        test: -0.19,
        touched: 1.86,
        touchedSince: -0.13,
      },
    },
  },

  /** Chance that a command is run again, by what it is for, before fading with the commands run since. */
  command: { test: 0.7, build: 0.6, lint: 0.6, run: 0.4, other: 0.4, vcs: 0.15 },
  commandHalfLife: 5,

  /** A solved error is worth this share of an open one. */
  solvedErrorShare: 0.7,

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
    named: 1,
    commands: 0.7,
    identifiers: 0.3,
    decisions: 2,
    failed: 1,
    refs: 0.1,
    remembers: 0.5,
    words: 0.5,
  },
  /** What is less likely to be needed is not said even where there is room: silence is better than noise. */
  leastChance: { commands: 0.1, identifiers: 0.03 },
  /** Shares of the budget, and one size. */
  room: { goal: 0.11, firstAsk: 0.05, lastWordsChars: 300 },
} as const
