/**
 * Every number that decides what is remembered and what is shown, in one place.
 * Chosen by measurement (`bench/recovery.ts`), rounded to what the data can tell apart.
 */
export const WEIGHTS = {
  /** How much one sighting of a name counts, by where it was seen. */
  identifierSighting: {
    edit: 1,
    search: 1.2,
    command: 0.8,
    ask: 1.5,
    statement: 0.9,
    error: 0.5,
    todo: 0.8,
    /** Whatever a subagent did counts for this share. */
    subagentShare: 0.3,
  },
  /** Folded things after which a sighting counts half. */
  identifierHalfLife: { recent: 12, lasting: 120 },
  identifierMix: { recent: 1, lasting: 0.5 },

  /** Worth of a file by what was done to it, before fading by how many files were touched since. */
  file: { edited: 1, read: 0.55, mentioned: 0.22, perExtraEdit: 0.06, perExtraRead: 0.04, outside: 0.35 },
  /** Files touched since, after which a file's worth is halved. */
  fileHalfLife: 9,
  /** Folded things after which being named counts half. */
  namedFileHalfLife: 30,

  command: { test: 1, build: 0.9, lint: 0.85, run: 0.7, other: 0.6, vcs: 0.25 },
  commandHalfLife: 6,

  /** Places in the ranking after which a name's worth is halved. */
  identifierRankHalfLife: 25,

  /** What one item of a section is worth when it is the best of its kind. */
  section: {
    contradicted: 100,
    written: 100,
    goal: 100,
    latest: 20,
    next: 100,
    waiting: 60,
    running: 30,
    todos: 20,
    blockers: 30,
    failing: 12,
    errors: 6,
    edited: 12,
    read: 7,
    named: 5,
    commands: 10,
    identifiers: 3,
    decisions: 20,
    failed: 12,
    refs: 3,
    remembers: 6,
    words: 5,
  },
  /** Items worth less than this are not said even where there is room: silence is better than noise. */
  floor: 0.4,
  /** Shares of the budget, and one size. */
  room: { goal: 0.17, firstAsk: 0.08, lastWordsChars: 300 },
} as const
