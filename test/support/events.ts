import type { EventKind, EventOf, SessionEvent } from '../../src/kernel/event.ts'
import { EventId, SessionKey } from '../../src/kernel/id.ts'

/** What each kind needs beside the common fields; tests override what they are about. */
const BODIES = {
  'session-started': { source: 'startup' },
  'prompt-submitted': { prompt: 'Make the parser accept empty lines.' },
  'tool-started': { tool: { name: 'Bash', kind: 'shell', files: [], command: 'npm test' } },
  'tool-finished': {
    tool: { name: 'Edit', kind: 'edit', files: [{ path: 'src/parser.ts', action: 'edited' }] },
    outcome: { ok: true },
  },
  'turn-ended': { lastMessage: 'The parser accepts empty lines now.' },
  'compaction-started': { trigger: 'auto' },
  'compaction-finished': { trigger: 'auto' },
  'subagent-started': {},
  'subagent-finished': {},
  'session-ended': { reason: 'other' },
  'digest-written': { summary: 'Parser done, printer next.' },
  remembered: { content: 'Use tabs.' },
  'gate-changed': { task: 'parser', to: 'G4' },
  'task-session-changed': { task: 'parser', taskSession: 'session-2026-01-02-abcdefghjk', state: 'active', gate: 'G4' },
  'decision-made': { decision: 'Keep the parser by hand', rationale: 'no generator handles recovery' },
  'error-recovered': { error: 'EACCES', resolution: 'chmod' },
} as const satisfies { readonly [K in EventKind]: Omit<EventOf<K>, keyof EventBaseFields | 'kind'> }

type EventBaseFields = Pick<
  SessionEvent,
  'id' | 'harness' | 'harnessVersion' | 'sessionKey' | 'at' | 'door' | 'cwd' | 'transcriptPath' | 'subagent' | 'process'
>

let made = 0

/** A valid event of the kind; every call has its own id. */
export function anEvent<K extends EventKind>(kind: K, overrides: Partial<EventOf<K>> = {}): SessionEvent {
  made += 1
  const base = {
    id: EventId(`event-${made}`),
    harness: 'claude-code',
    sessionKey: SessionKey('session-1'),
    at: '2026-01-02T03:04:05.000Z',
    door: 'hook',
  } as const
  const event: unknown = { ...base, kind, ...BODIES[kind], ...overrides }
  assertEvent(event)
  return event
}

function assertEvent(value: unknown): asserts value is SessionEvent {
  if (typeof value !== 'object' || value === null || !('kind' in value)) throw new TypeError('not an event')
}
