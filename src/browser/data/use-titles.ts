import { get } from './call.ts'
import type { CheckpointRow, LabelledSession } from './contract.ts'
import { useQuery } from './use-query.ts'

const HEADS = 500

/** What the latest sessions were about, by session id: the summary of the newest checkpoint of each. */
export function useTitles(cwd: string | undefined): ReadonlyMap<string, string> {
  const query = useQuery(
    async (signal) => {
      const { heads } = await get<{ heads: readonly CheckpointRow[] }>(
        '/api/checkpoint-heads',
        { cwd, limit: HEADS },
        signal,
      )
      // Newest first: the last one set wins.
      return new Map(heads.toReversed().map(({ sessionId, summary }) => [sessionId, summary]))
    },
    [cwd],
    { isStale: ({ kind }) => kind === 'checkpoint', everyMs: 10_000 },
  )
  return query.value ?? new Map()
}

/** The name that a person gave, else what it was about, else its project. */
export function nameSession(
  session: Pick<LabelledSession, 'id' | 'labels'>,
  titles: ReadonlyMap<string, string>,
): string | undefined {
  const about = titles.get(session.id)
  return session.labels?.title ?? (about === '' ? undefined : about)
}
