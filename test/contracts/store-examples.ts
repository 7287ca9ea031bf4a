import { EMPTY_WORK, type Checkpoint } from '../../src/kernel/checkpoint.ts'
import type { EventKind, EventOf, SessionEvent } from '../../src/kernel/event.ts'
import { CheckpointId, EventId, MemoryId, ProjectId, SessionKey, toSessionId } from '../../src/kernel/id.ts'
import type { Memory } from '../../src/kernel/memory.ts'
import type { Rule } from '../../src/kernel/rule.ts'
import type { Location } from '../../src/kernel/location.ts'
import type { CadenceConfig } from '../../src/kernel/session.ts'

export const CADENCE: CadenceConfig = { promptInterval: 10, timeIntervalMs: 900_000 }
export const HARNESS = 'claude-code'
export const START = '2026-03-01T09:00:00.000Z'

export const minutesLater = (minutes: number): string => new Date(Date.parse(START) + minutes * 60_000).toISOString()
export const keyOf = (name: string): SessionKey => SessionKey(`key-${name}`)
export const idOf = (name: string) => toSessionId(HARNESS, keyOf(name))

let counter = 0
const next = (): number => {
  counter += 1
  return counter
}

export function aPlace(place: Partial<Location> = {}): Location {
  return {
    projectId: ProjectId('project-a'),
    project: '/home/dev/link-to-a',
    projectNormalized: '/home/dev/a',
    worktree: '/home/dev/a',
    branch: 'main',
    head: '1111111111111111111111111111111111111111',
    ...place,
  }
}

/** What every event has, for session `name`. */
function base(name: string) {
  return { id: EventId(`event-${next()}`), harness: HARNESS, sessionKey: keyOf(name), at: START, door: 'hook' } as const
}

export function aStart(name: string, event: Partial<EventOf<'session-started'>> = {}): SessionEvent {
  return { ...base(name), kind: 'session-started', source: 'startup', ...event }
}

export function aPrompt(name: string, event: Partial<EventOf<'prompt-submitted'>> = {}): SessionEvent {
  return { ...base(name), kind: 'prompt-submitted', prompt: 'fix the failing test', ...event }
}

export function anEnd(name: string, event: Partial<EventOf<'session-ended'>> = {}): SessionEvent {
  return { ...base(name), kind: 'session-ended', reason: 'exit', ...event }
}

export function aTurnEnd(name: string, event: Partial<EventOf<'turn-ended'>> = {}): SessionEvent {
  return { ...base(name), kind: 'turn-ended', ...event }
}

export function aRule(text: string, rule: Partial<Rule> = {}): Rule {
  return {
    id: `rule-${next()}`,
    projectId: ProjectId('project-a'),
    text,
    since: START,
    state: 'active',
    source: 'found',
    scope: 'project',
    ...rule,
  }
}

export function aCheckpoint(name: string, checkpoint: Partial<Checkpoint> = {}): Checkpoint {
  const number = next()
  return {
    id: CheckpointId(`checkpoint-${number}`),
    sessionId: idOf(name),
    sessionKey: keyOf(name),
    harness: HARNESS,
    place: aPlace(),
    trigger: 'periodic',
    summary: `Checkpoint ${number}`,
    digest: `Working on ${number}.`,
    promptCount: number,
    recentQueries: ['failing', 'test'],
    recentRemembers: [],
    work: EMPTY_WORK,
    waitOrContinue: 'continue',
    nextSteps: [],
    canResume: true,
    eventSeq: 0,
    createdAt: START,
    ...checkpoint,
  }
}

export function aMemory(content: string, memory: Partial<Memory> = {}): Memory {
  return {
    id: MemoryId(`memory-${next()}`),
    projectId: ProjectId('project-a'),
    type: 'fact',
    content,
    importance: 5,
    tags: [],
    source: 'cli',
    createdAt: START,
    hits: 0,
    ...memory,
  }
}

export const kindsOf = (events: readonly { readonly event: SessionEvent }[]): readonly EventKind[] =>
  events.map(({ event }) => event.kind)
