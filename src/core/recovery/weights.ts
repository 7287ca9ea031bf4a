/**
 * Every number that decides what is remembered and what is shown, in one place.
 * Models are fitted by `bench/train-recovery.ts`, the rest is chosen by measurement (`bench/recovery.ts`).
 */
export const WEIGHTS = {
  /** The chance that a name in the code comes up again, as a logistic model; counts and ages go in as log2(1 + x). */
  name: {
    bias: -2.52,
    weights: {
      acted: 0.68,
      /** Folded things since the last. */
      age: -0.28,
      asked: 1.03,
      capitals: 0.51,
      pascal: 0.31,
      said: 0.31,
      shown: -0.2,
      /** All of them, however long ago. */
      sightings: 0.24,
      underscore: -0.23,
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
    precision: 0.77,
    /** What a change counts on top of the opening that comes before it. */
    editing: 0.7,
    opened: {
      bias: -2.56,
      weights: {
        asked: 0.91,
        askedOnly: -0.35,
        bare: -1.6,
        candidates: -0.24,
        data: -0.47,
        editedLately: 0.21,
        edits: -0.08,
        everEdited: 0.55,
        found: 0.26,
        foundOnly: 1.62,
        listed: -0.01,
        listedOnly: -0.4,
        outside: -0.21,
        planned: 0.82,
        plannedOnly: -0.56,
        prose: -0.53,
        readLately: 0.78,
        said: 0.36,
        sightings: 0.38,
        stem: 0.49,
        test: -0.44,
        touched: 1.34,
        touchedSince: -0.05,
      },
    },
    edited: {
      bias: -1.87,
      weights: {
        asked: 0.81,
        askedOnly: 0.13,
        bare: -1.63,
        candidates: -0.5,
        data: -0.04,
        editedLately: 0.62,
        edits: -0.33,
        everEdited: 0.45,
        found: 0.25,
        foundOnly: 1.5,
        listed: 0.33,
        listedOnly: -0.9,
        outside: -2.42,
        planned: 1.07,
        plannedOnly: -0.72,
        prose: -0.54,
        readLately: 0.6,
        said: 0.16,
        sightings: 0.39,
        stem: 0.72,
        test: -0.1,
        touched: 1.61,
        touchedSince: -0.1,
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

  /** What it is worth to have said all of a kind that will be needed: one of two files is half of that, one of thirty names little. */
  need: { edited: 8.5, read: 4, names: 5 },

  /**
   * What it is worth to have said one needed thing of a section. Sections that are not a matter of chance come first. Files and
   * names have their worth from `need`; here stands what it is multiplied by.
   */
  section: {
    contradicted: 100,
    written: 100,
    goal: 100,
    latest: 0.5,
    plan: 60,
    next: 100,
    waiting: 60,
    running: 5,
    todos: 2,
    blockers: 20,
    failing: 0.8,
    errors: 0.65,
    edited: 1,
    uncommitted: 2,
    read: 1,
    named: 0.88,
    commands: 0.75,
    identifiers: 1,
    decisions: 3,
    failed: 2,
    refs: 0.1,
    remembers: 1,
    words: 0.5,
  },
  /** What is less likely to be needed is not said even where there is room. */
  leastChance: { commands: 0.1, identifiers: 0.003 },
  /** Shares of the budget, and one size. */
  room: { goal: 0.11, firstAsk: 0.05, names: 0.5, lastWordsChars: 450 },
} as const
