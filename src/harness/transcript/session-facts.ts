import type { SubagentRef, EventKind, SessionEvent } from '../../kernel/event.ts'
import { SessionKey, EventId } from '../../kernel/id.ts'
import { BOUNDS, bounded, boundedPath } from '../payload/bounds.ts'
import type { ReaderOptions, TranscriptFacts } from '../contract/transcript-format.ts'
import { naturalEventId } from '../payload/event-base.ts'

type FactBase = Omit<SessionEvent, 'kind'>

export interface EventFacts {
  readonly harness: string
  readonly harnessVersion?: string
  readonly sessionKey: SessionKey
  readonly at: string
  readonly cwd?: string
  readonly transcriptPath?: string
  readonly subagent?: SubagentRef
}

/** The fields that every event from a transcript has. `key` must identify the fact within its session. */
export function eventBase(facts: EventFacts, kind: EventKind, key: string): FactBase {
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
/** A year with more than four digits would sort as earlier, and is rejected as input. */
const YEAR_10000_MS = Date.UTC(10_000, 0)

/** The time of a record, as text or as milliseconds since 1970; else the previous one. */
export function parseTime(value: unknown, previous: string = UNKNOWN_TIME): string {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return ms >= 0 && ms < YEAR_10000_MS ? new Date(ms).toISOString() : previous
}

interface TranscriptOrigin {
  readonly harness: string
  readonly harnessVersion?: string | undefined
  /** The event's folder, if it is not the session's. */
  readonly cwd?: string | undefined
  readonly subagent?: SubagentRef | undefined
}

/** The facts of a session, collected while its transcript is read. */
export class SessionFacts {
  at: string | undefined
  private sessionKey: SessionKey | undefined
  private cwd: string | undefined
  private gitBranch: string | undefined
  private readonly transcriptPath: string | undefined

  constructor({ sessionKey, cwd, transcriptPath }: ReaderOptions) {
    this.sessionKey = sessionKey
    this.cwd = cwd
    this.transcriptPath = transcriptPath
  }

  learn(said: { time?: unknown; session?: unknown; cwd?: unknown; branch?: unknown }): void {
    this.at = parseTime(said.time, this.at)
    const key = bounded(said.session, BOUNDS.word)
    this.sessionKey ??= key === undefined ? undefined : SessionKey(key)
    this.cwd ??= boundedPath(said.cwd)
    this.gitBranch = bounded(said.branch, BOUNDS.word) ?? this.gitBranch
  }

  toFacts(): TranscriptFacts {
    const { sessionKey, cwd, gitBranch } = this
    return {
      ...(sessionKey === undefined ? {} : { sessionKey }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(gitBranch === undefined ? {} : { gitBranch }),
    }
  }

  /** For an event at the current time. */
  eventFacts({ harness, harnessVersion, cwd = this.cwd, subagent }: TranscriptOrigin): EventFacts {
    const { transcriptPath } = this
    return {
      harness,
      ...(harnessVersion === undefined ? {} : { harnessVersion }),
      sessionKey: this.sessionKey ?? SessionKey('unknown'),
      at: this.at ?? parseTime(undefined),
      ...(cwd === undefined ? {} : { cwd }),
      ...(transcriptPath === undefined ? {} : { transcriptPath }),
      ...(subagent === undefined ? {} : { subagent }),
    }
  }
}
