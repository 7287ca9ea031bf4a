import { get } from '../data/call.ts'
import type { InjectionRow, UsageReply } from '../data/contract.ts'
import { useQuery } from '../data/use-query.ts'
import { link, type PageProps } from '../nav/router.ts'
import { EmptyState, Figure, Loaded, PageHead, Panel } from '../parts/basics.tsx'
import { formatCompact, formatNumber } from '../parts/format.ts'
import { Plot } from '../parts/plot.tsx'

const DAYS = 30
const PAGE_LIMIT = 200
const MAX_ENTRIES = 5_000

interface DayCost {
  readonly day: string
  /** Read and written by the model, without what came from its cache. */
  readonly used: number
  readonly cached: number
  readonly output: number
  readonly injections: number
  readonly injected: number
}

interface CostPage {
  readonly ledger: { readonly entries: readonly InjectionRow[]; readonly next?: number }
}

async function readInjections(cwd: string | undefined, since: string, signal: AbortSignal) {
  const entries: InjectionRow[] = []
  for (let beforeSeq: number | undefined; entries.length < MAX_ENTRIES; ) {
    const { ledger } = await get<CostPage>('/api/ledger', { cwd, beforeSeq, limit: PAGE_LIMIT }, signal)
    entries.push(...ledger.entries.filter(({ at }) => at >= since))
    if (ledger.next === undefined || ledger.entries.some(({ at }) => at < since)) break
    beforeSeq = ledger.next
  }
  return entries
}

function sumDays(entries: readonly InjectionRow[], usage: UsageReply): readonly DayCost[] {
  const days = new Map<string, DayCost>()
  const read = (day: string): DayCost =>
    days.get(day) ?? { day, used: 0, cached: 0, output: 0, injections: 0, injected: 0 }
  for (const { at, estimatedTokens } of entries) {
    const old = read(at.slice(0, 10))
    days.set(old.day, {
      ...old,
      injections: old.injections + 1,
      injected: old.injected + estimatedTokens,
    })
  }
  for (const { day, input, output, cacheRead, cacheWrite } of usage.days) {
    const old = read(day)
    days.set(day, {
      ...old,
      used: old.used + input + cacheWrite,
      cached: old.cached + cacheRead,
      output: old.output + output,
    })
  }
  return [...days.values()].toSorted((a, b) => a.day.localeCompare(b.day))
}

const COLUMNS = [
  ['used', 'Session input'],
  ['cached', 'From its cache'],
  ['output', 'Session output'],
  ['injections', 'Injections'],
  ['injected', 'Injected tokens'],
] as const

function Days({ days, usage }: { readonly days: readonly DayCost[]; readonly usage: UsageReply }) {
  const sum = (name: 'used' | 'cached' | 'output' | 'injections' | 'injected') =>
    days.reduce((total, day) => total + day[name], 0)
  const processed = sum('used') + sum('cached') + sum('output')
  const injected = sum('injected')
  const times = days.map(({ day }) => Date.parse(`${day}T12:00:00Z`) / 1_000)
  return (
    <>
      <div class="figures">
        <Figure
          label={`Tokens of sessions, ${DAYS} days`}
          value={formatCompact(processed)}
          note={`${formatNumber(usage.sessionsRead)} transcripts read, ${formatNumber(usage.sessionsSkipped)} sessions without one`}
        />
        <Figure label="Of them from the cache" value={formatCompact(sum('cached'))} note="each message counted once" />
        <Figure
          label="Injected by Holdfast, estimated"
          value={formatCompact(injected)}
          note={`${formatNumber(sum('injections'))} injections, four characters to a token`}
        />
        <Figure
          label="Injected, beside input and output"
          value={
            sum('used') + sum('output') === 0
              ? 'not measured'
              : `${((100 * injected) / (sum('used') + sum('output'))).toFixed(2)} %`
          }
          note="an injection is read once as input; later turns read it from the cache"
        />
      </div>
      <Panel title="Tokens of sessions, per day">
        <Plot
          label="Input and output tokens of sessions per day; the table below has the same numbers"
          times={times}
          formatValue={formatCompact}
          series={[
            { label: 'input', color: '--accent', values: days.map(({ used }) => used), look: 'bars' },
            { label: 'output', color: '--warn', values: days.map(({ output }) => output), look: 'line' },
          ]}
        />
      </Panel>
      <Panel title="Tokens that Holdfast injected, per day">
        <Plot
          label="Tokens that Holdfast injected per day; the table below has the same numbers"
          times={times}
          formatValue={formatCompact}
          series={[{ label: 'injected', color: '--violet', values: days.map((day) => day.injected), look: 'bars' }]}
        />
      </Panel>
      <Panel title="Per day (UTC)">
        <div class="scroll-x" tabIndex={0} role="region" aria-label="Tokens per day">
          <table>
            <thead>
              <tr>
                <th scope="col">Day</th>
                {COLUMNS.map(([name, title]) => (
                  <th key={name} scope="col" class="number">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map((day) => (
                <tr key={day.day}>
                  <th scope="row">{day.day}</th>
                  {COLUMNS.map(([name]) => (
                    <td key={name} class="number">
                      {formatNumber(day[name])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Panel>
    </>
  )
}

export function Page({ cwd }: PageProps) {
  const query = useQuery(
    async (signal) => {
      const since = new Date(Date.now() - DAYS * 86_400_000).toISOString()
      const [entries, usage] = await Promise.all([
        readInjections(cwd, since, signal),
        get<UsageReply>('/api/token-usage', { cwd, days: DAYS }, signal),
      ])
      return { days: sumDays(entries, usage), usage }
    },
    [cwd],
    { isStale: ({ kind }) => kind === 'receipt', everyMs: 60_000 },
  )
  return (
    <>
      <PageHead
        title="Cost"
        lead={
          <>
            Tokens that your sessions used, as their transcripts report them, and those of Holdfast's injections beside
            them. <code>holdfast cost</code> counts what a session pays before its first prompt.
          </>
        }
      />
      <Loaded query={query}>
        {({ days, usage }) =>
          days.length === 0 ? (
            <EmptyState title={`No tokens in the last ${DAYS} days`}>
              <p>
                Tokens are read from the transcripts of the sessions that Holdfast knows, and injections are counted
                from the first one on. <a href={link(['first-run'])}>Import the sessions from before</a>, or connect a
                harness with <code>holdfast init</code>.
              </p>
            </EmptyState>
          ) : (
            <Days days={days} usage={usage} />
          )
        }
      </Loaded>
    </>
  )
}
