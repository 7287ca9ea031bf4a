import { get } from '../data/call.ts'
import type { DetailsReply } from '../data/contract.ts'
import { useQuery } from '../data/use-query.ts'
import { Badge, EmptyState, Figure, Loaded, PageHead, Panel, Time, type Tone } from '../parts/basics.tsx'
import { formatBytes, formatDuration, formatNumber } from '../parts/format.ts'
import { Plot } from '../parts/plot.tsx'

interface HealthReport {
  readonly status: 'ok' | 'degraded'
  readonly version: string
  readonly startedAt: string
  readonly store: 'ok' | 'read-only' | 'slow' | 'unavailable'
  readonly spoolBacklog: number
  readonly liveSessions: number
  readonly pid: number
}

interface SeenHook {
  readonly harness: string
  readonly harnessVersion: string
  readonly hook: string
  readonly count: number
  readonly lastSeenAt: string
}

const LOW_DISK_BYTES = 1e9
const WEEK_MS = 7 * 86_400_000

/** Problems and their remedies, the worst first. */
function listSteps(
  health: HealthReport,
  details: DetailsReply,
  hooks: readonly SeenHook[],
): readonly (readonly [Tone, string, string])[] {
  const steps: (readonly [Tone, string, string])[] = []
  if (health.store === 'read-only')
    steps.push(['bad', 'The store can be read and not written: the disk may be full.', 'Run holdfast doctor.'])
  else if (health.store !== 'ok')
    steps.push([
      'bad',
      `The store is ${health.store}. Hooks spool their events meanwhile.`,
      'Run holdfast daemon logs.',
    ])
  if (health.spoolBacklog > 0)
    steps.push([
      'warn',
      `${health.spoolBacklog} events wait in the spool; they are replayed in order.`,
      'Wait, then check again.',
    ])
  if (details.disk.freeBytes < LOW_DISK_BYTES)
    steps.push([
      'warn',
      `Only ${formatBytes(details.disk.freeBytes)} of the disk are free.`,
      'Free some, before hooks cannot be stored.',
    ])
  if (hooks.length === 0)
    steps.push(['warn', 'No hook has ever been seen.', 'Run holdfast init, then start a harness.'])
  const latest = Math.max(0, ...hooks.map(({ lastSeenAt }) => Date.parse(lastSeenAt)))
  if (latest > 0 && Date.now() - latest > WEEK_MS)
    steps.push(['warn', 'No hook was seen for a week.', 'Run holdfast doctor if you used a harness since.'])
  return steps.length > 0 ? steps : [['good', 'Events arrive and are stored.', '']]
}

function Latencies({ latencies }: Pick<DetailsReply, 'latencies'>) {
  if (latencies.length === 0)
    return (
      <Panel title="How long hooks take">
        <p class="note">No hook was answered in the last hour, since the daemon started.</p>
      </Panel>
    )
  const worst = latencies.reduce((most, { maxMs }) => Math.max(most, maxMs), 0)
  const calls = latencies.reduce((sum, { count }) => sum + count, 0)
  return (
    <Panel
      title="How long hooks take"
      note={`${formatNumber(calls)} calls in the last hour, measured in the daemon; the slowest took ${formatDuration(worst)}. Your agent waits that long, and for the start of the hook's process.`}
    >
      <Plot
        label={`Median and 95th percentile of the time that hooks took, by minute; at most ${formatDuration(worst)}`}
        times={latencies.map(({ at }) => Date.parse(at) / 1_000)}
        formatValue={formatDuration}
        series={[
          { label: 'median', color: '--accent', values: latencies.map(({ p50Ms }) => p50Ms), look: 'dots' },
          { label: '95th percentile', color: '--warn', values: latencies.map(({ p95Ms }) => p95Ms), look: 'dots' },
        ]}
      />
    </Panel>
  )
}

function Hooks({ hooks }: { readonly hooks: readonly SeenHook[] }) {
  if (hooks.length === 0)
    return (
      <EmptyState title="No hook has been seen">
        <p>
          Run <code>holdfast init</code> in a project and start your harness there. <code>holdfast doctor</code> says
          what is missing.
        </p>
      </EmptyState>
    )
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Hooks seen">
      <table>
        <thead>
          <tr>
            <th scope="col">Harness</th>
            <th scope="col">Version</th>
            <th scope="col">Hook</th>
            <th scope="col" class="number">
              Calls
            </th>
            <th scope="col">Last seen</th>
          </tr>
        </thead>
        <tbody>
          {hooks.map((row) => (
            <tr key={`${row.harness} ${row.harnessVersion} ${row.hook}`}>
              <td>{row.harness}</td>
              <td>{row.harnessVersion === '' ? 'not reported' : row.harnessVersion}</td>
              <td class="mono">{row.hook}</td>
              <td class="number">{formatNumber(row.count)}</td>
              <td>
                <Time at={row.lastSeenAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function Page() {
  const query = useQuery(
    async (signal) => {
      const [health, details, { sightings }] = await Promise.all([
        get<HealthReport>('/api/health', {}, signal),
        get<DetailsReply>('/api/health/details', {}, signal),
        get<{ sightings: readonly SeenHook[] }>('/api/sightings', {}, signal),
      ])
      return { health, details, hooks: sightings.toSorted((a, b) => b.lastSeenAt.localeCompare(a.lastSeenAt)) }
    },
    [],
    { isStale: ({ kind }) => kind === 'event', everyMs: 5_000 },
  )
  return (
    <>
      <PageHead
        title="Health"
        lead={
          <>
            Whether events arrive and are stored, and what to do if not. <code>holdfast doctor</code> checks the set-up
            of each harness too.
          </>
        }
      >
        <button type="button" onClick={query.reload}>
          Check again
        </button>
      </PageHead>
      <Loaded query={query}>
        {({ health, details, hooks }) => (
          <>
            <Panel title="What to do">
              <ul class="plain-list">
                {listSteps(health, details, hooks).map(([tone, what, step]) => (
                  <li key={what}>
                    <Badge tone={tone}>{tone === 'good' ? 'fine' : tone === 'warn' ? 'look at it' : 'broken'}</Badge>{' '}
                    {what} {step !== '' && <strong>{step}</strong>}
                  </li>
                ))}
              </ul>
            </Panel>
            <div class="figures">
              <Figure
                label="Daemon"
                value={health.version}
                note={
                  <>
                    process {health.pid}, started <Time at={health.startedAt} />
                  </>
                }
              />
              <Figure
                label="Store"
                value={health.store}
                note={details.storeBytes === undefined ? undefined : formatBytes(details.storeBytes)}
              />
              <Figure
                label="Disk"
                value={`${formatBytes(details.disk.freeBytes)} free`}
                note={`of ${formatBytes(details.disk.totalBytes)}; Holdfast's home: ${formatBytes(details.homeBytes)}`}
              />
              <Figure label="Memory of the daemon" value={formatBytes(details.memoryBytes)} />
              <Figure label="Waiting in the spool" value={health.spoolBacklog} note="events that wait for the daemon" />
              <Figure label="Live sessions" value={health.liveSessions} />
            </div>
            <Latencies latencies={details.latencies} />
            <Panel title="Hooks seen">
              <Hooks hooks={hooks} />
            </Panel>
          </>
        )}
      </Loaded>
    </>
  )
}
