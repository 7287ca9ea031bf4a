import { link, setParams, type PageProps } from '../nav/router.ts'
import { get } from '../data/call.ts'
import type { LabelledSession, LineageNodeRow, LineageReply } from '../data/contract.ts'
import { useQuery } from '../data/use-query.ts'
import { useLiveIds } from '../data/use-live-ids.ts'
import { useTitles } from '../data/use-titles.ts'
import { Badge, EmptyState, Loaded, PageHead, Panel, Time } from '../parts/basics.tsx'
import { formatExact, plural } from '../parts/format.ts'
import { SessionName } from '../parts/session-name.tsx'

const LIMIT = 200
const ROW = 46
const MAX_COLUMNS = 8

interface PlacedNode {
  readonly node: LineageNodeRow
  readonly row: number
  readonly column: number
}

/** Oldest first, one row for each session; a session stays in the column of the one it continues if that is free. */
function placeNodes({ nodes, edges }: LineageReply): readonly PlacedNode[] {
  const before = new Map(edges.map(({ from, to }) => [to, from]))
  const lastChild = new Map<string, number>()
  const sorted = nodes.toSorted((a, b) => a.startedAt.localeCompare(b.startedAt))
  const rows = new Map(sorted.map(({ sessionId }, row) => [sessionId, row]))
  for (const { from, to } of edges) lastChild.set(from, Math.max(lastChild.get(from) ?? 0, rows.get(to) ?? 0))
  const busyUntil: number[] = []
  const placed = new Map<string, PlacedNode>()
  sorted.forEach((node, row) => {
    const parent = placed.get(before.get(node.sessionId) ?? '')
    const parentColumn = parent?.column
    const isFree = (column: number) => (busyUntil[column] ?? -1) < row
    let column = parentColumn !== undefined && (busyUntil[parentColumn] ?? -1) <= row ? parentColumn : 0
    while (column !== parentColumn && !isFree(column)) column += 1
    busyUntil[column] = lastChild.get(node.sessionId) ?? row
    placed.set(node.sessionId, { node, row, column })
  })
  return [...placed.values()]
}

/** Followed by the session before. */
const HOW: Readonly<Record<string, string>> = {
  recovery: 'was given the handoff of',
  compact: 'was given the handoff of',
  clear: 'follows, after /clear,',
  resume: 'resumed',
  fork: 'is a fork of',
}

function listCrossed(edge: LineageReply['edges'][number] | undefined): readonly string[] {
  return [
    edge?.isOtherHarness === true && 'another harness',
    edge?.isOtherWorktree === true && 'another worktree',
    edge?.isOtherMachine === true && 'another machine',
  ].filter((text) => text !== false)
}

function Dot({ phase }: { readonly phase: string }) {
  return (
    <svg class="legend-dot" width="14" height="14" aria-hidden="true">
      <circle class={`node ${phase}`} cx="7" cy="7" r="5" />
    </svg>
  )
}

interface GraphProps {
  readonly lineage: LineageReply
  readonly chosen: string
  readonly titles: ReadonlyMap<string, string> | undefined
  readonly liveIds: ReadonlySet<string> | undefined
}

const isOver = ({ phase }: LineageNodeRow): boolean => phase === 'ended' || phase === 'interrupted'

function Graph({ lineage, chosen, titles, liveIds }: GraphProps) {
  const placed = placeNodes(lineage)
  const at = new Map(placed.map((one) => [one.node.sessionId, one]))
  const isOnSeveral = new Set(placed.map(({ node }) => node.machine)).size > 1
  const incoming = new Map(lineage.edges.map((edge) => [edge.to, edge]))
  const columns = Math.min(MAX_COLUMNS, Math.max(...placed.map(({ column }) => column)) + 1)
  // Of many columns, a phone would show nothing else.
  const step = columns > 3 ? 14 : 24
  const toX = (column: number) => 10 + Math.min(column, MAX_COLUMNS - 1) * step
  const toY = (row: number) => row * ROW + ROW / 2
  return (
    <div class="lineage">
      <svg class="lineage-graph" width={columns * step + 8} height={placed.length * ROW} aria-hidden="true">
        {lineage.edges.map((edge) => {
          const [from, to] = [at.get(edge.from), at.get(edge.to)]
          if (from === undefined || to === undefined) return null
          const [x1, y1, x2, y2] = [toX(from.column), toY(from.row), toX(to.column), toY(to.row)]
          const isOther = edge.isOtherHarness || edge.isOtherWorktree || edge.isOtherMachine
          return (
            <path
              key={`${edge.from} ${edge.to}`}
              class={isOther ? 'edge other' : 'edge'}
              d={`M${x1} ${y1} C${x1} ${y1 + ROW / 2} ${x2} ${y2 - ROW / 2} ${x2} ${y2}`}
            />
          )
        })}
        {placed.map(({ node, row, column }) => (
          <circle
            key={node.sessionId}
            class={`node ${isOver(node) || liveIds?.has(node.sessionId) === true ? node.phase : 'open'}`}
            cx={toX(column)}
            cy={toY(row)}
            r="6"
          />
        ))}
      </svg>
      <ol class="lineage-rows">
        {placed.map(({ node }) => {
          const edge = incoming.get(node.sessionId)
          const parent = at.get(edge?.from ?? '')?.node
          return (
            <li key={node.sessionId} class={node.sessionKey === chosen ? 'chosen' : ''}>
              <a data-nav href={link(['sessions', node.sessionKey], { harness: node.harness })}>
                <span class="row-main">
                  <span class="row-title">
                    <SessionName session={{ ...node, id: node.sessionId }} titles={titles} />{' '}
                    <span class="quiet-text">{node.branch}</span>
                  </span>
                  <span class="row-end" title={formatExact(node.startedAt)}>
                    <Time at={node.startedAt} />
                  </span>
                </span>
                <span class="row-sub">
                  <span>{node.harness}</span>
                  <span class="mono optional">{node.sessionKey.slice(0, 8)}</span>
                  {listCrossed(edge).map((crossed) => (
                    <Badge key={crossed} tone="info" title={`The session that it continues ran in ${crossed}`}>
                      {crossed}
                    </Badge>
                  ))}
                  <span class="optional">{plural(node.promptCount, 'prompt')}</span>
                  {edge !== undefined && parent !== undefined && (
                    <span class="optional cut">
                      {HOW[edge.how] ?? edge.how} {parent.sessionKey.slice(0, 8)}
                    </span>
                  )}
                  {node.machine !== undefined && isOnSeveral && <span class="optional">on {node.machine}</span>}
                </span>
              </a>
            </li>
          )
        })}
      </ol>
    </div>
  )
}

/** `continues` names the session before; its start says how. */
async function readLineage(cwd: string | undefined, chosen: string, signal: AbortSignal): Promise<LineageReply> {
  const { sessions } = await get<{ sessions: readonly LabelledSession[] }>(
    '/api/sessions',
    { cwd, limit: LIMIT },
    signal,
  )
  const known = new Map(sessions.map((session) => [session.id, session]))
  const edges = sessions.flatMap((session) => {
    const before = session.continues === undefined ? undefined : known.get(session.continues)
    if (before === undefined) return []
    return [
      {
        from: before.id,
        to: session.id,
        how: session.source === undefined || session.source === 'startup' ? 'recovery' : session.source,
        isOtherHarness: before.harness !== session.harness,
        isOtherWorktree: before.place?.worktree !== session.place?.worktree,
        isOtherMachine: before.machine?.id !== session.machine?.id,
      },
    ]
  })
  const related = new Set(sessions.filter(({ key }) => key === chosen).map(({ id }) => id))
  for (let size = -1; size !== related.size; ) {
    size = related.size
    for (const { from, to } of edges)
      if (related.has(known.get(from)?.id ?? to) || related.has(to)) related.add(from).add(to)
  }
  const nodes = sessions
    .filter(({ id }) => related.size === 0 || related.has(id))
    .map(({ id, key, place, machine, ...rest }) => ({
      ...rest,
      sessionId: id,
      sessionKey: key,
      ...(place !== undefined && { project: place.project, worktree: place.worktree }),
      ...(place?.branch !== undefined && { branch: place.branch }),
      ...(machine !== undefined && { machine: machine.name }),
    }))
  return { nodes, edges }
}

export function Page({ place, cwd }: PageProps) {
  const sessionKey = place.params.get('session') ?? ''
  const query = useQuery((signal) => readLineage(cwd, sessionKey, signal), [cwd, sessionKey], {
    isStale: ({ kind }) => kind === 'session',
    everyMs: 5_000,
  })
  const titles = useTitles(cwd)
  const liveIds = useLiveIds()
  return (
    <>
      <PageHead
        title="Lineage"
        lead="Which session continued which: after a resume, a compaction, a fork or a recovery, across harnesses, worktrees and machines. Oldest first."
      />
      {sessionKey !== '' && (
        <div class="filters">
          <button type="button" class="small" onClick={() => setParams({ session: undefined })}>
            Only the lineage of {sessionKey.slice(0, 8)} ×
          </button>
        </div>
      )}
      <Loaded query={query}>
        {(lineage) =>
          lineage.nodes.length === 0 ? (
            <EmptyState title="No session yet">
              <p>
                When a second session continues the work of the first, the two are joined here. Connect a harness with{' '}
                <code>holdfast init</code>, or <a href={link(['first-run'])}>import the sessions from before</a>.
              </p>
            </EmptyState>
          ) : (
            <Panel
              note={
                <>
                  A dashed line leads to another harness, worktree or machine. <Dot phase="idle" /> live,{' '}
                  <Dot phase="ended" /> ended, <Dot phase="interrupted" /> interrupted, <Dot phase="open" /> no end
                  seen.
                  {lineage.nodes.length >= LIMIT &&
                    ' The latest 200 sessions are shown: choose a project to see others.'}
                </>
              }
            >
              <Graph lineage={lineage} chosen={sessionKey} titles={titles} liveIds={liveIds} />
            </Panel>
          )
        }
      </Loaded>
    </>
  )
}
