import { useMemo, useState } from 'preact/hooks'
import { get } from '../data/call.ts'
import { LANES, type LabelledSession, type LaneName, type PointRow } from '../data/contract.ts'
import { readTimeline } from '../data/read-events.ts'
import { useQuery } from '../data/use-query.ts'
import { go, link } from '../nav/router.ts'
import { Badge, EmptyState, Loaded, Panel } from '../parts/basics.tsx'
import { EventPanel } from '../parts/event-panel.tsx'
import { formatClock, formatDuration, formatExact, formatNumber } from '../parts/format.ts'
import { toOneLine } from '../parts/inert-text.ts'
import { SessionHead, type SessionRef } from '../parts/session-head.tsx'
import { LANE_LABELS, Timeline } from '../parts/timeline.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'

/** Other kinds have the name of their lane. */
const KIND_LABELS: Readonly<Record<string, string>> = {
  'prompt-submitted': 'request',
  'turn-ended': 'answer',
  'tool-started': 'started',
  'decision-made': 'decision',
  'digest-written': 'note',
  remembered: 'memory',
  'gate-changed': 'gate',
}

function Points({ session, selected }: { readonly session: LabelledSession; readonly selected: number | undefined }) {
  const [hidden, setHidden] = useState<ReadonlySet<LaneName>>(new Set())
  const query = useQuery((signal) => readTimeline(session, signal), [session.id], {
    isStale: ({ sessionId, kind }) => kind === 'event' && sessionId === session.id,
    everyMs: 2_000,
  })
  const points = useMemo(() => (query.value ?? []).filter(({ lane }) => !hidden.has(lane)), [query.value, hidden])
  const rows = useMemo(() => points.toReversed(), [points])
  const select = (point: PointRow) =>
    go(
      point.checkpointId === undefined
        ? link(['sessions', session.key], { harness: session.harness, event: point.seq })
        : link(['checkpoints', point.checkpointId]),
    )
  return (
    <Loaded query={query}>
      {(all) => (
        <>
          <div class="filters" role="group" aria-label="Kinds that are shown">
            {LANES.map((lane) => (
              <label key={lane} class="check">
                <input
                  type="checkbox"
                  checked={!hidden.has(lane)}
                  onChange={() => {
                    const next = new Set(hidden)
                    if (!next.delete(lane)) next.add(lane)
                    setHidden(next)
                  }}
                />{' '}
                {lane === 'prompt' ? 'Prompts and answers' : LANE_LABELS[lane]} (
                {formatNumber(all.filter((point) => point.lane === lane).length)})
              </label>
            ))}
          </div>
          <Panel title="Timeline">
            <Timeline points={points} selected={selected} onSelect={select} />
          </Panel>
          {selected !== undefined && <EventPanel seq={selected} />}
          <section class="panel flush">
            <VirtualList
              list={{
                rows,
                hasMore: false,
                isLoading: false,
                error: undefined,
                hasNew: false,
                loadMore: () => undefined,
                reload: query.reload,
              }}
              rowHeight={40}
              label="Events, newest first"
              getKey={({ seq, lane, checkpointId }) => `${seq} ${lane} ${checkpointId ?? ''}`}
              href={({ seq, checkpointId }) =>
                checkpointId === undefined
                  ? link(['sessions', session.key], { harness: session.harness, event: seq })
                  : link(['checkpoints', checkpointId])
              }
              render={(point) => (
                <div class="row-main">
                  <span class="mono quiet-text" title={formatExact(point.at)}>
                    {formatClock(point.at)}
                  </span>
                  <Badge tone={point.ok === false ? 'bad' : 'quiet'}>
                    {KIND_LABELS[point.kind] ?? point.toolKind ?? point.lane}
                  </Badge>
                  <span class="row-title">{toOneLine(point.label, 160)}</span>
                  {point.durationMs !== undefined && <span class="row-end">{formatDuration(point.durationMs)}</span>}
                </div>
              )}
              empty={<EmptyState title="No event of these kinds" />}
            />
          </section>
        </>
      )}
    </Loaded>
  )
}

export function SessionPage({
  sessionRef,
  selected,
}: {
  readonly sessionRef: SessionRef
  readonly selected: number | undefined
}) {
  const query = useQuery(
    async (signal) =>
      (await get<{ session: LabelledSession }>('/api/sessions/:sessionKey', { ...sessionRef }, signal)).session,
    [sessionRef.sessionKey, sessionRef.harness],
    { isStale: ({ kind, sessionId }) => kind === 'session' && sessionId?.endsWith(sessionRef.sessionKey) === true },
  )
  return (
    <>
      <p class="crumbs">
        <a href={link(['sessions'])}>Sessions</a>
      </p>
      <Loaded query={query}>{(session) => <SessionHead session={session} sessionRef={sessionRef} />}</Loaded>
      {query.value !== undefined && <Points session={query.value} selected={selected} />}
    </>
  )
}
