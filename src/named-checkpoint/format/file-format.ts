import { type MarkdownSection, splitSections, findOpenFence } from './markdown.ts'
import type { DirtySummary } from '../../kernel/location.ts'

const HINTS = {
  progress: 'What was completed: files, lines, outputs',
  nextAction: 'The exact next step: file, command, decision',
  blockers: 'Concrete obstacles: errors, conflicts, pending decisions',
  decisions: 'Reasoning that led to the current state, not just facts',
  context: 'Files, paths, preferences, anything needed to continue',
} as const

function formatStamp(createdAt: string): string {
  return `${createdAt.slice(0, 10)} ${createdAt.slice(11, 16)} UTC`
}

/** Escapes headings and comments and closes open fences, so that the text stays inside its section. */
function escapeSection(text: string): string {
  const own = text
    .trim()
    .replaceAll('<!--', '&lt;!--')
    .replace(/(?<=^|\r)(?=#{1,2}\s)/gm, '##')
  const fence = findOpenFence(own)
  return fence === undefined ? own : `${own}\n${fence}`
}

function renderGit({ branch, head, dirty }: GitMark): readonly string[] {
  return [
    ...(branch === undefined ? ['- Branch: none'] : [`- Branch: \`${branch}\``]),
    ...(head === undefined ? [] : [`- HEAD: \`${head}\``]),
    ...(dirty === undefined
      ? []
      : [`- Uncommitted: ${dirty.staged} staged, ${dirty.unstaged} unstaged, ${dirty.untracked} untracked`]),
  ]
}

/**
 * The checkpoint skill's Markdown plus git state, file hashes and a seal. The text is redacted again as a whole, because a secret may span
 * several fields.
 */
export function renderNamed(
  checkpoint: NamedCheckpoint,
  seal: Seal,
  redact: (text: string) => string = (text) => text,
): string {
  const { name, createdAt, task, sections, git, files } = checkpoint
  const text = [
    `# Checkpoint: ${name}`,
    `**Created:** ${formatStamp(createdAt)}\n**Task:** ${task.replace(/\s+/g, ' ').trim() || 'Unnamed task'}`,
    ...SECTION_KEYS.map(
      (key) => `## ${SECTION_TITLES[key]}\n\n${escapeSection(sections[key]) || `<!-- ${HINTS[key]} -->`}`,
    ),
  ]
  const blocks = [
    redact(text.join('\n\n')),
    ...(git === undefined ? [] : [`## Git State\n\n${renderGit(git).join('\n')}`]),
    ...(files.length === 0
      ? []
      : [
          `## File Hashes\n\n${files.map(({ path, hash }) => `- \`${path}\` ${hash === undefined ? 'unread' : `sha256:${hash}`}`).join('\n')}`,
        ]),
  ]
  return appendSeal(`${blocks.join('\n\n')}\n`, seal)
}

/** The sections of the file, in order. */
export const SECTION_KEYS = ['progress', 'nextAction', 'blockers', 'decisions', 'context'] as const
export type CheckpointSection = (typeof SECTION_KEYS)[number]

export const SECTION_TITLES: Readonly<Record<CheckpointSection, string>> = {
  progress: 'Progress',
  nextAction: 'Next Action',
  blockers: 'Blockers',
  decisions: 'Key Decisions',
  context: 'Relevant Context',
}

export interface FileMark {
  /** Relative to the worktree. */
  readonly path: string
  /** SHA-256 of the content; absent if unreadable. */
  readonly hash?: string
}

export interface GitMark {
  readonly branch?: string
  readonly head?: string
  readonly dirty?: Pick<DirtySummary, 'staged' | 'unstaged' | 'untracked'>
}

/** The state of a task, saved under a name for a later session. Users read and edit the file. */
export interface NamedCheckpoint {
  readonly name: string
  /** UTC ISO. */
  readonly createdAt: string
  /** One line; empty if unknown. */
  readonly task: string
  /** Markdown. */
  readonly sections: Readonly<Record<CheckpointSection, string>>
  readonly git?: GitMark
  readonly files: readonly FileMark[]
}

/** Computes a keyed hash that only this user's Holdfast can make, to recognize its own files. */
export type Seal = (text: string) => string

const SEAL_LINE = /\n?<!-- holdfast seal: ([0-9a-f]{16,128}) -->\s*$/

function appendSeal(text: string, seal: Seal): string {
  return `${text}\n<!-- holdfast seal: ${seal(text)} -->\n`
}

/** Whether the text is exactly what this Holdfast wrote. An edited file is still a valid checkpoint. */
export function hasValidSeal(text: string, seal: Seal): boolean {
  const found = SEAL_LINE.exec(text)
  return found !== null && found[1] === seal(text.slice(0, found.index))
}

function removeSeal(text: string): string {
  return text.replace(SEAL_LINE, '')
}

/** A parsed file; missing parts are empty. */
export interface ParsedCheckpoint {
  readonly name?: string
  /** UTC ISO; absent without a readable date. */
  readonly createdAt?: string
  readonly task: string
  readonly sections: Readonly<Record<CheckpointSection, string>>
  readonly git?: GitMark
  readonly files: readonly FileMark[]
}

const TITLES: readonly (readonly [RegExp, CheckpointSection])[] = [
  [/^(?:progress|done|completed|what was done)/i, 'progress'],
  [/^next\b/i, 'nextAction'],
  [/^(?:blockers?|blocked|open (?:questions|threads))/i, 'blockers'],
  [/^(?:key |recent )?decisions?/i, 'decisions'],
  [/^(?:relevant |immediate )?context|^key files|^(?:user )?preferences|^notes/i, 'context'],
]
/** Such a title says no more than which section it is. */
export const BARE_TITLE =
  /^(?:progress|done|completed(?: (?:work|tasks|items|steps))?|what was done|next(?: (?:action|step|task|up)s?)?|blockers?|blocked|open (?:questions|threads)|(?:key |recent )?decisions?|(?:relevant |immediate )?context|key files|(?:user )?preferences|notes)\W*$/i
const GIT_TITLE = /^git\b/i
const FILES_TITLE = /^(?:file hashes|files)\b/i
/** What Holdfast itself writes about the repository is data and no text. */
const RECORD_TITLE = /^(?:git state|file hashes)$/i

function findSectionKey(title: string): CheckpointSection | undefined {
  return TITLES.find(([pattern]) => pattern.test(title.trim()))?.[1]
}

function readField(text: string, label: string): string | undefined {
  return new RegExp(`^[ \\t]*\\**${label}:?\\**:?[ \\t]*(.*)$`, 'im').exec(text)?.[1]?.replace(/\*+$/, '').trim()
}

/** `2026-01-31 09:05 GMT+8`, `2026-01-31 09:05 UTC`, or an ISO time. Default zone: UTC. */
export function parseStamp(text: string): string | undefined {
  const found =
    /(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(?:Z|UTC|(?:GMT|UTC)?([+-])(\d{1,2}):?(\d{2})?)?/i.exec(
      text,
    )
  if (found === null) return undefined
  const [, year, month, day, hour, minute, second = '00', sign, zoneHours = '0', zoneMinutes = '0'] = found
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`)
  if (Number.isNaN(local)) return undefined
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000 * (sign === '-' ? -1 : 1)
  const at = new Date(local - (sign === undefined ? 0 : offset))
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

function readGit(body: string): GitMark | undefined {
  const branch = /^[-*\s]*Branch:\s*`([^`\n]+)`/im.exec(body)?.[1]
  const head = /^[-*\s]*HEAD:\s*`?([0-9a-f]{7,64})/im.exec(body)?.[1]
  const dirty = /(\d+) staged, (\d+) unstaged, (\d+) untracked/.exec(body)
  if (branch === undefined && head === undefined && dirty === null) return undefined
  return {
    ...(branch !== undefined && { branch }),
    ...(head !== undefined && { head }),
    ...(dirty !== null && {
      dirty: { staged: Number(dirty[1]), unstaged: Number(dirty[2]), untracked: Number(dirty[3]) },
    }),
  }
}

const MAX_FILES = 200

function readFiles(body: string): readonly FileMark[] {
  return [...body.matchAll(/^[-*]\s+`([^`\n]+)`\s*(?:sha256:([0-9a-f]{64}))?/gm)]
    .slice(0, MAX_FILES)
    .map(([, path = '', hash]) => ({ path, ...(hash !== undefined && { hash }) }))
}

const TASK_TITLE = /^(?:current |active )?(?:task|goal|objective)\b/i
/** Titles of a whole file, and lines of its head, that are not content. */
export const FILE_TITLE = /^(?:checkpoint\b|autosave\b|session[- ]?state\b)/i
const HEAD_FIELD = /^[ \t]*\**(?:created|saved|auto-saved|task|age)\**:/i

/** Splits at the first line that has text. */
function splitFirstLine(body: string): readonly [first: string, others: string] {
  const [first = '', ...others] = body.trim().split('\n')
  return [first.trim(), others.join('\n').trim()]
}

/** What stands under no known heading, and behind the first line of the task: it must not get lost. */
function collectOtherText(sections: readonly MarkdownSection[], task: MarkdownSection | undefined): string {
  return sections
    .filter(({ title }) => findSectionKey(title) === undefined && !RECORD_TITLE.test(title))
    .map((section) => {
      const { title, level, body } = section
      const isTask = section === task
      const own =
        level < 2
          ? body
              .split('\n')
              .filter((line) => !HEAD_FIELD.test(line))
              .join('\n')
          : body
      const text = isTask ? splitFirstLine(own)[1] : own.trim()
      const isTitled = title !== '' && !isTask && !(level === 1 && FILE_TITLE.test(title))
      return isTitled ? `### ${title}\n${text}`.trim() : text
    })
    .filter((text) => text !== '')
    .join('\n\n')
}

function joinSections(sections: readonly MarkdownSection[], key: CheckpointSection): string {
  return sections
    .filter(({ title }) => findSectionKey(title) === key)
    .map(({ title, body }) => (BARE_TITLE.test(title) ? body : `**${title}**\n${body}`.trim()))
    .filter((body) => body !== '')
    .join('\n\n')
}

/** Also accepts files written by hand or by another tool. Never throws. */
export function parseNamed(text: string): ParsedCheckpoint {
  const sections = splitSections(removeSeal(text))
  const head = sections
    .filter(({ level }) => level < 2)
    .map(({ body }) => body)
    .join('\n')
  const title = sections.find(({ level }) => level === 1)?.title
  const name = title === undefined ? undefined : /^Checkpoint:\s*(.+)$/i.exec(title)?.[1]?.trim()
  const createdAt = parseStamp(readField(head, 'Created') ?? readField(head, 'Saved') ?? '')
  const git = sections.map(({ title: own, body }) => (GIT_TITLE.test(own) ? readGit(body) : undefined)).find(Boolean)
  const taskField = readField(head, 'Task')
  const taskSection = taskField === undefined ? sections.find(({ title: own }) => TASK_TITLE.test(own)) : undefined
  const task = taskField ?? splitFirstLine(taskSection?.body ?? '')[0]
  const context = [joinSections(sections, 'context'), collectOtherText(sections, taskSection)].filter(
    (part) => part !== '',
  )
  return {
    ...(name !== undefined && { name }),
    ...(createdAt !== undefined && { createdAt }),
    task: task === 'Unnamed task' ? '' : task,
    sections: {
      progress: joinSections(sections, 'progress'),
      nextAction: joinSections(sections, 'nextAction'),
      blockers: joinSections(sections, 'blockers'),
      decisions: joinSections(sections, 'decisions'),
      context: context.join('\n\n'),
    },
    ...(git !== undefined && { git }),
    files: sections.filter(({ title: own }) => FILES_TITLE.test(own)).flatMap(({ body }) => readFiles(body)),
  }
}
