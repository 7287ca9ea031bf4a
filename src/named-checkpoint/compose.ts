import type { Checkpoint } from '../kernel/checkpoint.ts'
import { isScratch } from '../kernel/paths/paths.ts'
import { findPaths, splitSections } from './format/markdown.ts'
import {
  type GitMark,
  type NamedCheckpoint,
  type CheckpointSection,
  parseNamed,
  type ParsedCheckpoint,
  renderNamed,
} from './format/file-format.ts'
import { lintCheckpoint } from './format/lint.ts'
import type { NamedListing } from './use-cases.ts'
import { isSubstantiveRequest, leadingSentences, truncate } from '../kernel/text/text.ts'

/** A named checkpoint from the store, whose file is missing. */
export function readStored(checkpoint: Checkpoint): {
  readonly read: ParsedCheckpoint
  readonly listing: Omit<NamedListing, 'isOurs'>
} {
  const { createdAt, place, work } = checkpoint
  const name = checkpoint.name ?? checkpoint.id
  const { branch, head } = place
  const git = { ...(branch !== undefined && { branch }), ...(head !== undefined && { head }) }
  const files = work.files.flatMap(({ path, contentHash }) =>
    contentHash === undefined ? [] : [{ path, hash: contentHash }],
  )
  const composed = { ...composeNamed({ name, createdAt, observed: checkpoint, git }), files }
  const { task, sections } = composed
  return {
    read: { name, createdAt, task, sections, git, files },
    listing: {
      name,
      savedAt: createdAt,
      task,
      nextAction: sections.nextAction,
      ...(branch !== undefined && { branch }),
      score: lintCheckpoint(renderNamed(composed, () => '')).score,
    },
  }
}

/** The fields that one source provides; empty if it has none. */
export interface CheckpointDraft {
  readonly task: string
  readonly sections: Readonly<Record<CheckpointSection, string>>
}

/** As much as fits into a file that is read again. */
const MAX_SECTION_CHARS = 50_000
const MAX_TASK_CHARS = 200

function firstLine(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? ''
  return truncate(
    line
      .replace(/^[\s>*#-]+/, '')
      .replaceAll('**', '')
      .trim(),
    MAX_TASK_CHARS,
  )
}

const EMPTY: CheckpointDraft = {
  task: '',
  sections: { progress: '', nextAction: '', blockers: '', decisions: '', context: '' },
}

/** Underlined headings as marked ones, and headings below level 2 as level 2 where there are no others. */
function markHeadings(text: string): string {
  if (/^ {0,3}(?:```|~~~)/m.test(text)) return text
  const marked = text.replace(
    /^(?![\s#>|*+-]|\d+[.)])(.+)\r?\n(=+|-{3,})[ \t]*$/gm,
    (_all, title: string, line: string) => `${line.startsWith('=') ? '#' : '##'} ${title}`,
  )
  return /^#{1,2}\s/m.test(marked) ? marked : marked.replace(/^#{3,6}(?=\s)/gm, '##')
}

/** `SESSION-STATE.md` has no fixed format: known headings become sections, everything else becomes context. */
function draftFromSessionState(text: string | undefined): CheckpointDraft {
  if (text === undefined || text.trim() === '') return EMPTY
  const { task, sections } = parseNamed(markHeadings(text))
  const clipped = (key: CheckpointSection) => truncate(sections[key].trim(), MAX_SECTION_CHARS)
  const whole = task.length > MAX_TASK_CHARS ? task : ''
  return {
    task: truncate(firstLine(task), MAX_TASK_CHARS),
    sections: {
      progress: clipped('progress'),
      nextAction: clipped('nextAction'),
      blockers: clipped('blockers'),
      decisions: clipped('decisions'),
      context: truncate([whole, sections.context.trim()].join('\n\n').trim(), MAX_SECTION_CHARS),
    },
  }
}

/** From the working buffer: the agent's summaries become progress, the user's last message becomes context. */
export function draftFromWorkingBuffer(text: string | undefined): CheckpointDraft {
  if (text === undefined || text.trim() === '') return EMPTY
  const entries = splitSections(text).filter(({ title }) => title.startsWith('['))
  const agent = entries.filter(({ title }) => /\bAgent\b/i.test(title)).slice(-5)
  const human = entries.findLast(({ title }) => /\bHuman\b/i.test(title))
  return {
    task: '',
    sections: {
      ...EMPTY.sections,
      progress: truncate(agent.map(({ body }) => `- ${body.replace(/\s+/g, ' ')}`).join('\n'), MAX_SECTION_CHARS),
      context: human === undefined ? '' : truncate(`- The user last said: ${human.body.replace(/\s+/g, ' ')}`, 600),
    },
  }
}

function bullets(lines: readonly string[], max: number): string {
  return lines
    .slice(0, max)
    .map((line) => `- ${truncate(line.replace(/\s+/g, ' ').trim(), 300)}`)
    .join('\n')
}

/** What the user asked for, when the checkpoint's own summary is the note of another named checkpoint. */
function findTask({ summary, written, work }: Checkpoint, name: string): string {
  const isOfAnother = written?.name !== undefined && written.name !== name
  if (!isOfAnother) return summary
  const request = work.asks.findLast(({ text, order }) => order < written.order && isSubstantiveRequest(text))
  return request === undefined ? '' : leadingSentences(request.text, MAX_TASK_CHARS)
}

/** From observed work, never from the agent's messages, and nothing that was written for another named checkpoint. */
function draftFromObserved(checkpoint: Checkpoint | undefined, name: string): CheckpointDraft {
  if (checkpoint === undefined) return EMPTY
  const { work, written } = checkpoint
  const isNoteOfAnother = written?.name !== undefined && written.name !== name
  const edited = work.files.filter(({ edits, action }) => edits > 0 || action === 'created' || action === 'deleted')
  const newestFirst = edited.toSorted((a, b) => b.lastOrder - a.lastOrder)
  const ran = work.commands.filter(({ purpose }) => purpose !== 'other' && purpose !== 'vcs').slice(-5)
  return {
    task: truncate(findTask(checkpoint, name).trim(), MAX_TASK_CHARS),
    sections: {
      progress: bullets(
        [
          ...newestFirst.slice(0, 12).map(({ path, action }) => `${action} \`${path}\``),
          ...ran.map(
            ({ command, ok, exitStatus }) =>
              `\`${command}\` ${ok ? 'passed' : `failed${exitStatus === undefined ? '' : ` with ${exitStatus}`}`}`,
          ),
        ],
        17,
      ),
      nextAction: isNoteOfAnother ? '' : (checkpoint.nextAction ?? ''),
      blockers: bullets(
        [
          ...(isNoteOfAnother ? [] : work.blockers),
          ...work.tests
            .filter(({ status }) => status === 'failing')
            .map(({ name, command }) => `failing: ${name} (\`${command}\`)`),
          ...work.errors
            .filter(({ resolution }) => resolution === undefined)
            .slice(-3)
            .map(({ text }) => `error: "${text}"`),
        ],
        10,
      ),
      decisions: bullets(
        work.decisions
          .filter(({ savedAs }) => savedAs === undefined || savedAs === name)
          .map(({ decision, rationale }) => (rationale === undefined ? decision : `${decision}, because ${rationale}`)),
        10,
      ),
      context: bullets(
        newestFirst.length > 0
          ? []
          : work.files
              .toSorted((a, b) => b.lastOrder - a.lastOrder)
              .slice(0, 8)
              .map(({ path }) => `read \`${path}\``),
        8,
      ),
    },
  }
}

export interface ComposeNamedInput {
  readonly name: string
  readonly createdAt: string
  /** The caller's own text takes precedence. */
  readonly task?: string
  readonly given?: Partial<Readonly<Record<CheckpointSection, string>>>
  readonly sessionState?: string
  readonly workingBuffer?: string
  readonly observed?: Checkpoint
  readonly git?: GitMark
}

function pickFirst(texts: readonly (string | undefined)[]): string {
  return texts.find((text) => text !== undefined && text.trim() !== '')?.trim() ?? ''
}

function isNone(text: string): boolean {
  return /^(?:none|nothing|no|n a)?$/i.test(text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim())
}

/** The caller's text with what SESSION-STATE.md says besides. */
function joinGiven(given: string | undefined, own: string): string | undefined {
  if (given === undefined || isNone(given) || own === '' || given.includes(own)) return given
  return `${given.trim()}\n\n${own}`
}

/** What the caller's task and next action replace, for the context. */
function listReplaced({ task, given }: ComposeNamedInput, state: CheckpointDraft): readonly string[] {
  const replaced = (own: string | undefined, other: string) =>
    other !== '' && own !== undefined && own.trim() !== '' && !own.includes(other)
  return [
    ...(replaced(task, state.task) ? [`Task in SESSION-STATE.md: ${state.task}`] : []),
    ...(replaced(given?.nextAction, state.sections.nextAction)
      ? [`Next in SESSION-STATE.md: ${state.sections.nextAction}`]
      : []),
  ]
}

/** The caller's text first, then SESSION-STATE.md and the buffer, then observed work. Observed files are added to progress without paths. */
export function composeNamed(input: ComposeNamedInput): Omit<NamedCheckpoint, 'files'> {
  const state = draftFromSessionState(input.sessionState)
  const drafts: readonly CheckpointDraft[] = [
    state,
    draftFromWorkingBuffer(input.workingBuffer),
    draftFromObserved(input.observed, input.name),
  ]
  const section = (key: CheckpointSection) =>
    pickFirst([
      key === 'nextAction' ? input.given?.nextAction : joinGiven(input.given?.[key], state.sections[key]),
      ...drafts.map(({ sections }) => sections[key]),
    ])
  const progress = section('progress')
  const observed = drafts.at(-1)?.sections.progress ?? ''
  const isJoined = progress !== '' && observed !== '' && progress !== observed && findPaths(progress).length === 0
  return {
    name: input.name,
    createdAt: input.createdAt,
    task: pickFirst([input.task, ...drafts.map(({ task }) => task)]),
    sections: {
      progress: isJoined ? `${progress}\n${observed}` : progress,
      nextAction: section('nextAction'),
      blockers: section('blockers'),
      decisions: section('decisions'),
      context: [section('context'), ...listReplaced(input, state)].filter((text) => text !== '').join('\n\n'),
    },
    ...(input.git !== undefined && { git: input.git }),
  }
}

const MAX_FILES = 30

/** Paths named in the text, then edited files. */
export function listPathsToHash(
  checkpoint: Omit<NamedCheckpoint, 'files'>,
  observed: Checkpoint | undefined,
): readonly string[] {
  const named = findPaths([checkpoint.task, ...Object.values(checkpoint.sections)].join('\n'))
  const edited = (observed?.work.files ?? [])
    .filter(({ edits, action }) => edits > 0 && action !== 'deleted')
    .map(({ path }) => path)
  return [...new Set([...named, ...edited])].filter((path) => !isScratch(path)).slice(0, MAX_FILES)
}
