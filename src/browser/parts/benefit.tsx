import { get } from '../data/call.ts'
import type { InjectionRow, RemovalRow, StatsReply } from '../data/contract.ts'
import { useQuery } from '../data/use-query.ts'
import { link } from '../nav/router.ts'
import { Figure, Loading } from './basics.tsx'
import { formatDuration, formatNumber } from './format.ts'

const WEEK_MS = 7 * 86_400_000
const LEDGER_LIMIT = 200
const SCANNED_EVENTS = 1_000

interface WeekLedger {
  readonly ledger: { readonly entries: readonly InjectionRow[]; readonly next?: number }
}

interface BenefitData {
  readonly entries: readonly InjectionRow[]
  readonly isPartial: boolean
  readonly stats: StatsReply
  readonly removals: readonly RemovalRow[]
}

async function readBenefit(cwd: string | undefined, signal: AbortSignal): Promise<BenefitData> {
  const [{ ledger }, { stats }, { removals }] = await Promise.all([
    get<WeekLedger>('/api/ledger', { cwd, limit: LEDGER_LIMIT }, signal),
    get<{ stats: StatsReply }>('/api/stats', { cwd, limit: 50 }, signal),
    get<{ removals: readonly RemovalRow[] }>('/api/removals', { limit: SCANNED_EVENTS }, signal),
  ])
  const since = new Date(Date.now() - WEEK_MS).toISOString()
  const entries = ledger.entries.filter(({ at }) => at >= since)
  const isPartial = ledger.next !== undefined && entries.length === ledger.entries.length
  return { entries, isPartial, stats, removals: removals.filter(({ at }) => at >= since) }
}

/** The comparison of starts with the most to compare; undefined while there are too few. */
function findComparison({ stats }: BenefitData) {
  return stats.projects
    .flatMap(({ comparisons }) => comparisons)
    .filter(({ isEnough, circumstance }) => isEnough && circumstance === 'start')
    .toSorted((a, b) => b.warm.starts - a.warm.starts)[0]
}

function FirstEdit({ data }: { readonly data: BenefitData }) {
  const comparison = findComparison(data)
  const [warm, cold] = [comparison?.warm.msToFirstEdit, comparison?.cold.msToFirstEdit]
  const measured = <a href={link(['outcomes'])}>What is measured</a>
  if (warm === undefined || cold === undefined)
    return (
      <Figure
        label="First edit after a handoff"
        value="not known yet"
        note={<>ten starts with one and ten without are needed. {measured}</>}
      />
    )
  return (
    <Figure
      label="First edit after a handoff"
      value={formatDuration(warm.median)}
      note={
        <>
          {formatDuration(cold.median)} without one: medians of {warm.n} and {cold.n} starts, observed, not an
          experiment. {measured}
        </>
      }
    />
  )
}

/** What Holdfast did in the last seven days, in words that need no documentation. */
export function Benefit({ cwd }: { readonly cwd: string | undefined }) {
  const query = useQuery((signal) => readBenefit(cwd, signal), [cwd], {
    isStale: ({ kind }) => kind === 'receipt',
    everyMs: 30_000,
  })
  const data = query.value
  if (data === undefined) return query.error === undefined ? <Loading rows={2} /> : null
  if (data.entries.length === 0 && data.removals.length === 0) return null
  const handoffs = data.entries.filter(({ kind }) => kind === 'recovery')
  const others = data.entries.length - handoffs.length
  const lines = data.entries.reduce((sum, { lineCount }) => sum + lineCount, 0)
  const used = data.entries.reduce((sum, { usedCount }) => sum + usedCount, 0)
  const tokens = data.entries.reduce((sum, { estimatedTokens }) => sum + estimatedTokens, 0)
  const secrets = data.removals.reduce(
    (sum, { kinds }) => sum + kinds.reduce((total, { count }) => total + count, 0),
    0,
  )
  const least = data.isPartial ? 'at least ' : ''
  return (
    <div role="region" aria-labelledby="week">
      <h2 class="divider" id="week">
        What Holdfast did in the last 7 days
      </h2>
      <div class="figures week">
        <Figure
          label="Handoffs given"
          value={`${least}${formatNumber(handoffs.length)}`}
          note={
            <>
              agents that started, or whose context was cut, got the state of the work.{' '}
              <a href={link(['injections'], { kind: 'recovery' })}>See them</a>
            </>
          }
        />
        <Figure
          label="Reminders given"
          value={`${least}${formatNumber(others)}`}
          note={
            <>
              decisions, rules and what failed before, shown when they mattered.{' '}
              <a href={link(['injections'])}>See them</a>
            </>
          }
        />
        <Figure
          label="Lines that agents used"
          value={lines === 0 ? 'not measured' : `${formatNumber(used)} of ${formatNumber(lines)}`}
          note={
            <>
              {lines > 0 && 'lines whose use can be observed; '}all texts cost about {formatNumber(tokens)} tokens.{' '}
              <a href={link(['cost'])}>Cost</a>
            </>
          }
        />
        <FirstEdit data={data} />
        <Figure
          label="Secrets removed"
          value={secrets}
          note={
            <>
              before anything was stored.{' '}
              <a href={link(['privacy'])}>{secrets === 0 ? 'What is stored' : 'Where, and what is stored'}</a>
            </>
          }
        />
      </div>
    </div>
  )
}
