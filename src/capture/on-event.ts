import type { SessionEvent } from '../kernel/event.ts'
import type { AppendResult } from '../kernel/ports/ports.ts'

/**
 * How an event came to be stored. report: a harness, a task or a client sent it. note: one of our own use cases wrote it, such as a
 * saved summary. transcript: a transcript had it and no hook.
 */
export type EventOrigin = 'report' | 'note' | 'transcript'

/** The subscribers of a stored event, in the order in which they are called. */
export const EVENT_SUBSCRIBERS = [
  /** The event stream of the API. */
  { name: 'announcement', origins: ['report', 'note', 'transcript'] },
  /** Which commands fail again and again. */
  { name: 'failure-memory', origins: ['report', 'note', 'transcript'] },
  /** Rules that the user gave. */
  { name: 'rules', origins: ['report', 'transcript'] },
  /** Takes the checkpoints and schedules the transcript reads that `advance` asked for. */
  { name: 'checkpoint', origins: ['report', 'note'] },
  /** Prepares the recovery of a new session in advance. */
  { name: 'recovery-preparation', origins: ['report'] },
  /** Saves named checkpoints into the project. */
  { name: 'autosave', origins: ['report'] },
  /** Links harness sessions to governed tasks; writes their mandatory checkpoints. */
  { name: 'task-watch', origins: ['report'] },
  /** Measures the context of sessions that work for a task. After the task watch, which knows which ones these are. */
  { name: 'context-safety', origins: ['report'] },
] as const satisfies readonly { readonly name: string; readonly origins: readonly EventOrigin[] }[]

export type EventSubscriberName = (typeof EVENT_SUBSCRIBERS)[number]['name']

/** Called once the event is durable, with the event as it was stored. Must return at once: the harness waits. */
export type EventSubscriber = (event: SessionEvent, result: AppendResult) => void

export type EventSubscribers = Readonly<Partial<Record<EventSubscriberName, EventSubscriber>>>

export type OnEvent = (origin: EventOrigin, event: SessionEvent, result: AppendResult) => void

export function createOnEvent(subscribers: EventSubscribers): OnEvent {
  const byOrigin = (origin: EventOrigin) =>
    EVENT_SUBSCRIBERS.flatMap(({ name, origins }) =>
      origins.some((one) => one === origin) ? (subscribers[name] ?? []) : [],
    )
  const called = { report: byOrigin('report'), note: byOrigin('note'), transcript: byOrigin('transcript') }
  return (origin, event, result) => {
    for (const subscriber of called[origin]) subscriber(event, result)
  }
}
