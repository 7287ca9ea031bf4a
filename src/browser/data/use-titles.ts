import { get } from './call.ts'
import type { CheckpointRow, NamedSession } from './contract.ts'
import { describeEvent } from './read-events.ts'
import type { StoredEvent } from '../../kernel/event.ts'
import { useQuery } from './use-query.ts'

const HEADS = 500
/** A request may be a megabyte long. */
const MAX_CHARS = 1_000

interface HeadsReply {
  readonly heads: readonly CheckpointRow[]
}

/** What the latest sessions were about, by session id: the summary of the newest checkpoint of each. Undefined until it was read. */
export function useTitles(cwd: string | undefined): ReadonlyMap<string, string> | undefined {
  const query = useQuery(
    async (signal) => {
      const { heads } = await get<HeadsReply>('/api/checkpoint-heads', { cwd, limit: HEADS }, signal)
      // Newest first: the last one set wins.
      return new Map(heads.toReversed().map(({ sessionId, summary }) => [sessionId, summary]))
    },
    [cwd],
    { isStale: ({ kind }) => kind === 'checkpoint', everyMs: 10_000 },
  )
  return query.value
}

async function readTitle(sessionId: string, signal: AbortSignal): Promise<string | undefined> {
  const { heads } = await get<HeadsReply>('/api/checkpoint-heads', { sessionId, limit: 1 }, signal)
  if (heads[0] !== undefined && heads[0].summary !== '') return heads[0].summary
  const input = { sessionId, kinds: 'prompt-submitted', limit: 1 }
  const { events } = await get<{ events: readonly StoredEvent[] }>('/api/events', input, signal)
  return events[0] === undefined ? undefined : describeEvent(events[0].event).slice(0, MAX_CHARS)
}

const found = new Map<string, string>()

/** Where no list of them was read: the one that is missing is read alone. */
export const NO_TITLES: ReadonlyMap<string, string> = new Map()

/**
 * What a session was about: the name that a person gave, the summary of its newest checkpoint, else its first request.
 * Undefined while that is read.
 */
export function useTitle(session: NamedSession, titles: ReadonlyMap<string, string> | undefined): string | undefined {
  const { id, labels, promptCount } = session
  const known = labels?.title ?? (titles?.get(id) || found.get(id))
  const isMissing = known === undefined && titles !== undefined && promptCount !== 0
  const query = useQuery(
    async (signal) => {
      const title = isMissing ? await readTitle(id, signal) : undefined
      if (title !== undefined) found.set(id, title)
      return { title }
    },
    [id, isMissing],
  )
  if (known !== undefined) return known
  if (promptCount === 0) return 'No request yet'
  if (!isMissing || query.value === undefined) return query.error === undefined ? undefined : `Session ${id}`
  return query.value.title ?? 'Its requests are no longer stored'
}
