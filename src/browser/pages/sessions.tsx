import { link, setParams, type PageProps } from '../nav/router.ts'
import { get } from '../data/call.ts'
import type { LabelledSession } from '../data/contract.ts'
import { usePages } from '../data/use-pages.ts'
import { Badge, EmptyState, PageHead, Time } from '../parts/basics.tsx'
import { formatProject, plural } from '../parts/format.ts'
import { useLiveIds } from '../data/use-live-ids.ts'
import { useTitles } from '../data/use-titles.ts'
import { PhaseBadge, SessionName } from '../parts/session-name.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { SessionPage } from './session.tsx'

const PHASES = ['working', 'idle', 'compacting', 'ended', 'interrupted'] as const
const PAGE_LIMIT = 100

function SessionList({ place, cwd }: PageProps) {
  const phases = place.params.get('phase') ?? ''
  const list = usePages<LabelledSession>(
    async (cursor, signal) => {
      const input = { cwd, phases, afterSession: cursor, limit: PAGE_LIMIT }
      const { sessions } = await get<{ sessions: readonly LabelledSession[] }>('/api/sessions', input, signal)
      return { rows: sessions, next: sessions.length < PAGE_LIMIT ? undefined : sessions.at(-1)?.id }
    },
    [cwd, phases],
    ({ kind }) => kind === 'session',
  )
  const titles = useTitles(cwd)
  const liveIds = useLiveIds()
  return (
    <>
      <PageHead title="Sessions" lead="Every session of every harness, the latest activity first." />
      <div class="filters">
        <label>
          State{' '}
          <select value={phases} onChange={(event) => setParams({ phase: event.currentTarget.value })}>
            <option value="">all</option>
            {PHASES.map((phase) => (
              <option key={phase} value={phase}>
                {phase === 'idle' ? 'idle: waiting, or no end seen' : phase}
              </option>
            ))}
          </select>
        </label>
      </div>
      <section class="panel flush">
        <VirtualList
          list={list}
          rowHeight={62}
          label="Sessions"
          getKey={({ id }) => id}
          href={({ key, harness }) => link(['sessions', key], { harness })}
          render={(session) => (
            <>
              <div class="row-main">
                <span class="row-title">
                  {session.labels?.isPinned === true && '★ '}
                  <SessionName session={session} titles={titles} />
                </span>
                {session.labels?.tags.map((tag) => (
                  <Badge key={tag}>{tag}</Badge>
                ))}
                <PhaseBadge session={session} liveIds={liveIds} />
                <span class="row-end">
                  <Time at={session.lastEventAt} />
                </span>
              </div>
              <div class="row-sub">
                <span class="cut">{formatProject(session.place?.project ?? session.cwd ?? 'unknown project')}</span>
                <span>{session.harness}</span>
                <span class="mono">{session.key.slice(0, 8)}</span>
                {session.place?.branch !== undefined && <span class="cut">{session.place.branch}</span>}
                <span class="optional">{plural(session.promptCount, 'prompt')}</span>
                <span class="optional">{plural(session.toolCount, 'tool call')}</span>
              </div>
            </>
          )}
          empty={
            <EmptyState title="No session has been seen yet">
              <p>
                Connect a harness with <code>holdfast init</code>, or{' '}
                <a href={link(['first-run'])}>import the sessions from before</a>.
              </p>
            </EmptyState>
          }
        />
      </section>
    </>
  )
}

export function Page({ place, cwd }: PageProps) {
  const [, sessionKey] = place.segments
  if (sessionKey === undefined) return <SessionList place={place} cwd={cwd} />
  const event = place.params.get('event')
  return (
    <SessionPage
      sessionRef={{ sessionKey, harness: place.params.get('harness') ?? undefined }}
      selected={event === null ? undefined : Number(event)}
    />
  )
}
