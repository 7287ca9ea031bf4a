import type { CaptureLevel } from '../kernel/config.ts'
import type { SessionEvent, ToolCall, ToolKind, ToolOutcome, TranscriptNote } from '../kernel/event.ts'
import { isObject } from '../kernel/json-shape.ts'

/** What these tools return is said by a model or by the user. */
const SAYING_TOOLS: ReadonlySet<ToolKind> = new Set(['agent', 'todo', 'other'])

function limitTool({ callId, name, kind, files, command, cwd, query, isBackground }: ToolCall): ToolCall {
  return {
    ...(callId !== undefined && { callId }),
    name,
    kind,
    files,
    ...(command !== undefined && { command }),
    ...(cwd !== undefined && { cwd }),
    ...(query !== undefined && !SAYING_TOOLS.has(kind) && { query }),
    ...(isBackground !== undefined && { isBackground }),
  }
}

function limitOutcome(
  { plan: _plan, answers: _answers, refused, ...outcome }: ToolOutcome,
  kind: ToolKind,
): ToolOutcome {
  const { output: _output, names: _names, paths: _paths, hits: _hits, ...facts } = outcome
  return {
    ...(SAYING_TOOLS.has(kind) ? facts : outcome),
    ...(refused !== undefined && { refused: { by: refused.by } }),
  }
}

/** The event without what the user and the agent said, if the project stores commands only. What was stored on purpose stays. */
export function limitEvent(event: SessionEvent, level: CaptureLevel): SessionEvent {
  if (level === 'full') return event
  switch (event.kind) {
    case 'prompt-submitted': {
      const { expansion: _, ...rest } = event
      return { ...rest, prompt: '' }
    }
    case 'tool-started':
      return { ...event, tool: limitTool(event.tool) }
    case 'tool-finished':
      return { ...event, tool: limitTool(event.tool), outcome: limitOutcome(event.outcome, event.tool.kind) }
    case 'turn-ended':
    case 'subagent-finished': {
      const { lastMessage: _, ...rest } = event
      return rest
    }
    case 'compaction-started': {
      const { instructions: _instructions, sessionContext: _context, ...rest } = event
      return rest
    }
    case 'compaction-finished': {
      const { summary: _, ...rest } = event
      return rest
    }
    case 'session-started':
    case 'session-ended':
    case 'subagent-started':
    case 'digest-written':
    case 'remembered':
    case 'decision-made':
    case 'error-recovered':
    case 'gate-changed':
    case 'task-session-changed':
      return event
  }
}

/** Notes of a transcript that may be folded into the work. */
export function limitNotes(notes: readonly TranscriptNote[], level: CaptureLevel): readonly TranscriptNote[] {
  return level === 'full' ? notes : notes.filter(({ kind }) => kind === 'context-measured')
}

/** Last words of the names under which payloads carry facts; every other text may be something that was said. */
const FACTS: ReadonlySet<string> = new Set(
  'id name path cwd dir directory root source trigger model type version command event hook tool timestamp mode status'.split(
    ' ',
  ),
)

function isFact(key: string): boolean {
  const words = key
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
  return FACTS.has(words.at(-1) ?? '')
}

/** A hook's payload that has to wait as a file, without text that may have been said. Its harness is not asked: it has no code here. */
export function limitPayload(payload: unknown, isKept = false): unknown {
  if (typeof payload === 'string') return isKept ? payload : ''
  if (Array.isArray(payload)) return payload.map((item) => limitPayload(item, isKept))
  if (!isObject(payload)) return payload
  return Object.fromEntries(Object.entries(payload).map(([key, value]) => [key, limitPayload(value, isFact(key))]))
}
