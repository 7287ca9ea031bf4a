import { link, type PageProps } from '../nav/router.ts'
import { get } from '../data/call.ts'
import { MEASURES, type MeasureName, type MedianSpread, type OutcomeRow, type StatsReply } from '../data/contract.ts'
import { useQuery } from '../data/use-query.ts'
import { Badge, EmptyState, Figure, Loaded, PageHead, Panel, Time } from '../parts/basics.tsx'
import { formatDuration, formatNumber, lastSegment, plural } from '../parts/format.ts'
import { Plot } from '../parts/plot.tsx'

const CIRCUMSTANCE = { start: 'At a new start', resume: 'After a resume', compact: 'After a compaction' } as const

const formatMeasure = (name: MeasureName, value: number): string =>
  name === 'msToFirstEdit' ? formatDuration(value) : formatNumber(Math.round(value * 10) / 10)

function readMeasure(outcome: OutcomeRow, name: MeasureName): number | null {
  if (name === 'callsToFirstEdit') return outcome.callsToFirstEdit ?? null
  if (name === 'msToFirstEdit') return outcome.msToFirstEdit ?? null
  return outcome.rework?.[name].length ?? null
}

/** The median as a dot, its 95 % interval as a line, on a scale that both rows share. */
function Interval(props: {
  readonly spread: MedianSpread | undefined
  readonly max: number
  readonly isWarm: boolean
}) {
  const { spread, max, isWarm } = props
  if (spread === undefined) return <svg class="interval" aria-hidden="true" />
  const toX = (value: number) => `${((100 * value) / Math.max(max, 1e-9)).toFixed(2)}%`
  const { from, to } = spread.interval ?? { from: spread.lowest, to: spread.highest }
  return (
    <svg class={isWarm ? 'interval warm' : 'interval'} aria-hidden="true">
      <line x1="0" x2="100%" y1="9" y2="9" class="interval-scale" />
      <line x1={toX(from)} x2={toX(to)} y1="9" y2="9" class="interval-range" />
      <circle cx={toX(spread.median)} cy="9" r="5" />
    </svg>
  )
}

function SpreadText({ spread, name }: { readonly spread: MedianSpread | undefined; readonly name: MeasureName }) {
  if (spread === undefined) return <span class="quiet-text">no value</span>
  const { interval, n } = spread
  return (
    <span>
      <strong>{formatMeasure(name, spread.median)}</strong>{' '}
      <span class="quiet-text">
        {interval === undefined
          ? `${formatMeasure(name, spread.lowest)} to ${formatMeasure(name, spread.highest)}`
          : `95 %: ${formatMeasure(name, interval.from)} to ${formatMeasure(name, interval.to)}`}
        , n = {n}
      </span>
    </span>
  )
}

type ComparisonRow = StatsReply['projects'][number]['comparisons'][number]

function ComparisonTable({ comparison }: { readonly comparison: ComparisonRow }) {
  const { warm, cold, isEnough, caution, circumstance } = comparison
  return (
    <Panel
      title={CIRCUMSTANCE[circumstance]}
      actions={
        <Badge tone={isEnough ? 'good' : 'warn'}>
          {isEnough ? 'enough starts to compare' : 'too few starts to compare'}
        </Badge>
      }
      note={caution}
    >
      <div class="scroll-x" tabIndex={0} role="region" aria-label={`${CIRCUMSTANCE[circumstance]}: comparison`}>
        <table class="comparison">
          <thead>
            <tr>
              <th scope="col">Median per start</th>
              <th scope="col" class="with-recovery">
                With recovery ({plural(warm.starts, 'start')})
              </th>
              <th scope="col" class="without-recovery">
                Without ({plural(cold.starts, 'start')})
              </th>
              <th scope="col">On one scale</th>
            </tr>
          </thead>
          <tbody>
            {MEASURES.map(([name, label]) => {
              const max = Math.max(
                ...[warm[name], cold[name]].map((spread) => spread?.interval?.to ?? spread?.highest ?? 0),
              )
              return (
                <tr key={name}>
                  <th scope="row">{label}</th>
                  <td>
                    <SpreadText spread={warm[name]} name={name} />
                  </td>
                  <td>
                    <SpreadText spread={cold[name]} name={name} />
                  </td>
                  <td class="intervals">
                    <Interval spread={warm[name]} max={max} isWarm />
                    <Interval spread={cold[name]} max={max} isWarm={false} />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

/** What was saved, in one sentence for each measure whose medians differ; nothing when there is too little to compare. */
function SavedSentences({ comparisons }: { readonly comparisons: readonly ComparisonRow[] }) {
  const sure = comparisons.filter(({ isEnough }) => isEnough)
  const sentences = sure.flatMap(({ circumstance, warm, cold }) =>
    MEASURES.flatMap(([name, label]) => {
      const [with_, without] = [warm[name], cold[name]]
      if (with_ === undefined || without === undefined || with_.median === without.median) return []
      const isLess = with_.median < without.median
      return [
        <li key={circumstance + name}>
          <Badge tone={isLess ? 'good' : 'warn'}>{isLess ? 'less' : 'more'}</Badge>{' '}
          <strong>
            {label}: {formatMeasure(name, with_.median)} with recovery, {formatMeasure(name, without.median)} without
          </strong>{' '}
          <span class="quiet-text">{CIRCUMSTANCE[circumstance].toLowerCase()}</span>
        </li>,
      ]
    }),
  )
  if (sentences.length === 0) return null
  return (
    <Panel title="What differs, by the medians">
      <ul class="plain-list">{sentences}</ul>
    </Panel>
  )
}

function StartPlots({ outcomes }: { readonly outcomes: readonly OutcomeRow[] }) {
  const sorted = outcomes.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt))
  const times = sorted.map(({ startedAt }) => Date.parse(startedAt) / 1_000)
  return (
    <div class="grid">
      {MEASURES.filter(([name]) => sorted.some((one) => readMeasure(one, name) !== null)).map(([name, label]) => {
        const pick = (isWarm: boolean) => sorted.map((one) => (one.isWarm === isWarm ? readMeasure(one, name) : null))
        return (
          <Panel key={name} title={label}>
            <Plot
              label={`${label} of each start over time, with and without recovery`}
              times={times}
              formatValue={(value) => formatMeasure(name, value)}
              series={[
                { label: 'with recovery', color: '--accent', values: pick(true), look: 'dots' },
                { label: 'without', color: '--warn', values: pick(false), look: 'dots' },
              ]}
            />
          </Panel>
        )
      })}
    </div>
  )
}

function StartTable({ outcomes }: { readonly outcomes: readonly OutcomeRow[] }) {
  return (
    <Panel title="The latest starts">
      <div class="scroll-x" tabIndex={0} role="region" aria-label="The latest starts">
        <table>
          <thead>
            <tr>
              <th scope="col">Start</th>
              <th scope="col">Session</th>
              <th scope="col">Recovery</th>
              {MEASURES.map(([name, label]) => (
                <th key={name} scope="col" class="number">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {outcomes.slice(0, 50).map((one) => (
              <tr key={`${one.sessionId} ${one.startedAt}`}>
                <td>
                  <Time at={one.startedAt} />
                </td>
                <td>
                  <a data-nav href={link(['sessions', one.sessionKey], { harness: one.harness })}>
                    {lastSegment(one.worktree)} <span class="mono">{one.sessionKey.slice(0, 8)}</span>
                  </a>
                </td>
                <td>{one.isWarm ? <Badge tone="good">with</Badge> : <Badge>without</Badge>}</td>
                {MEASURES.map(([name]) => {
                  const value = readMeasure(one, name)
                  return (
                    <td key={name} class="number">
                      {value === null ? '–' : formatMeasure(name, value)}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

export function Page({ cwd }: PageProps) {
  const query = useQuery(
    async (signal) => (await get<{ stats: StatsReply }>('/api/stats', { cwd, limit: 500 }, signal)).stats,
    [cwd],
    { isStale: ({ kind }) => kind === 'receipt', everyMs: 5_000 },
  )
  return (
    <>
      <PageHead
        title="Outcomes"
        lead="What followed each start: work that was repeated, and how long it took to get going. Starts with a recovery are set beside starts without one in the same project. It is an observation, not an experiment: the starts may differ in other ways."
      />
      <Loaded query={query}>
        {(stats) => {
          const warm = stats.receipts.filter(({ isWarm }) => isWarm).length
          if (stats.receipts.length === 0)
            return (
              <EmptyState title="No start has an outcome yet">
                <p>
                  An outcome is computed when a session has made some calls after its start.{' '}
                  {stats.pendingSessions > 0
                    ? `${plural(stats.pendingSessions, 'session')} will have one soon.`
                    : 'Start your harness in this project, and let it work.'}
                </p>
              </EmptyState>
            )
          return (
            <>
              <div class="figures">
                <Figure label="Starts measured" value={stats.receipts.length} />
                <Figure label="With recovery" value={warm} />
                <Figure label="Without" value={stats.receipts.length - warm} />
                {stats.pendingSessions > 0 && <Figure label="Not complete yet" value={stats.pendingSessions} />}
              </div>
              {stats.projects.map(({ projectId, worktree, comparisons }) => (
                <div key={projectId + worktree}>
                  {stats.projects.length > 1 && <h2 class="divider">{lastSegment(worktree)}</h2>}
                  <SavedSentences comparisons={comparisons} />
                  {comparisons.map((comparison) => (
                    <ComparisonTable key={comparison.circumstance} comparison={comparison} />
                  ))}
                </div>
              ))}
              <StartPlots outcomes={stats.receipts} />
              <StartTable outcomes={stats.receipts} />
            </>
          )
        }}
      </Loaded>
    </>
  )
}
