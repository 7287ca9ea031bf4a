/**
 * Every number that decides which sentences are selected. A sentence's score is e to the sum of what applies to it, divided by
 * its length to the power of `length`, times the share of its words that nothing taken so far has said.
 */
export const SCORING = {
  /** Per fifteen messages since; the user's words age more slowly. */
  age: -1.25,
  userAge: -1,
  /** What the user wants or does not want holds longer. */
  wishAge: -0.6,
  user: 0.5,
  answer: 0.5,
  turnFinal: 0.25,
  /** The first two sentences of a turn's final message. */
  opening: 0.45,
  /** Each kind of cue, up to three. */
  cue: 0.3,
  identifiers: 0.4,
  narration: -0.55,
  agentQuestion: -0.35,
  acknowledgement: -1,
  longMessage: -0.3,
  summary: -0.5,
  report: -1,
  /** A row of a table without its head. */
  row: -0.7,
  /** An item of a list of possibilities. */
  hedged: -0.7,
  /** In a long document: its requirements, and lists of files. */
  demand: 1,
  fileList: -0.6,
  asIs: -0.8,
  /** A numbered item leads those below it. */
  numbered: 0.3,
  /** In a plan: what it says about a todo that is open, or done. */
  openTodo: 0.8,
  doneTodo: -0.8,
  /** A sentence of the agent with a lower score says too little to fill room with. */
  least: 0.6,
  length: 0.3,
  neighbour: 1.2,
  /** "This means…" without the sentence that it refers to. */
  unreferred: 0.4,
  /** Share of a sentence's words, if all of them were said before. */
  leastNovelty: 0.15,
  /** A sentence that shares so much with one taken sentence repeats it. */
  repeated: 0.58,
} as const

/** Characters that a section may take before the best sentences of the whole dialogue fill what is left. */
export const ROOMS = {
  request: 430,
  /** Short requests after it. */
  since: 200,
  overall: 240,
  answered: 320,
  lastWords: 500,
  /** The last words before a newer request. */
  formerWords: 500,
  /** What the user said in short messages. */
  user: 320,
  rules: 320,
  todos: 210,
  /** Steps of the plan that are left. */
  steps: 260,
  edits: 160,
  commands: 100,
  files: 350,
  /** Of the files, those that were only read. */
  readShare: 0.2,
} as const
