import { type ContentEntry, toContent } from '../capture/session-content.ts'
import type { ArchiveEntry, FindKind } from '../kernel/archive.ts'
import { getSessionId, type StoredEvent } from '../kernel/event.ts'
import type { SessionId } from '../kernel/id.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { Session } from '../kernel/session.ts'
import { truncate } from '../kernel/text/text.ts'

const PAGE_EVENTS = 250
/** Of one entry; a long answer is found by its beginning. */
const MAX_CHARS = 4_000
const PRUNE_ROWS = 500
const DAY_MS = 86_400_000

const KINDS: Readonly<Record<ContentEntry['kind'], FindKind | undefined>> = {
  request: 'request',
  answer: 'answer',
  command: 'command',
  edit: 'edit',
  decision: 'decision',
  note: 'note',
  summary: 'note',
  start: undefined,
  end: undefined,
}

export interface Archive {
  /** Adds events that are not in the archive yet, at most about `maxEvents`. False if more are waiting. */
  catchUp(maxEvents: number): Promise<boolean>
  /** Deletes what is past the retention or over the size. */
  prune(now: string): Promise<void>
}

/** Fills the archive from the event log, after the events are durable: no hook waits for it. */
export function createArchive(ports: Pick<ContinuityPorts, 'store' | 'configFor'>): Archive {
  const { store } = ports
  let running: Promise<boolean> | undefined

  async function toEntries(events: readonly StoredEvent[]): Promise<readonly ArchiveEntry[]> {
    const ids = [...new Set(events.map(({ event }) => getSessionId(event)))]
    const sessions = new Map<SessionId, Session>()
    const left = new Set<SessionId>()
    for (const id of ids) {
      const session = await store.findSession(id)
      if (session !== undefined) sessions.set(id, session)
      if (!(await ports.configFor(session?.place?.worktree)).archive.enabled) left.add(id)
    }
    return events.flatMap(({ seq, event }) => {
      const sessionId = getSessionId(event)
      const content = left.has(sessionId) ? undefined : toContent(event)
      const kind = content === undefined ? undefined : KINDS[content.kind]
      if (content === undefined || kind === undefined || content.text.trim() === '') return []
      const projectId = sessions.get(sessionId)?.place?.projectId
      const text = truncate(content.text, MAX_CHARS)
      return [
        {
          seq,
          sessionId,
          ...(projectId !== undefined && { projectId }),
          harness: event.harness,
          kind,
          at: event.at,
          text,
        },
      ]
    })
  }

  async function fill(maxEvents: number): Promise<boolean> {
    for (let done = 0; done < maxEvents; done += PAGE_EVENTS) {
      const afterSeq = await store.archivedSeq()
      const events = await store.listEvents({ afterSeq, limit: PAGE_EVENTS })
      const last = events.at(-1)
      if (last === undefined) return true
      await store.addToArchive(await toEntries(events), last.seq)
      if (events.length < PAGE_EVENTS) return true
    }
    return false
  }

  return {
    async catchUp(maxEvents) {
      running ??= fill(maxEvents).finally(() => {
        running = undefined
      })
      return await running
    },
    async prune(now) {
      const { archive } = await ports.configFor(undefined)
      const before = new Date(Date.parse(now) - archive.retentionDays * DAY_MS).toISOString()
      const policy = { before, maxChars: archive.maxMegabytes * 1_000_000, sliceRows: PRUNE_ROWS }
      while ((await store.pruneArchive(policy)) === PRUNE_ROWS);
    },
  }
}
