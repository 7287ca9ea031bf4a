/** The events that a harness may report, by our own names. */
export const GENERIC_EVENTS = [
  'session-started',
  'prompt-submitted',
  'tool-started',
  'tool-finished',
  'turn-ended',
  'compaction-started',
  'compaction-finished',
  'subagent-started',
  'subagent-finished',
  'session-ended',
] as const
export type GenericEvent = (typeof GENERIC_EVENTS)[number]
