import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { go, link, setParams } from '../nav/router.ts'
import { CallError, download, get, post } from '../data/call.ts'
import { LANES, type LabelledSession, type LaneName, type PointRow } from '../data/contract.ts'
import { readEvent, readTimeline } from '../data/read-events.ts'
import { useLiveIds } from '../data/use-live-ids.ts'
import { useQuery } from '../data/use-query.ts'
import { NO_TITLES } from '../data/use-titles.ts'
import {
  Badge,
  CopyButton,
  EmptyState,
  Figure,
  Loaded,
  LongText,
  PageHead,
  Panel,
  Problem,
  Time,
} from '../parts/basics.tsx'
import {
  formatClock,
  formatCompact,
  formatDuration,
  formatExact,
  formatLocal,
  formatNumber,
  formatProject,
  plural,
} from '../parts/format.ts'
import { askToErase } from '../parts/erase.tsx'
import { toOneLine } from '../parts/inert-text.ts'
import { PhaseBadge, SessionName } from '../parts/session-name.tsx'
import { LANE_LABELS, Timeline } from '../parts/timeline.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'

interface SessionRef {
  readonly sessionKey: string
  readonly harness: string | undefined
}

function EventFields({ event }: { readonly event: Readonly<Record<string, unknown>> }) {
  const shown = Object.entries(event).filter(
    ([name]) => !['id', 'kind', 'at', 'door', 'sessionKey', 'harness'].includes(name),
  )
  return (
    <dl class="facts event-fields">
      {shown.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>
            {typeof value === 'string' ? (
              value.length > 160 || value.includes('\n') ? (
                <LongText text={value} first={1_500} />
              ) : (
                value
              )
            ) : (
              <LongText text={JSON.stringify(value, undefined, 2)} first={1_500} />
            )}
          </dd>
        </>
      ))}
    </dl>
  )
}

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

/** One event as it is stored. */
function EventPanel({ seq }: { readonly seq: number }) {
  const query = useQuery((signal) => readEvent(seq, signal), [seq])
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [seq, query.value === undefined])
  return (
    <div ref={box}>
      <Panel
        title={`Event #${seq}`}
        actions={
          <button type="button" class="small" onClick={() => setParams({ event: undefined })}>
            Close
          </button>
        }
      >
        <Loaded query={query}>
          {({ event, hash, checkpoint, injections }) => (
            <>
              <p>
                <Badge tone="info">{event.kind}</Badge> {formatExact(event.at)}{' '}
                <span class="quiet-text">arrived by {event.door}</span>
              </p>
              <EventFields event={{ ...event }} />
              <dl class="facts">
                <dt>Became part of</dt>
                <dd>
                  {checkpoint === undefined ? (
                    'no checkpoint yet'
                  ) : (
                    <>
                      <a href={link(['checkpoints', checkpoint.id])}>checkpoint {toOneLine(checkpoint.summary, 80)}</a>,{' '}
                      <Time at={checkpoint.createdAt} />
                    </>
                  )}
                </dd>
                <dt>Injected here</dt>
                <dd>
                  {injections.length === 0 && 'nothing'}
                  {injections.map((entry) => (
                    <div key={entry.seq}>
                      <a href={link(['injections'], { session: entry.sessionKey, entry: entry.seq })}>
                        {entry.isSkipped ? 'nothing' : `${formatNumber(entry.chars)} characters`}
                      </a>
                      : {entry.why}
                    </div>
                  ))}
                </dd>
                <dt>Hash in the chain</dt>
                <dd class="mono">{hash}</dd>
              </dl>
            </>
          )}
        </Loaded>
      </Panel>
    </div>
  )
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

const saveSessionPage = (key: string, harness: string) =>
  download('/api/sessions/:sessionKey/page', { sessionKey: key, harness }, `session-${key}.html`)

function SessionHead({ session, sessionRef }: { readonly session: LabelledSession; readonly sessionRef: SessionRef }) {
  const reopen = useQuery(
    async (signal) =>
      (await get<{ reopen: { text?: string } }>('/api/sessions/:sessionKey/reopen', { ...sessionRef }, signal)).reopen,
    [sessionRef.sessionKey],
  )
  const liveIds = useLiveIds()
  const { contextTokens, contextWindowTokens } = session
  const [problem, setProblem] = useState<CallError | undefined>()
  const forget = () => {
    setProblem(undefined)
    askToErase(`session ${session.key}`, { session: session.key }, () => go(link(['sessions']))).catch((thrown) => {
      if (thrown instanceof CallError) setProblem(thrown)
    })
  }
  const isPinned = session.labels?.isPinned === true
  return (
    <>
      <PageHead
        title={<SessionName session={session} titles={NO_TITLES} />}
        lead={
          <>
            <PhaseBadge session={session} liveIds={liveIds} />{' '}
            {formatProject(session.place?.project ?? session.cwd ?? 'unknown project')}
            {session.place?.branch !== undefined && `, branch ${session.place.branch}`}, {session.harness}{' '}
            {session.harnessVersion} <span class="mono">{session.key}</span>
          </>
        }
      >
        {reopen.value?.text !== undefined && <CopyButton text={reopen.value.text} label="Copy: reopen it there" />}
        <button type="button" onClick={() => void saveSessionPage(session.key, session.harness)}>
          Export as HTML
        </button>
        <button
          type="button"
          aria-pressed={isPinned}
          onClick={() =>
            void post('/api/sessions/:sessionKey/labels', { isPinned: !isPinned }, { sessionKey: session.key }).then(
              () => location.reload(),
            )
          }
        >
          {isPinned ? 'Unpin' : 'Pin'}
        </button>
        <button type="button" class="danger" onClick={forget}>
          Forget…
        </button>
        {problem !== undefined && <Problem error={problem} />}
      </PageHead>
      <div class="figures">
        <Figure label="Started" value={<Time at={session.startedAt} />} note={formatLocal(session.startedAt)} />
        <Figure label="Last event" value={<Time at={session.lastEventAt} />} note={formatLocal(session.lastEventAt)} />
        <Figure
          label="Work"
          value={plural(session.promptCount, 'prompt')}
          note={`${plural(session.toolCount, 'tool call')}, ${plural(session.compactionCount, 'compaction')}`}
        />
        <Figure
          label="Context used"
          value={contextTokens === undefined ? 'unknown' : formatCompact(contextTokens)}
          note={
            contextTokens === undefined
              ? 'neither the harness nor a transcript reported it'
              : contextWindowTokens === undefined
                ? 'tokens'
                : `of ${formatCompact(contextWindowTokens)} tokens`
          }
        />
      </div>
      <p class="where">
        <span class="quiet-text">Folder</span> <code>{session.cwd ?? 'unknown'}</code>{' '}
        <span class="quiet-text">See also</span>{' '}
        <a href={link(['injections'], { session: session.key })}>what was injected</a>,{' '}
        <a href={link(['checkpoints'], { session: session.key })}>checkpoints</a>,{' '}
        <a href={link(['lineage'], { session: session.key })}>lineage</a>
      </p>
    </>
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
