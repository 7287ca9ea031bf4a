import { get } from '../data/call.ts'
import type { InjectionRow, RemovalRow, StatsReply } from '../data/contract.ts'
import { useQuery } from '../data/use-query.ts'
import { link } from '../nav/router.ts'
import { Loading, Panel } from './basics.tsx'
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
      <li>
        Whether agents start faster with a handoff is <strong>not known yet</strong>: ten starts with one and ten
        without are needed. <a href={link(['outcomes'])}>What is measured</a>
      </li>
    )
  return (
    <li>
      An agent with a handoff made its first edit after <strong>{formatDuration(warm.median)}</strong>, one without
      after {formatDuration(cold.median)}: medians of {warm.n} and {cold.n} starts that were observed, not an
      experiment. <a href={link(['outcomes'])}>All that is measured</a>
    </li>
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
    <Panel title="What Holdfast did in the last 7 days">
      <ul class="plain-list week">
        <li>
          {least === '' ? '' : 'At least '}
          <strong>{plural(handoffs.length, 'handoff')}</strong>: agents that started, or whose context was cut, were
          given the state of the work that was left. <a href={link(['injections'], { kind: 'recovery' })}>See them</a>
        </li>
        <li>
          {least === '' ? '' : 'At least '}
          <strong>{plural(others, 'reminder')}</strong>: what you or an agent decided, what failed before and your
          rules, shown when they mattered. <a href={link(['injections'])}>See them</a>
        </li>
        <li>
          {lines === 0 ? (
            <>Whether agents used these texts was not measured; </>
          ) : (
            <>
              Agents were seen to use{' '}
              <strong>
                {formatNumber(used)} of {plural(lines, 'line')}
              </strong>{' '}
              whose use can be observed;{' '}
            </>
          )}
          all of it cost about {formatNumber(tokens)} tokens. <a href={link(['cost'])}>Beside your sessions</a>
        </li>
        <Start data={data} />
        <li>
          <strong>{plural(secrets, 'secret')}</strong> {secrets === 1 ? 'was' : 'were'} removed before anything was
          stored. <a href={link(['privacy'])}>{secrets === 0 ? 'What is stored' : 'Where, and what is stored'}</a>
        </li>
      </ul>
    </Panel>
  )
}
