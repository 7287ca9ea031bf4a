import { get } from '../data/call.ts'
import type { InjectionRow, RemovalRow, StatsReply } from '../data/contract.ts'
import { useQuery } from '../data/use-query.ts'
import { link } from '../nav/router.ts'
import { Figure, Loading, Panel } from './basics.tsx'
import { formatDuration, formatNumber, plural } from './format.ts'

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

function Start({ data }: { readonly data: BenefitData }) {
  const comparison = findComparison(data)
  const [warm, cold] = [comparison?.warm.msToFirstEdit, comparison?.cold.msToFirstEdit]
  if (warm === undefined || cold === undefined)
    return (
      <Figure
        label="Time to the first edit"
        value="not known yet"
        note="ten starts with a handoff and ten without are needed"
      />
    )
  return (
    <Figure
      label="Time to the first edit"
      value={formatDuration(warm.median)}
      note={`${formatDuration(cold.median)} without a handoff (medians of ${warm.n} and ${cold.n} starts)`}
    />
  )
}

/** What Holdfast did in the last seven days, for somebody who never read about it. */
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
    <Panel
      title="What Holdfast did in the last 7 days"
      note="When an agent starts, Holdfast gives it the state of the work that the last one left (a handoff). While it works, Holdfast adds memories that fit."
    >
      <div class="figures inner">
        <Figure
          label="Handoffs given"
          value={`${least}${formatNumber(handoffs.length)}`}
          note={<a href={link(['injections'], { kind: 'recovery' })}>to sessions that started or went on</a>}
        />
        <Figure
          label="Memories and warnings"
          value={`${least}${formatNumber(others)}`}
          note={<a href={link(['injections'])}>before prompts and tool calls</a>}
        />
        <Figure
          label="Lines that the agent used"
          value={lines === 0 ? 'not measured' : `${formatNumber(used)} of ${formatNumber(lines)}`}
          note={`all of them cost about ${formatNumber(tokens)} tokens`}
        />
        <Start data={data} />
        <Figure
          label="Secrets kept out"
          value={secrets}
          note={<a href={link(['privacy'])}>{`of ${plural(data.removals.length, 'event')}, never stored`}</a>}
        />
      </div>
    </Panel>
  )
}
