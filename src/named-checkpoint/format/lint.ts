import { findPaths } from './markdown.ts'
import { SECTION_TITLES, type CheckpointSection, parseNamed, type ParsedCheckpoint } from './file-format.ts'

export const LINT_PROBLEMS = [
  'missing',
  'vague',
  'relative-time',
  'not-runnable',
  'no-path',
  'missing-file',
  'no-reason',
  'no-date',
] as const
export type LintProblem = (typeof LINT_PROBLEMS)[number]

export interface LintFinding {
  readonly field: 'task' | 'created' | CheckpointSection
  readonly problem: LintProblem
  /** The sentence; empty for a missing field. */
  readonly text: string
  readonly advice: string
}

export interface Lint {
  /** 0 to 100; from 70 on a later session can continue without asking. */
  readonly score: number
  readonly findings: readonly LintFinding[]
}

export const GOOD_SCORE = 70

const MISSING: Readonly<Record<LintFinding['field'], { readonly cost: number; readonly advice: string }>> = {
  task: { cost: 15, advice: 'Say in one line what the task is.' },
  created: { cost: 5, advice: 'Give a date such as 2026-01-31 09:05 UTC.' },
  progress: { cost: 25, advice: 'Say what is done: file, lines, what its output was.' },
  nextAction: { cost: 40, advice: 'Give the very next command or edit.' },
  blockers: { cost: 5, advice: 'Name what stands in the way with its error, or write "none".' },
  decisions: { cost: 10, advice: 'Say what was decided and why, or write "none".' },
  context: { cost: 5, advice: 'Name the files and preferences that the next session needs.' },
}

const COST: Readonly<Record<Exclude<LintProblem, 'missing'>, number>> = {
  vague: 10,
  'relative-time': 5,
  'not-runnable': 20,
  'no-path': 10,
  'missing-file': 10,
  'no-reason': 5,
  'no-date': 5,
}

const VAGUE =
  /\b(?:work(?:ed|ing)? on|continue|keep going|carry on|go on with|some (?:\w+ )?(?:conflicts?|issues?|problems?|bugs?|stuff|things|changes|progress)|various|stuff|things|finish (?:it|up|everything|the rest)|the rest|fix (?:it|them|bugs|issues)|make progress|almost done|mostly (?:done|works?)|needs? work|as needed|look into|deal with|and so on|etc)\b|继续|一些/i

/** Code, a path, a number, an identifier or a quoted message. */
const CONCRETE =
  /`[^`]+`|"[^"]{3,}"|[\w-]+\/[\w./-]+|\b[\w-]+\.[a-z]{1,5}\b|\b\w+\(\)|\b[a-z]+[A-Z]\w+|\b\w+_\w+|#\d+|\b[A-Z]{2,}-\d+|\b\d+\b/

const RELATIVE_TIME =
  /\b(?:today|yesterday|tomorrow|tonight|recently|this (?:morning|afternoon|evening|week|month)|(?:last|next) (?:night|week|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|\d+ (?:minutes?|hours?|days?|weeks?) ago|an? (?:hour|day|week) ago|in \d+ (?:hours?|days?))\b|今天|明天|昨天|刚才/i

const RUNNABLE =
  /`[^`\n]+`|^\s*[-*\d.)\s]*\$ \S|\b(?:run|rerun|execute|invoke|call|start)\s+(?:the\s+)?[\w./-]+\s+[\w./-]+/im
const EDITS =
  /\b(?:edit|add|change|write|remove|delete|rename|move|replace|open|implement|fix|update|create|extract|resolve|merge|review|decide|ask|document)\w*\b/i

const NONE = /^[-*\s]*(?:none|nothing|n\/a|no blockers?|-|无)\.?$/i

function splitSentences(text: string): readonly string[] {
  return text
    .replace(/^(`{3,}|~{3,})[\s\S]*?^\1.*$/gm, '')
    .split(/\n+|(?<=[.!?。])\s+/)
    .map((sentence) => sentence.replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?/, '').trim())
    .filter((sentence) => sentence !== '' && !/^#+\s/.test(sentence))
}

function lintSentences(field: LintFinding['field'], text: string): readonly LintFinding[] {
  return splitSentences(text).flatMap((sentence) => {
    const found: LintFinding[] = []
    if (VAGUE.test(sentence) && !CONCRETE.test(sentence))
      found.push({ field, problem: 'vague', text: sentence, advice: 'Name the file, command, error or decision.' })
    const time = RELATIVE_TIME.exec(sentence)?.[0]
    if (time !== undefined)
      found.push({ field, problem: 'relative-time', text: sentence, advice: `Write a date for "${time}".` })
    return found
  })
}

function lintNextAction(text: string): readonly LintFinding[] {
  // A request to continue is not a step, whatever it quotes.
  const isRequest = /^go on with:/i.test(text)
  if (text === '' || (RUNNABLE.test(text) && !isRequest)) return []
  if (!isRequest && EDITS.test(text) && (findPaths(text).length > 0 || CONCRETE.test(text))) return []
  return [
    {
      field: 'nextAction',
      problem: 'not-runnable',
      text: splitSentences(text)[0] ?? '',
      advice: 'Give a command between backticks, or an edit and its file.',
    },
  ]
}

function lintPaths({ sections }: ParsedCheckpoint): readonly LintFinding[] {
  const text = Object.values(sections).join('\n')
  if (text.trim() === '' || findPaths(text).length > 0) return []
  return [{ field: 'progress', problem: 'no-path', text: '', advice: 'Name at least one file by its path.' }]
}

function findMissing(read: ParsedCheckpoint): readonly LintFinding[] {
  const values: Readonly<Record<LintFinding['field'], string>> = {
    task: read.task,
    created: read.createdAt ?? '',
    ...read.sections,
  }
  const fields = ['task', 'created', 'progress', 'nextAction', 'blockers', 'decisions', 'context'] as const
  return fields
    .filter((field) => values[field].trim() === '')
    .map((field) => ({ field, problem: 'missing', text: '', advice: MISSING[field].advice }))
}

const GONE =
  /\b(?:delet|remov|renam|mov(?!ie)|drop|missing|gone|no such|(?:not|cannot|can't) (?:be )?(?:f(?:ou|i)nd|yet|exist))\w*/i
const TO_COME = /\b(?:creat|add|writ|generat|new|will|to be)\w*/i
const NEVER = /(?!)/
/** What was done is there; what is to be done may be new. */
const ABSENT: readonly (readonly [CheckpointSection, RegExp])[] = [
  ['progress', NEVER],
  ['nextAction', TO_COME],
  ['blockers', NEVER],
  ['context', TO_COME],
]

function lintMissingFiles({ sections }: ParsedCheckpoint, isThere: (path: string) => boolean): readonly LintFinding[] {
  return ABSENT.flatMap(([field, absent]) =>
    splitSentences(sections[field])
      .filter((sentence) => !GONE.test(sentence) && !absent.test(sentence))
      .flatMap(findPaths)
      .filter((path) => !isThere(path))
      .map((path) => ({
        field,
        problem: 'missing-file' as const,
        text: path,
        advice: 'Correct the path, or say that the file is still to be created.',
      })),
  )
}

const REASON =
  /\b(?:because|since|so that|so|as|due to|to (?:avoid|keep|allow|prevent|reduce|save|match|get)|in order|instead of|rather than|otherwise|therefore|hence|thus|why|reason|for|after|until|unless|while|needs?|required?|too|not|no|never|only|cannot|can't|wants?|prefers?|asked|cheaper|faster|simpler|safer|better|smaller)\b|[:;(→—–]|=>|->|因为|所以|由于/i

function lintReasons(text: string): readonly LintFinding[] {
  return splitSentences(text)
    .slice(0, 1)
    .filter(() => !REASON.test(text))
    .map((sentence) => ({
      field: 'decisions' as const,
      problem: 'no-reason' as const,
      text: sentence,
      advice: 'Say why, or what was rejected.',
    }))
}

/** Finds what a later session would have to ask about. Without `isThere` it is not checked whether named files exist. */
export function lintCheckpoint(text: string, isThere: (path: string) => boolean = () => true): Lint {
  const read = parseNamed(text)
  const { sections } = read
  const findings = [
    ...findMissing(read),
    ...lintSentences('task', read.task),
    ...lintSentences('progress', sections.progress),
    ...lintNextAction(sections.nextAction),
    ...lintSentences('nextAction', sections.nextAction),
    ...lintSentences('blockers', NONE.test(sections.blockers) ? '' : sections.blockers),
    ...lintSentences('decisions', NONE.test(sections.decisions) ? '' : sections.decisions),
    ...lintReasons(NONE.test(sections.decisions) ? '' : sections.decisions),
    ...lintSentences('context', sections.context),
    ...lintPaths(read),
    ...lintMissingFiles(read, isThere),
  ]
  const cost = findings.reduce(
    (sum, { problem, field }) => sum + (problem === 'missing' ? MISSING[field].cost : COST[problem]),
    0,
  )
  return { score: Math.max(0, 100 - cost), findings }
}

export function describeFinding({ field, problem, text, advice }: LintFinding): string {
  const name = field === 'task' ? 'Task' : field === 'created' ? 'Created' : SECTION_TITLES[field]
  const description = {
    missing: 'is missing',
    vague: 'is vague',
    'relative-time': 'has a relative time',
    'not-runnable': 'cannot be run',
    'no-path': 'names no file',
    'missing-file': 'names a file that does not exist',
    'no-reason': 'has no reason',
    'no-date': 'has no date',
  }[problem]
  return `${name} ${description}${text === '' ? '' : `: "${text}"`}. ${advice}`
}
