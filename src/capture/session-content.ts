import type { SessionEvent, StoredEvent } from '../kernel/event.ts'
import { truncate } from '../kernel/text/text.ts'

export const CONTENT_KINDS = [
  'request',
  'answer',
  'command',
  'edit',
  'decision',
  'note',
  'summary',
  'start',
  'end',
] as const

/** One thing that was said or done in a session, for people. */
export interface ContentEntry {
  readonly seq: number
  readonly at: string
  readonly kind: (typeof CONTENT_KINDS)[number]
  readonly text: string
  /** Of a command or an edit that returned. */
  readonly ok?: boolean
  readonly files?: readonly string[]
}

type EventContent = Pick<ContentEntry, 'kind' | 'text' | 'ok' | 'files'>

const MAX_OUTPUT_CHARS = 1_000

function toToolContent({ tool, outcome }: Extract<SessionEvent, { kind: 'tool-finished' }>): EventContent | undefined {
  if (outcome.refused !== undefined) {
    const words = outcome.refused.words ?? ''
    return { kind: 'note', text: `Refused: ${tool.command ?? tool.name} ${words}`.trim() }
  }
  if (tool.command !== undefined) {
    const output = truncate(outcome.output ?? '', MAX_OUTPUT_CHARS)
    return { kind: 'command', text: output === '' ? tool.command : `${tool.command}\n${output}`, ok: outcome.ok }
  }
  const files = tool.files.filter(({ action }) => action !== 'read').map(({ path }) => path)
  return files.length === 0 ? undefined : { kind: 'edit', text: files.join(', '), files, ok: outcome.ok }
}

/** The searchable text of an event; undefined if it has none. */
export function toContent(event: SessionEvent): EventContent | undefined {
  switch (event.kind) {
    case 'prompt-submitted':
      return { kind: 'request', text: event.prompt }
    case 'turn-ended':
    case 'subagent-finished':
      return event.lastMessage === undefined ? undefined : { kind: 'answer', text: event.lastMessage }
    case 'tool-finished':
      return toToolContent(event)
    case 'decision-made':
      return { kind: 'decision', text: [event.decision, event.rationale].filter(Boolean).join('\n') }
    case 'digest-written': {
      const decisions = (event.decisions ?? []).map(({ decision }) => `Decided: ${decision}`)
      return { kind: 'note', text: [event.summary, event.nextAction ?? '', ...decisions].filter(Boolean).join('\n') }
    }
    case 'remembered':
      return { kind: 'note', text: event.content }
    case 'error-recovered':
      return { kind: 'note', text: `${event.error}\n${event.resolution}` }
    case 'compaction-finished':
      return event.summary === undefined ? undefined : { kind: 'summary', text: event.summary }
    case 'session-started':
      return { kind: 'start', text: event.source }
    case 'session-ended':
      return { kind: 'end', text: event.reason }
    case 'tool-started':
    case 'compaction-started':
    case 'subagent-started':
    case 'gate-changed':
    case 'task-session-changed':
      return undefined
  }
}

export function toEntries(events: readonly StoredEvent[]): readonly ContentEntry[] {
  return events.flatMap(({ seq, event }) => {
    const content = toContent(event)
    return content === undefined || content.text === '' ? [] : [{ seq, at: event.at, ...content }]
  })
}
