import { get } from './call.ts'
import { useQuery } from './use-query.ts'

/** Ids of the sessions that may still be working; undefined until they were read. A session can be without an end and not be one of them. */
export function useLiveIds(): ReadonlySet<string> | undefined {
  const query = useQuery(
    async (signal) => {
      const input = { isLive: true, limit: 500 }
      const { sessions } = await get<{ sessions: readonly { readonly id: string }[] }>('/api/sessions', input, signal)
      return new Set(sessions.map(({ id }) => id))
    },
    [],
    { isStale: ({ kind }) => kind === 'session', everyMs: 5_000 },
  )
  return query.value
}
