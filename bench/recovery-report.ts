/** One text for one case, scored: a field is absent where the case needed nothing of it. */
export interface Row {
  readonly method: string
  readonly session: string
  readonly kind: string
  readonly format: string
  readonly scores: Readonly<Record<string, number>>
}

export const OURS = 'holdfast'
/** The naive structured heuristic of the data set: what precision must not fall below. */
const NAIVE = 'f_struct_heuristic'
const FIELDS = ['NLR', 'edited', 'read', 'cmd', 'ident', 'todo', 'ref', 'err', 'p_path', 'p_ident', 'chars'] as const
const RESAMPLES = 2_000
const SEED = 1

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && 'method' in value && 'session' in value && 'scores' in value
}

function valuesOf(rows: readonly Row[], field: string): readonly number[] {
  return rows.flatMap((row) => row.scores[field] ?? [])
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** mulberry32: the same resamples at every run. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** 95 % interval of the mean, resampling sessions: cases of one session are not independent. */
function interval(rows: readonly Row[], field: string): readonly [number, number] | undefined {
  const bySession = new Map<string, number[]>()
  for (const row of rows) {
    const value = row.scores[field]
    if (value !== undefined) bySession.set(row.session, [...(bySession.get(row.session) ?? []), value])
  }
  const sessions = [...bySession.values()]
  if (sessions.length < 2) return undefined
  const next = random(SEED)
  const means: number[] = []
  for (let run = 0; run < RESAMPLES; run += 1) {
    let sum = 0
    let count = 0
    for (let draw = 0; draw < sessions.length; draw += 1) {
      for (const value of sessions[Math.floor(next() * sessions.length)] ?? []) {
        sum += value
        count += 1
      }
    }
    means.push(sum / count)
  }
  means.sort((a, b) => a - b)
  return [means[Math.floor(0.025 * RESAMPLES)] ?? Number.NaN, means[Math.floor(0.975 * RESAMPLES)] ?? Number.NaN]
}

const short = (value: number) => value.toFixed(3).replace(/^0/, '')

function shown(rows: readonly Row[], field: string, withInterval: boolean): string {
  const value = mean(valuesOf(rows, field))
  if (value === undefined) return '-'
  if (field === 'chars') return value.toFixed(0)
  const [low, high] = withInterval ? (interval(rows, field) ?? []) : []
  return low === undefined || high === undefined ? short(value) : `${short(value)} (${short(low)}–${short(high)})`
}

const CLAUDE = 'claude'
/** Which cases a table is about, in the order of the report. */
function groupsOf(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, readonly Row[]>([['all', rows]])
  const distinct = (of: (row: Row) => string) => [...new Set(rows.map(of))].toSorted()
  for (const kind of distinct((row) => row.kind))
    groups.set(
      kind,
      rows.filter((row) => row.kind === kind),
    )
  for (const format of distinct((row) => row.format))
    groups.set(
      `harness ${format}`,
      rows.filter((row) => row.format === format),
    )
  const others = rows.filter((row) => row.format !== CLAUDE)
  if (others.length > 0) groups.set('other than Claude Code', others)
  return groups
}

function table(title: string, rows: readonly Row[]): string {
  const methods = [...new Set(rows.map((row) => row.method))].toSorted(
    (a, b) => Number(b === OURS) - Number(a === OURS),
  )
  const lines = methods.map((method) => {
    const own = rows.filter((row) => row.method === method)
    const cells = FIELDS.map((field) => shown(own, field, method === OURS || field === 'NLR'))
    return `| ${method} | ${own.length} | ${cells.join(' | ')} |`
  })
  return [
    `\n## ${title}`,
    `| text | n | ${FIELDS.join(' | ')} |`,
    `|${'---|'.repeat(FIELDS.length + 2)}`,
    ...lines,
  ].join('\n')
}

/** Every group of cases: what was needed and was said, field by field, beside what the baselines reach. */
export function tables(rows: readonly Row[]): string {
  return [...groupsOf(rows)].map(([title, own]) => table(title, own)).join('\n')
}

export interface Limit {
  readonly name: string
  readonly value: number | undefined
  readonly least: number | undefined
}

const LEAST: Readonly<Record<string, number>> = { NLR: 0.85, edited: 0.9, read: 0.7, ident: 0.62, err: 0.5 }

export function limitsOf(rows: readonly Row[]): readonly Limit[] {
  const own = rows.filter((row) => row.method === OURS)
  const naive = rows.filter((row) => row.method === NAIVE)
  const others = own.filter((row) => row.format !== CLAUDE)
  return [
    ...Object.entries(LEAST).map(([name, least]) => ({ name, value: mean(valuesOf(own, name)), least })),
    { name: 'NLR other than Claude Code', value: mean(valuesOf(others, 'NLR')), least: 0.72 },
    { name: 'p_path', value: mean(valuesOf(own, 'p_path')), least: mean(valuesOf(naive, 'p_path')) },
  ]
}

/** A limit that nothing could be measured against is not missed. */
export function isMissed({ value, least }: Limit): boolean {
  return value !== undefined && least !== undefined && value < least
}

export function sayLimits(limits: readonly Limit[]): string {
  return limits
    .map((limit) => {
      const value = limit.value === undefined ? '-' : short(limit.value)
      return `${limit.name} ${value} (limit ${limit.least === undefined ? '-' : short(limit.least)}): ${isMissed(limit) ? 'MISSED' : 'met'}`
    })
    .join('\n')
}

/** One line: the fields, and the harnesses that write otherwise. */
export function figures(rows: readonly Row[]): string {
  const own = rows.filter((row) => row.method === OURS)
  const fields = FIELDS.filter((field) => field !== 'chars')
  const others = mean(
    valuesOf(
      own.filter((row) => row.format !== CLAUDE),
      'NLR',
    ),
  )
  return [
    `n ${own.length}`,
    ...fields.map((field) => `${field} ${mean(valuesOf(own, field))?.toFixed(3) ?? '-'}`),
    `other-harnesses ${others?.toFixed(3) ?? '-'}`,
  ].join(' ')
}
