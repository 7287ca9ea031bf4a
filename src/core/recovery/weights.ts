/**
 * Every number that decides what is remembered and what is shown, in one place.
 * Chosen by measurement (`bench/recovery.ts`), rounded to what the data can tell apart.
 */
export const WEIGHTS = {
  /** How much one sighting of a name counts, by where it was seen. */
  identifierSighting: {
    edit: 0.75,
    command: 0.8,
    ask: 2.5,
    statement: 0.6,
    todo: 0.8,
    output: 0.12,
    /** `x.name`: members are named less often by themselves. */
    memberShare: 0.3,
    /** Whatever a subagent did counts for this share. */
    subagentShare: 0.3,
  },
  /** Folded things after which a sighting counts half. */
  identifierHalfLife: { recent: 20, lasting: 120 },
  identifierMix: { recent: 1, lasting: 1 },

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

  /** Chance that the first name of the ranking comes up again, and the places after which it is halved. */
  identifier: { first: 0.6, rankHalfLife: 18 },

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
    identifiers: 0.1,
    decisions: 2,
    failed: 1,
    refs: 0.1,
    remembers: 0.5,
    words: 0.5,
  },
  /** What is less likely to be needed is not said even where there is room: silence is better than noise. */
  leastChance: { files: 0.08, commands: 0.1, identifiers: 0.12 },
  /** Shares of the budget, and one size. */
  room: { goal: 0.11, firstAsk: 0.05, lastWordsChars: 300 },
} as const
