import { type MarkdownSection, markdownSections } from './markdown-sections.ts'
import type { FileMark, GitMark, SectionKey } from './named-checkpoint.ts'
import { withoutSeal } from './seal.ts'

/** What a file says, however it was edited: whatever is missing is empty. */
export interface ReadCheckpoint {
  readonly name?: string
  /** UTC ISO; absent when the file has no date that can be read. */
  readonly createdAt?: string
  readonly task: string
  readonly sections: Readonly<Record<SectionKey, string>>
  readonly git?: GitMark
  readonly files: readonly FileMark[]
}

const TITLES: readonly (readonly [RegExp, SectionKey | 'git' | 'files'])[] = [
  [/^(?:progress|done|completed|what was done)/i, 'progress'],
  [/^next\b/i, 'nextAction'],
  [/^(?:blockers?|blocked|open (?:questions|threads))/i, 'blockers'],
  [/^(?:key |recent )?decisions?/i, 'decisions'],
  [/^(?:relevant |immediate )?context|^key files|^(?:user )?preferences|^notes/i, 'context'],
  [/^git\b/i, 'git'],
  [/^(?:file hashes|files)\b/i, 'files'],
]

function keyOf(title: string): SectionKey | 'git' | 'files' | undefined {
  return TITLES.find(([pattern]) => pattern.test(title.trim()))?.[1]
}

function field(text: string, label: string): string | undefined {
  return new RegExp(`^[ \\t]*\\**${label}:?\\**:?[ \\t]*(.*)$`, 'im').exec(text)?.[1]?.replace(/\*+$/, '').trim()
}

/** `2026-01-31 09:05 GMT+8`, `2026-01-31 09:05 UTC`, or an ISO time. Without a zone it is taken as UTC. */
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

function join(sections: readonly MarkdownSection[], key: SectionKey): string {
  return sections
    .filter(({ title, level }) => level === 2 && keyOf(title) === key)
    .map(({ body }) => body)
    .filter((body) => body !== '')
    .join('\n\n')
}

/** Reads a checkpoint file, also one that was written by hand or by another tool. Never throws. */
export function parseNamed(text: string): ReadCheckpoint {
  const sections = markdownSections(withoutSeal(text))
  const head = sections
    .filter(({ level }) => level < 2)
    .map(({ body }) => body)
    .join('\n')
  const title = sections.find(({ level }) => level === 1)?.title
  const name = title === undefined ? undefined : /^Checkpoint:\s*(.+)$/i.exec(title)?.[1]?.trim()
  const createdAt = parseStamp(field(head, 'Created') ?? field(head, 'Saved') ?? '')
  const git = sections.map(({ title: own, body }) => (keyOf(own) === 'git' ? readGit(body) : undefined)).find(Boolean)
  const task = field(head, 'Task') ?? ''
  return {
    ...(name !== undefined && { name }),
    ...(createdAt !== undefined && { createdAt }),
    task: task === 'Unnamed task' ? '' : task,
    sections: {
      progress: join(sections, 'progress'),
      nextAction: join(sections, 'nextAction'),
      blockers: join(sections, 'blockers'),
      decisions: join(sections, 'decisions'),
      context: join(sections, 'context'),
    },
    ...(git !== undefined && { git }),
    files: sections.filter(({ title: own }) => keyOf(own) === 'files').flatMap(({ body }) => readFiles(body)),
  }
}
