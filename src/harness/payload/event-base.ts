import type { ContextMeasure, EventKind, SessionEvent } from '../../kernel/event.ts'
import { SessionKey, EventId } from '../../kernel/id.ts'
import { BOUNDS, bounded, boundedPath } from './bounds.ts'
import type { Arrival } from '../contract/connector.ts'
import { createHash } from 'node:crypto'
import { createRedactor } from '../../redaction/redactor.ts'
import { asNumber } from '../../kernel/json-shape.ts'

const MAX_TOKENS = 1_000_000_000

function parseTokens(value: unknown): number | undefined {
  const tokens = asNumber(value)
  return tokens !== undefined && tokens > 0 && tokens <= MAX_TOKENS ? Math.round(tokens) : undefined
}

/** The size of an agent's context as the harness reports it; undefined for an impossible value. */
export function readContextMeasure(tokens: unknown, windowTokens: unknown): ContextMeasure | undefined {
  const [used, fits] = [parseTokens(tokens), parseTokens(windowTokens)]
  return used === undefined ? undefined : { tokens: used, ...(fits === undefined ? {} : { windowTokens: fits }) }
}

const redactor = createRedactor()

/**
 * A key for a fact that has no id of its own in the harness. Computed without secrets: the spool removes them from a
 * replayed hook, which must get the same key.
 */
export function factKey(...texts: readonly string[]): string {
  return createHash('sha256')
    .update(redactor.redact(JSON.stringify(texts)))
    .digest('base64url')
    .slice(0, 22)
}

const PLAIN = /^[\w.:@-]{1,160}$/

/**
 * The id of a fact for which the harness has a key: its hook, the spool and its transcript produce the same id, so a
 * second arrival is a no-op. Undefined when a part is missing or not a plain word.
 */
export function naturalEventId(
  harness: string,
  sessionKey: string,
  kind: EventKind,
  key: string | undefined,
): EventId | undefined {
  if (key === undefined || !PLAIN.test(key) || !PLAIN.test(sessionKey)) return undefined
  return EventId(`${harness}/${sessionKey}/${kind}/${key}`)
}

/** The fields that every event has. */
export type EventBase = Omit<SessionEvent, 'kind'>

export interface HookFacts {
  readonly harness: string
  readonly sessionId: string
  readonly cwd?: string
  readonly transcriptPath?: string
  /** Set on events inside a subagent. */
  readonly agentId?: string
  readonly agentType?: string
  /** Of the main thread; a subagent's context is not the session's. */
  readonly context?: ContextMeasure | undefined
}

/** The common fields of a hook's event, by its kind and the harness's key for the fact; without a key it has the arrival's id. */
export function createEventBase(facts: HookFacts, arrival: Arrival): (kind: EventKind, key?: string) => EventBase {
  const sessionKey = SessionKey(facts.sessionId.toWellFormed())
  const cwd = boundedPath(facts.cwd)
  const transcriptPath = boundedPath(facts.transcriptPath)
  const agentId = bounded(facts.agentId, BOUNDS.word)
  const agentType = bounded(facts.agentType, BOUNDS.word)
  const { pid, pidStartedAt } = arrival
  return (kind, key) => ({
    id: naturalEventId(facts.harness, sessionKey, kind, key) ?? arrival.id,
    harness: facts.harness,
    ...(arrival.harnessVersion === undefined ? {} : { harnessVersion: arrival.harnessVersion }),
    sessionKey,
    at: arrival.at,
    door: arrival.door,
    ...(cwd === undefined ? {} : { cwd }),
    ...(transcriptPath === undefined ? {} : { transcriptPath }),
    ...(agentId === undefined
      ? {}
      : { subagent: { id: agentId, ...(agentType === undefined ? {} : { type: agentType }) } }),
    ...(pid === undefined
      ? {}
      : { process: { pid, ...(pidStartedAt === undefined ? {} : { startedAt: pidStartedAt }) } }),
    ...(facts.context === undefined || agentId !== undefined ? {} : { context: facts.context }),
  })
}
