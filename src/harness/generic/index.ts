import type { Connector } from '../connector.ts'
import { genericEnvironment } from './environment.ts'
import { GENERIC, GENERIC_EVENTS, readEvent } from './events.ts'

const MAX_CONTEXT_CHARS = 9_500
const ANSWERED = new Set(['session-started', 'prompt-submitted'])

/** For any harness that we have no code for: it tells our events in our words. */
export const generic: Connector = {
  id: GENERIC,
  name: 'Generic',
  capabilities: {
    recovery: 'at-session-start',
    promptInjection: true,
    compactionEvents: true,
    httpHooks: true,
    maxOutputChars: MAX_CONTEXT_CHARS,
  },
  environment: genericEnvironment,
  // None is a must: what such a harness can tell, it tells.
  hooks: GENERIC_EVENTS.map((hook) => ({ hook, isRoutine: false })),
  readEvent,
  canInject: (hook) => ANSWERED.has(hook),
  /** Plain text: whoever asked knows how its agent is told. */
  writeInjection: (hook, text) =>
    ANSWERED.has(hook) && text !== '' && text.length <= MAX_CONTEXT_CHARS ? text.toWellFormed() : undefined,
  emptyReply: '',
}
