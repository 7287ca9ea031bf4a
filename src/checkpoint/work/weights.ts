/**
 * Every number that decides what is stored and what is injected.
 * Models are fitted by `bench/train-recovery.ts`, the rest is chosen by measurement (`bench/recovery.ts`).
 */
export const WEIGHTS = {
  /** The probability that an identifier comes up again, as a logistic model; counts and ages as log2(1 + x). */
  name: {
    bias: -4.18,
    weights: {
      acted: 0.32,
      /** Folded events since the last sighting. */
      age: -0.13,
      /** In the newest substantive request, or since. */
      asked: 0.24,
      capitals: 1.19,
      /** Co-occurrence with recently mentioned names. */
      cooccurrence: 0.3,
      /** First seen in a tool's output. */
      found: -0.39,
      /** As log2 of the characters. */
      length: 0.14,
      /** Topic overlap with the request, the last words and the open todos. */
      topicOverlap: 0.59,
      pascal: 0.17,
      said: -0.14,
      shown: -0.2,
      /** All sightings, without decay. */
      sightings: 0.31,
      underscore: -0.34,
    },
    /** Half-life of a sighting, in folded events. */
    halfLife: 60,
    /** Half-life of a mention, for the co-occurrence. */
    spokenHalfLife: 15,
    /** Exponent of a name's length in its cost, and the length at which the exponent makes no difference. */
    lengthCounts: 0.75,
    usualChars: 16,
    /** Minimum weight, as a share of the highest. */
    leastShare: 0.02,
    /** Maximum names behind one file. */
    mostBehindFile: 8,
    /** Weight of what a subagent did. */
    subagentShare: 0.3,
  },

  /** The probabilities that the next session opens and changes a file, as logistic models; counts as log2(1 + x). */
  path: {
    /** Half-life of a sighting, in folded events. */
    halfLife: 15,
    /** Factor for files of an earlier session. */
    earlierSession: 0.5,
    /** For files of checkpoints without a score. */
    unknown: { opened: 0.3, edited: 0.1 },
    /** Weight of precision against recall. */
    precision: 1,
    /** Minimum score of a file that was never opened, as a share of the highest. */
    leastShare: 0.08,
    /** Maximum number of files that were never opened. */
    mostCameUp: 12,
    /** Weight of an edit beside the opening before it. */
    editing: 0.4,
    opened: {
      bias: -2.93,
      weights: {
        /** Folded events since it was last seen. */
        age: -0.23,
        asked: -0.22,
        /** Share of its name in the newest request. */
        askedFor: 0.57,
        askedOnly: -0.33,
        bare: -1.53,
        /** How recently other files of the same search were touched. */
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

  /** Probability that a command is run again, by purpose; decays with the commands run since. */
  command: { test: 0.7, build: 0.6, lint: 0.6, run: 0.4, other: 0.4, vcs: 0.1 },
  commandHalfLife: 8,

  /** A solved error is worth this share of an open one. */
  solvedErrorShare: 0.7,

  /** Probability that an uncommitted file is needed which no tool edited. An estimate: transcripts have no git state. */
  uncommitted: 0.4,

  /** The value of everything needed of one kind: one of two files is worth half of it. */
  need: { edited: 11.5, read: 4.5, commands: 4, names: 6 },

  /**
   * The value of one needed item of a section. Sections that are always needed come first. Files,
   * commands and names take their value from `need`; here is the factor.
   */
  section: {
    contradicted: 100,
    written: 100,
    goal: 100,
    latest: 0.5,
    /** A short answer makes sense only with what it answers. */
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
  /** Below this probability an item is left out even if there is room. */
  leastChance: { commands: 0.1 },
  /** Shares of the budget, and one size. */
  room: { goal: 0.11, firstAsk: 0.04, names: 0.45, lastWords: 0.05, lastWordsChars: 450 },
} as const
