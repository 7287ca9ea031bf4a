import type { SubagentRef } from '../../kernel/event.ts'
import { SessionKey } from '../../kernel/id.ts'
import { BOUNDS, bounded, boundedPath } from '../payload/bounds.ts'
import { type EventFacts, timeOf } from './event-base.ts'
import type { ReaderOptions, TranscriptFacts } from './record-reader.ts'

interface Speaking {
  readonly harness: string
  readonly harnessVersion?: string | undefined
  /** Where this event was, if not where the session began. */
  readonly cwd?: string | undefined
  readonly subagent?: SubagentRef | undefined
}

/** What a transcript says of its session on the way: whose it is, where, and how late it is by now. */
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
    this.at = timeOf(said.time, this.at)
    const key = bounded(said.session, BOUNDS.word)
    this.sessionKey ??= key === undefined ? undefined : SessionKey(key)
    this.cwd ??= boundedPath(said.cwd)
    this.gitBranch = bounded(said.branch, BOUNDS.word) ?? this.gitBranch
  }

  told(): TranscriptFacts {
    const { sessionKey, cwd, gitBranch } = this
    return {
      ...(sessionKey === undefined ? {} : { sessionKey }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(gitBranch === undefined ? {} : { gitBranch }),
    }
  }

  /** For an event that happens now. */
  eventFacts({ harness, harnessVersion, cwd = this.cwd, subagent }: Speaking): EventFacts {
    const { transcriptPath } = this
    return {
      harness,
      ...(harnessVersion === undefined ? {} : { harnessVersion }),
      sessionKey: this.sessionKey ?? SessionKey('unknown'),
      at: this.at ?? timeOf(undefined),
      ...(cwd === undefined ? {} : { cwd }),
      ...(transcriptPath === undefined ? {} : { transcriptPath }),
      ...(subagent === undefined ? {} : { subagent }),
    }
  }
}
