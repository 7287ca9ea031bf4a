import type { BufferEntry } from './checkpoint-files.ts'

export const WORKING_BUFFER = 'memory/working-buffer.md'

const KEEPER = '**Kept by:** Holdfast'
const MAX_ENTRY_CHARS = 1_200
const MAX_BUFFER_CHARS = 60_000

/** The header that the protocol asks for, and whose it is: an agent that keeps its own buffer is not interfered with. */
export function newBuffer(sessionKey: string, now: string): string {
  return `# Working Buffer (Danger Zone Log)\n**Status:** ACTIVE\n**Started:** ${now}\n${KEEPER}\n**Session:** ${oneLine(sessionKey, 200)}\n\n---\n`
}

function oneLine(text: string, max: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, max)
}

function headOf(buffer: string): string {
  return buffer.slice(0, 1_000).split('\n---')[0] ?? ''
}

/** Begun by us, for whichever session; an empty one is anybody's. */
export function isOurBuffer(buffer: string): boolean {
  return buffer.trim() === '' || headOf(buffer).split('\n').includes(KEEPER)
}

/** Begun by us for this session. */
export function isBufferOf(buffer: string, sessionKey: string): boolean {
  return (
    isOurBuffer(buffer) &&
    headOf(buffer)
      .split('\n')
      .includes(`**Session:** ${oneLine(sessionKey, 200)}`)
  )
}

/** The first sentences: the protocol wants one or two of what the agent said. */
function shortened(text: string): string {
  const letters = Array.from(text.replaceAll('\r', '').trim())
  return letters.length <= MAX_ENTRY_CHARS ? letters.join('') : `${letters.slice(0, MAX_ENTRY_CHARS - 1).join('')}…`
}

/** Somebody's text inside an entry of ours: a line of theirs must not pass for the head of another. */
function asEntry(text: string): string {
  return shortened(text).replace(/^(?=#|---)/gm, '\\')
}

/** The buffer with one more entry; the oldest go when it is long. */
export function appendToBuffer(buffer: string, { at, by, text }: BufferEntry): string {
  const longer = `${buffer.trimEnd()}\n\n## [${at}] ${by}\n${asEntry(text)}\n`
  if (longer.length <= MAX_BUFFER_CHARS) return longer
  const [head = '', ...entries] = longer.split(/\n(?=## \[)/)
  while (entries.length > 1 && head.length + entries.join('\n').length > MAX_BUFFER_CHARS) entries.shift()
  return [head, ...entries].join('\n')
}
