import { getSessionId } from '../kernel/event.ts'
import type { SessionId, SessionKey } from '../kernel/id.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'

/** The kinds of secrets that redaction removed from one event, never a value. */
export interface SecretRemoval {
  readonly seq: number
  readonly at: string
  readonly sessionId: SessionId
  readonly sessionKey: SessionKey
  readonly harness: string
  readonly cwd?: string
  readonly kinds: readonly { readonly kind: string; readonly count: number }[]
}

export interface RemovalPage {
  readonly removals: readonly SecretRemoval[]
  /** How many events were looked at. */
  readonly scanned: number
  /** The `beforeSeq` of the next page; absent at the beginning of the log. */
  readonly next?: number
}

export interface RemovalQuery {
  readonly beforeSeq?: number
  /** How many events are looked at. */
  readonly limit: number
}

/** Every redaction leaves this mark in the stored text. */
const MARK = /\[REDACTED:([\w-]+)\]/g

function countMarks(text: string): SecretRemoval['kinds'] {
  const counts = new Map<string, number>()
  for (const [, kind = ''] of text.matchAll(MARK)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].map(([kind, count]) => ({ kind, count }))
}

/** Reads the marks in the stored events, newest first: nothing is counted while events are recorded. */
export function createListRemovals({ store }: Pick<ContinuityPorts, 'store'>) {
  return async ({ beforeSeq, limit }: RemovalQuery): Promise<RemovalPage> => {
    const events = await store.listEvents({ isNewestFirst: true, beforeSeq, limit })
    const removals = events.flatMap(({ seq, event }): readonly SecretRemoval[] => {
      const kinds = countMarks(JSON.stringify(event))
      if (kinds.length === 0) return []
      const { at, sessionKey, harness, cwd } = event
      const sessionId = getSessionId(event)
      return [{ seq, at, sessionId, sessionKey, harness, ...(cwd !== undefined && { cwd }), kinds }]
    })
    const last = events.at(-1)
    return {
      removals,
      scanned: events.length,
      ...(last !== undefined && events.length === limit && { next: last.seq }),
    }
  }
}
