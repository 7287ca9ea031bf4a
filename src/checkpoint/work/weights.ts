/**
 * Every number that decides what is remembered and what is shown, in one place.
 * Models are fitted by `bench/train-recovery.ts`, the rest is chosen by measurement (`bench/recovery.ts`).
 */
export const WEIGHTS = {
  /** The chance that a name in the code comes up again, as a logistic model; counts and ages go in as log2(1 + x). */
  name: {
    bias: -4.18,
    weights: {
      acted: 0.32,
      /** Folded things since the last. */
      age: -0.13,
      /** In the newest ask that says what for, or since. */
      asked: 0.24,
      capitals: 1.19,
      /** Seen beside what was spoken of lately. */
      company: 0.3,
      /** A tool showed it before anybody used it. */
      found: -0.39,
      /** As log2 of the characters. */
      length: 0.14,
      /** Made of words that the ask, the last words and the open todos are told in. */
      matter: 0.59,
      pascal: 0.17,
      said: -0.14,
      shown: -0.2,
      /** All of them, however long ago. */
      sightings: 0.31,
      underscore: -0.34,
    },
    /** Folded things after which a sighting counts half. */
    halfLife: 60,
    /** The same for what was spoken of, where others are weighed by being seen beside it. */
    spokenHalfLife: 15,
    /** The power to which a name's length counts against it, and the length at which that makes no difference. */
    lengthCounts: 0.75,
    usualChars: 16,
    /** A name must be this much as likely to come up as the likeliest of all. */
    leastShare: 0.02,
    /** More of them behind one file are not read. */
    mostBehindFile: 8,
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
    precision: 1,
    /** A file that only came up must be this much as likely to be needed as the likeliest of all. */
    leastShare: 0.08,
    /** A longer list of files that only came up is not read. */
    mostCameUp: 12,
    /** What a change counts on top of the opening that comes before it. */
    editing: 0.4,
    opened: {
      bias: -2.93,
      weights: {
        /** Folded things since it was last seen. */
        age: -0.23,
        asked: -0.22,
        /** How much of its name stands in the newest ask. */
        askedFor: 0.57,
        askedOnly: -0.33,
        bare: -1.53,
        /** How lately others were touched that the same search came up with. */
        besideEdited: -0.96,
        besideOnly: 1.89,
        created: 1.18,
        data: -0.28,
        dataOnly: -1.45,
        editedLately: -0.13,
        edits: -0.09,
        everEdited: 0.24,
        found: 0.04,
        foundOnly: 0.66,
        listed: 0.1,
        listedOnly: -0.46,
        outside: -0.7,
        planned: 0.84,
        plannedOnly: 1.52,
        prose: -0.47,
        readLately: 0.38,
        said: -0.21,
        sightings: 0.43,
        stem: 0.46,
        test: -0.21,
        touched: 1.02,
        touchedSince: 0.07,
      },
    },
    edited: {
      bias: -4,
      weights: {
        age: -0.21,
        asked: -0.29,
        askedFor: 0.54,
        askedOnly: -0.15,
        bare: -1.3,
        besideEdited: -1.05,
        besideOnly: 1.88,
        created: 1.2,
        data: -0.06,
        dataOnly: -1.3,
        editedLately: -0.13,
        edits: -0.08,
        everEdited: 0.14,
        found: 0.2,
        foundOnly: 0.5,
        listed: 0.18,
        listedOnly: -0.01,
        outside: -1.46,
        planned: 1.07,
        plannedOnly: 1.69,
        prose: -0.19,
        readLately: 0.53,
        said: -0.29,
        sightings: 0.42,
        stem: 0.77,
        test: 0.08,
        touched: 1.52,
        touchedSince: 0.06,
      },
    },
  },

  /** Chance that a command is run again, by what it is for, before fading with the commands run since. */
  command: { test: 0.7, build: 0.6, lint: 0.6, run: 0.4, other: 0.4, vcs: 0.1 },
  commandHalfLife: 8,

  /** A solved error is worth this share of an open one. */
  solvedErrorShare: 0.7,

  /** Chance that a file is needed which git sees changed and no tool was seen to edit. Judged, not measured: transcripts hold no git state. */
  uncommitted: 0.4,

  /** What it is worth to have said all of a kind that will be needed: one of two files is half of that, one of thirty names little. */
  need: { edited: 11.5, read: 4.5, commands: 4, names: 6 },

  /**
   * What it is worth to have said one needed thing of a section. Sections that are not a matter of chance come first. Files,
   * commands and names have their worth from `need`; here stands what it is multiplied by.
   */
  section: {
    contradicted: 100,
    written: 100,
    goal: 100,
    latest: 0.5,
    /** Where the latest word is an answer, it is understood only beside what it answers. */
    answer: 60,
    plan: 60,
    next: 100,
    waiting: 60,
    running: 5,
    todos: 2,
    blockers: 20,
    failing: 0.8,
    errors: 1.05,
    edited: 1,
    uncommitted: 2,
    read: 1,
    named: 0.95,
    commands: 1,
    identifiers: 1,
    decisions: 3,
    failed: 2,
    refs: 0.1,
    remembers: 1,
    words: 0.5,
  },
  /** What is less likely to be needed is not said even where there is room. */
  leastChance: { commands: 0.1 },
  /** Shares of the budget, and one size. */
  room: { goal: 0.11, firstAsk: 0.04, names: 0.45, lastWords: 0.05, lastWordsChars: 450 },
} as const
