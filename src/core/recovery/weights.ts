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

  /** The chances that the next session opens a file and that it changes it, as logistic models; counts go in as log2(1 + x). */
  path: {
    /** Folded things after which a sighting counts half. */
    halfLife: 15,
    /** What an earlier session was about is this much as likely to be needed. */
    earlierSession: 0.5,
    /** For files in checkpoints that kept no chance. */
    unknown: { opened: 0.3, edited: 0.1 },
    /** How much the share of named files that are needed counts, against how many of the needed ones are named. */
    precision: 0.92,
    opened: {
      bias: -2.44,
      weights: {
        asked: 5.8,
        askedOnly: -6.41,
        bare: -1.61,
        candidates: -0.25,
        data: -0.58,
        editedLately: 0.16,
        edits: -0.06,
        everEdited: 0.62,
        found: 0.47,
        foundOnly: 2.26,
        listed: 0.08,
        listedOnly: -0.34,
        outside: -0.22,
        prose: -0.68,
        readLately: 0.71,
        said: 0.19,
        saidOnly: 0.0,
        sightings: 0.38,
        stem: 0.55,
        test: -0.51,
        touched: 1.42,
        touchedSince: -0.07,
      },
    },
    edited: {
      bias: -1.75,
      weights: {
        asked: 3.47,
        askedOnly: -3.97,
        bare: -1.58,
        candidates: -0.51,
        data: -0.18,
        editedLately: 0.53,
        edits: -0.29,
        everEdited: 0.59,
        found: 0.42,
        foundOnly: 2.21,
        listed: 0.37,
        listedOnly: -0.6,
        outside: -2.51,
        prose: -0.71,
        readLately: 0.49,
        said: -0.12,
        saidOnly: 0.0,
        sightings: 0.41,
        stem: 0.76,
        test: -0.18,
        touched: 1.79,
        touchedSince: -0.12,
      },
    },
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
