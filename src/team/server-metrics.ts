/** Upper bounds of the histogram, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const

interface Latencies {
  readonly counts: number[]
  sum: number
  total: number
}

/** A value that is read when the page is rendered. */
export interface Gauge {
  readonly name: string
  readonly help: string
  readonly value: number
}

export interface ServerMetrics {
  observe(request: { readonly route: string; readonly status: number; readonly seconds: number }): void
  count(name: 'appended_batches' | 'appended_bytes' | 'read_batches' | 'read_bytes' | 'rate_limited', by?: number): void
  /** Prometheus text format 0.0.4. No team, person, machine or repository is named in it. */
  render(gauges: readonly Gauge[]): string
}

const HELP = {
  appended_batches: 'Batches stored.',
  appended_bytes: 'Sealed bytes stored.',
  read_batches: 'Batches sent.',
  read_bytes: 'Sealed bytes sent.',
  rate_limited: 'Requests refused by a rate limit.',
} as const

export function createServerMetrics(): ServerMetrics {
  const requests = new Map<string, number>()
  const latencies = new Map<string, Latencies>()
  const counters = new Map<keyof typeof HELP, number>()

  function renderLatencies(): readonly string[] {
    return [...latencies].flatMap(([route, { counts, sum, total }]) => [
      ...BOUNDS.map(
        (bound, at) => `holdfast_team_request_seconds_bucket{route="${route}",le="${bound}"} ${counts[at] ?? 0}`,
      ),
      `holdfast_team_request_seconds_bucket{route="${route}",le="+Inf"} ${total}`,
      `holdfast_team_request_seconds_sum{route="${route}"} ${sum.toFixed(6)}`,
      `holdfast_team_request_seconds_count{route="${route}"} ${total}`,
    ])
  }

  return {
    observe({ route, status, seconds }) {
      const key = `route="${route}",status="${status}"`
      requests.set(key, (requests.get(key) ?? 0) + 1)
      const known = latencies.get(route) ?? { counts: BOUNDS.map(() => 0), sum: 0, total: 0 }
      BOUNDS.forEach((bound, at) => {
        if (seconds <= bound) known.counts[at] = (known.counts[at] ?? 0) + 1
      })
      known.sum += seconds
      known.total += 1
      latencies.set(route, known)
    },
    count(name, by = 1) {
      counters.set(name, (counters.get(name) ?? 0) + by)
    },
    render(gauges) {
      const lines = [
        '# HELP holdfast_team_requests_total Requests by route and status.',
        '# TYPE holdfast_team_requests_total counter',
        ...[...requests].map(([labels, value]) => `holdfast_team_requests_total{${labels}} ${value}`),
        '# HELP holdfast_team_request_seconds Time until a request was answered.',
        '# TYPE holdfast_team_request_seconds histogram',
        ...renderLatencies(),
        ...(['appended_batches', 'appended_bytes', 'read_batches', 'read_bytes', 'rate_limited'] as const).flatMap(
          (name) => [
            `# HELP holdfast_team_${name}_total ${HELP[name]}`,
            `# TYPE holdfast_team_${name}_total counter`,
            `holdfast_team_${name}_total ${counters.get(name) ?? 0}`,
          ],
        ),
        ...gauges.flatMap(({ name, help, value }) => [
          `# HELP holdfast_team_${name} ${help}`,
          `# TYPE holdfast_team_${name} gauge`,
          `holdfast_team_${name} ${value}`,
        ]),
      ]
      return `${lines.join('\n')}\n`
    },
  }
}
