import type { BufferEntry } from './checkpoint-files.ts'
import { truncate } from '../kernel/text/text.ts'

export const WORKING_BUFFER = 'memory/working-buffer.md'

const OWNER_LINE = '**Kept by:** Holdfast'
const MAX_ENTRY_CHARS = 1_200
const MAX_BUFFER_CHARS = 60_000

/** The protocol's header, plus an owner line: a buffer that an agent maintains itself is not changed. */
export function createBuffer(sessionKey: string, now: string): string {
  return `# Working Buffer (Danger Zone Log)\n**Status:** ACTIVE\n**Started:** ${now}\n${OWNER_LINE}\n**Session:** ${oneLine(sessionKey, 200)}\n\n---\n`
}

function oneLine(text: string, max: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, max)
}

function readHead(buffer: string): string {
  return buffer.slice(0, 1_000).split('\n---')[0] ?? ''
}

/** Started by Holdfast for any session, or empty. */
export function isOurBuffer(buffer: string): boolean {
  return buffer.trim() === '' || readHead(buffer).split('\n').includes(OWNER_LINE)
}

/** Started by Holdfast for this session. */
export function belongsToSession(buffer: string, sessionKey: string): boolean {
  return (
    isOurBuffer(buffer) &&
    readHead(buffer)
      .split('\n')
      .includes(`**Session:** ${oneLine(sessionKey, 200)}`)
  )
}

function shortenEntry(text: string): string {
  return truncate(text.replaceAll('\r', '').trim(), MAX_ENTRY_CHARS)
}

/** Escapes lines that would look like the heading of another entry. */
function escapeEntry(text: string): string {
  return shortenEntry(text).replace(/^(?=#|---)/gm, '\\')
}

/** Appends an entry and drops the oldest if the buffer is too long. */
export function appendToBuffer(buffer: string, { at, by, text }: BufferEntry): string {
  const longer = `${buffer.trimEnd()}\n\n## [${at}] ${by}\n${escapeEntry(text)}\n`
  if (longer.length <= MAX_BUFFER_CHARS) return longer
  const [head = '', ...entries] = longer.split(/\n(?=## \[)/)
  while (entries.length > 1 && head.length + entries.join('\n').length > MAX_BUFFER_CHARS) entries.shift()
  return [head, ...entries].join('\n')
}
