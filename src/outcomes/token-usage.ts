import { listNewestSessions } from '../kernel/ports/newest-first.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { TokenCounts } from '../kernel/context-meter.ts'

/** What the sessions of one harness used on one day (UTC), as their transcripts report it. */
export interface DayUsage extends TokenCounts {
  readonly day: string
  readonly harness: string
  readonly sessions: number
  readonly messages: number
}

export interface TokenUsage {
  readonly days: readonly DayUsage[]
  readonly sessionsRead: number
  /** Without a transcript on this disk, or of a harness whose transcripts report no usage. */
  readonly sessionsSkipped: number
}

const MAX_SESSIONS = 200
const DAY_MS = 86_400_000

/** Reads the transcripts of the latest sessions. A message that occurs twice, in one file or in two, counts once. */
export function createTokenUsage({ store, locator, clock, transcripts }: ContinuityPorts) {
  return async ({ cwd, days }: { readonly cwd?: string; readonly days: number }): Promise<TokenUsage> => {
    const projectId = cwd === undefined ? undefined : (await locator.locate(cwd)).projectId
    const since = new Date(Date.parse(clock.now()) - days * DAY_MS).toISOString()
    const sessions = (await listNewestSessions(store, { projectId, limit: MAX_SESSIONS })).filter(
      ({ lastEventAt }) => lastEventAt >= since,
    )
    const seen = new Set<string>()
    const found = new Map<string, { usage: DayUsage; readonly sessionIds: Set<string> }>()
    let sessionsRead = 0
    for (const { id, harness, transcriptPath: path } of sessions) {
      const messages = path === undefined ? undefined : await transcripts.readUsage?.({ harness, path })
      if (messages === undefined) continue
      sessionsRead += 1
      for (const { id: messageId, at, ...counts } of messages) {
        if (at < since || seen.has(messageId)) continue
        seen.add(messageId)
        const day = at.slice(0, 10)
        const key = `${day} ${harness}`
        const known = found.get(key)
        const sessionIds = (known?.sessionIds ?? new Set<string>()).add(id)
        const old = known?.usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, messages: 0 }
        const usage = {
          day,
          harness,
          sessions: sessionIds.size,
          messages: old.messages + 1,
          input: old.input + counts.input,
          output: old.output + counts.output,
          cacheRead: old.cacheRead + counts.cacheRead,
          cacheWrite: old.cacheWrite + counts.cacheWrite,
        }
        found.set(key, { usage, sessionIds })
      }
    }
    return {
      days: [...found.values()].map(({ usage }) => usage).toSorted((a, b) => (a.day < b.day ? -1 : 1)),
      sessionsRead,
      sessionsSkipped: sessions.length - sessionsRead,
    }
  }
}
