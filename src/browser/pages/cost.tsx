import { get } from '../data/call.ts'
import type { InjectionRow } from '../data/contract.ts'
import { useQuery } from '../data/use-query.ts'
import type { PageProps } from '../nav/router.ts'
import { EmptyState, Figure, Loaded, PageHead, Panel } from '../parts/basics.tsx'
import { formatCompact, formatNumber } from '../parts/format.ts'
import { Plot } from '../parts/plot.tsx'

interface DayCost {
  readonly day: string
  readonly injections: number
  readonly chars: number
  readonly tokens: number
}

function sumDays(entries: readonly InjectionRow[]): readonly DayCost[] {
  const days = new Map<string, DayCost>()
  for (const { at, chars, estimatedTokens } of entries) {
    const day = at.slice(0, 10)
    const old = days.get(day) ?? { day, injections: 0, chars: 0, tokens: 0 }
    days.set(day, {
      day,
      injections: old.injections + 1,
      chars: old.chars + chars,
      tokens: old.tokens + estimatedTokens,
    })
  }
  return [...days.values()].toSorted((a, b) => a.day.localeCompare(b.day))
}

function Days({ days }: { readonly days: readonly DayCost[] }) {
  const total = days.reduce((sum, { tokens }) => sum + tokens, 0)
  return (
    <>
      <div class="figures">
        <Figure label="Injected tokens, estimated" value={formatCompact(total)} note="four characters to a token" />
        <Figure label="Injections" value={days.reduce((sum, { injections }) => sum + injections, 0)} />
        <Figure label="Days with injections" value={days.length} />
      </div>
      <Panel title="Tokens that Holdfast injected, per day">
        <Plot
          label="Tokens that Holdfast injected per day; the table below has the same numbers"
          times={days.map(({ day }) => Date.parse(`${day}T12:00:00Z`) / 1_000)}
          formatValue={formatCompact}
          series={[{ label: 'injected', color: '--violet', values: days.map(({ tokens }) => tokens), look: 'bars' }]}
        />
      </Panel>
      <Panel title="Per day">
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col" class="number">
                Injections
              </th>
              <th scope="col" class="number">
                Characters
              </th>
              <th scope="col" class="number">
                Tokens
              </th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ day, injections, chars, tokens }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td class="number">{formatNumber(injections)}</td>
                <td class="number">{formatNumber(chars)}</td>
                <td class="number">{formatNumber(tokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
    </>
  )
}

export function Page({ cwd }: PageProps) {
  const query = useQuery(
    async (signal) =>
      (await get<{ ledger: { entries: readonly InjectionRow[] } }>('/api/ledger', { cwd, limit: 200 }, signal)).ledger
        .entries,
    [cwd],
    { isStale: ({ kind }) => kind === 'receipt', everyMs: 10_000 },
  )
  return (
    <>
      <PageHead
        title="Cost"
        lead={
          <>
            What Holdfast's injections cost, from the latest 200 of them. <code>holdfast cost</code> counts what a
            session pays before its first prompt.
          </>
        }
      />
      <Loaded query={query}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyState title="Nothing was injected yet">
              <p>Each injection costs tokens of your agent's context; they are counted here from the first one on.</p>
            </EmptyState>
          ) : (
            <Days days={sumDays(entries)} />
          )
        }
      </Loaded>
    </>
  )
}
