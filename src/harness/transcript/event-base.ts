import type { EventKind, SessionEvent, SubagentRef } from '../../kernel/event.ts'
import { EventId, type SessionKey } from '../../kernel/id.ts'
import { naturalEventId } from '../payload/event-id.ts'

type Common = Omit<SessionEvent, 'kind'>

export interface EventFacts {
  readonly harness: string
  readonly harnessVersion?: string
  readonly sessionKey: SessionKey
  readonly at: string
  readonly cwd?: string
  readonly transcriptPath?: string
  readonly subagent?: SubagentRef
}

/** What every event from a transcript says besides its own facts. `key` has to identify the fact within its session. */
export function eventBase(facts: EventFacts, kind: EventKind, key: string): Common {
  const { harness, harnessVersion, sessionKey, at, cwd, transcriptPath, subagent } = facts
  return {
    id:
      naturalEventId(harness, sessionKey, kind, key) ??
      EventId(`${harness}/${sessionKey}/${kind}/${key}`.slice(0, 400)),
    harness,
    ...(harnessVersion === undefined ? {} : { harnessVersion }),
    sessionKey,
    at,
    door: 'transcript',
    ...(cwd === undefined ? {} : { cwd }),
    ...(transcriptPath === undefined ? {} : { transcriptPath }),
    ...(subagent === undefined ? {} : { subagent }),
  }
}

const UNKNOWN_TIME = '1970-01-01T00:00:00.000Z'
/** From here on a year has more than four digits, which sorts as earlier and passes no door. */
const YEAR_10000_MS = Date.UTC(10_000, 0)

/** The time a record gives, as text or as milliseconds since 1970; else the one before it. */
export function timeOf(value: unknown, previous: string = UNKNOWN_TIME): string {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return ms >= 0 && ms < YEAR_10000_MS ? new Date(ms).toISOString() : previous
}
