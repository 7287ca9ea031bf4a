import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from '../../kernel/ports/ports.ts'
import { type StartOutcome, unchangedRereads } from '../../kernel/start-outcome.ts'

/** Sums over the stored outcomes, by whether the start got a recovery. */
const OUTCOME_FIGURES: Readonly<Record<string, (outcome: StartOutcome) => number>> = {
  holdfast_starts: () => 1,
  holdfast_start_tool_calls: ({ calls }) => calls,
  holdfast_files_reread: ({ rework }) => (rework === undefined ? 0 : unchangedRereads(rework)),
  holdfast_commands_repeated: ({ rework }) => rework?.commandsRepeated.length ?? 0,
  holdfast_decisions_reopened: ({ rework }) => rework?.decisionsReopened.length ?? 0,
  holdfast_novel_context_count: ({ rework }) => rework?.novel_context_count ?? 0,
}

/** In Prometheus's text format. Gauges, because outcomes are pruned with their events. */
export function renderOutcomeMetrics(outcomes: readonly StartOutcome[]): string {
  return Object.entries(OUTCOME_FIGURES)
    .flatMap(([name, of]) => [
      `# TYPE ${name} gauge`,
      ...[true, false].map((isWarmStart) => {
        const sum = outcomes.filter(({ isWarm }) => isWarm === isWarmStart).reduce((total, one) => total + of(one), 0)
        return `${name}{told="${isWarmStart}"} ${sum}`
      }),
    ])
    .map((line) => `${line}\n`)
    .join('')
}

const HOOK_BUCKETS_MS = [1, 2, 3, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000] as const

/** Read when the metrics are requested. */
export interface Gauges {
  readonly uptimeSeconds: number
  readonly liveSessions: number
  readonly spoolFiles: number
  readonly streams: number
  readonly outcomes: readonly StartOutcome[]
}

export interface MinuteLatency {
  readonly at: string
  readonly count: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly maxMs: number
}

const MINUTE_MS = 60_000
const MINUTES = 60
/** Of a minute with more calls, the first ones stand for all. */
const SAMPLES_PER_MINUTE = 200

interface MinuteSamples {
  readonly at: string
  count: number
  maxMs: number
  readonly samples: number[]
}

/** Bounded: an hour of samples, however long the daemon runs. */
function createMinutes(clock: Pick<Clock, 'now'>) {
  const minutes = new Map<number, MinuteSamples>()
  return {
    add(ms: number): void {
      const now = clock.now()
      const minute = Math.floor(Date.parse(now) / MINUTE_MS)
      const known = minutes.get(minute) ?? { at: now, count: 0, maxMs: 0, samples: [] }
      known.count += 1
      known.maxMs = Math.max(known.maxMs, ms)
      if (known.samples.length < SAMPLES_PER_MINUTE) known.samples.push(ms)
      minutes.set(minute, known)
      const [oldest] = minutes.keys()
      if (minutes.size > MINUTES && oldest !== undefined) minutes.delete(oldest)
    },
    list(): readonly MinuteLatency[] {
      const since = Math.floor(Date.parse(clock.now()) / MINUTE_MS) - MINUTES
      return [...minutes].flatMap(([minute, { at, count, maxMs, samples }]) => {
        const sorted = samples.toSorted((a, b) => a - b)
        const pick = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
        return minute < since ? [] : [{ at, count, maxMs, p50Ms: pick(0.5), p95Ms: pick(0.95) }]
      })
    },
  }
}

export interface Metrics {
  countRequest(status: number): void
  countEvent(isNew: boolean): void
  countAnnouncement(kind: string): void
  observeHook(ms: number): void
  /** Latencies of hooks in each minute of the last hour, oldest first. */
  listMinutes(): readonly MinuteLatency[]
  /** In Prometheus's text format. */
  render(gauges: Gauges): string
  close(): void
}

function line(name: string, value: number, labels: Readonly<Record<string, string | number>> = {}): string {
  const inner = Object.entries(labels).map(([key, text]) => `${key}="${text}"`)
  return `${name}${inner.length === 0 ? '' : `{${inner.join(',')}}`} ${value}`
}

function family(type: 'counter' | 'gauge' | 'histogram', name: string, lines: readonly string[]): string {
  return [`# TYPE ${name} ${type}`, ...lines].join('\n')
}

/** Every sample wakes the machine up, also an idle one on battery. */
const LAG_INTERVAL_MS = 1_000

export function createMetrics(clock: Pick<Clock, 'now'>): Metrics {
  const minutes = createMinutes(clock)
  const requests = new Map<number, number>()
  const announcements = new Map<string, number>()
  const events = { new: 0, known: 0 }
  const hook = { count: 0, sumMs: 0, buckets: HOOK_BUCKETS_MS.map(() => 0) }
  const lag = monitorEventLoopDelay({ resolution: LAG_INTERVAL_MS })
  lag.enable()
  // Measured from one sample to the next, so it includes the interval.
  const lagSeconds = (percent: number) => Math.max(0, (lag.percentile(percent) || 0) / 1e9 - LAG_INTERVAL_MS / 1e3)

  const add = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1)

  return {
    countRequest: (status) => void add(requests, status),
    countAnnouncement: (kind) => void add(announcements, kind),
    countEvent(isNew) {
      events[isNew ? 'new' : 'known'] += 1
    },
    observeHook(ms) {
      minutes.add(ms)
      hook.count += 1
      hook.sumMs += ms
      HOOK_BUCKETS_MS.forEach((bound, index) => {
        if (ms <= bound) hook.buckets[index] = (hook.buckets[index] ?? 0) + 1
      })
    },
    render(gauges) {
      const hookLines = [
        ...HOOK_BUCKETS_MS.map((bound, index) =>
          line('holdfast_hook_seconds_bucket', hook.buckets[index] ?? 0, { le: bound / 1_000 }),
        ),
        line('holdfast_hook_seconds_bucket', hook.count, { le: '+Inf' }),
        line('holdfast_hook_seconds_sum', hook.sumMs / 1_000),
        line('holdfast_hook_seconds_count', hook.count),
      ]
      const single = (name: string, value: number) => family('gauge', name, [line(name, value)])
      return `${[
        family(
          'counter',
          'holdfast_requests_total',
          [...requests].map(([status, count]) => line('holdfast_requests_total', count, { status })),
        ),
        family('counter', 'holdfast_hook_events_total', [
          line('holdfast_hook_events_total', events.new, { known: 'false' }),
          line('holdfast_hook_events_total', events.known, { known: 'true' }),
        ]),
        family(
          'counter',
          'holdfast_announcements_total',
          [...announcements].map(([kind, count]) => line('holdfast_announcements_total', count, { kind })),
        ),
        family('histogram', 'holdfast_hook_seconds', hookLines),
        family(
          'gauge',
          'holdfast_event_loop_lag_seconds',
          [50, 99].map((percent) =>
            line('holdfast_event_loop_lag_seconds', lagSeconds(percent), { quantile: percent / 100 }),
          ),
        ),
        single('process_resident_memory_bytes', process.memoryUsage.rss()),
        single('holdfast_uptime_seconds', gauges.uptimeSeconds),
        single('holdfast_live_sessions', gauges.liveSessions),
        single('holdfast_spool_files', gauges.spoolFiles),
        single('holdfast_streams', gauges.streams),
      ].join('\n')}\n${renderOutcomeMetrics(gauges.outcomes)}`
    },
    listMinutes: () => minutes.list(),
    close: () => void lag.disable(),
  }
}
