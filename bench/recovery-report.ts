import * as z from 'zod'

const FactRow = z.object({
  type: z.literal('facts'),
  case: z.string(),
  score: z.number(),
  facts: z.array(
    z.object({ id: z.string(), kind: z.string(), weight: z.number(), text: z.string(), isStated: z.boolean() }),
  ),
})
const NeededRow = z.object({
  type: z.literal('needed'),
  case: z.string(),
  format: z.string(),
  needed: z.record(z.string(), z.number()),
})
const RowSchema = z.discriminatedUnion('type', [FactRow, NeededRow])
export type Row = z.output<typeof RowSchema>

export function readRows(output: string): readonly Row[] {
  return output
    .trim()
    .split('\n')
    .map((line) => RowSchema.parse(JSON.parse(line)))
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length
}

const short = (value: number) => (Number.isNaN(value) ? '-' : value.toFixed(3).replace(/^0/, ''))

function harnessOf(id: string): string {
  return /-(claude|codex|opencode|gemini|copilot)-/.exec(id)?.[1] ?? 'other'
}

/** The figures by name, in the order of the report. */
export function figuresOf(rows: readonly Row[]): ReadonlyMap<string, number> {
  const cases = rows.filter((row) => row.type === 'facts')
  const needed = rows.filter((row) => row.type === 'needed')
  const figures = new Map<string, number>([['facts', mean(cases.map(({ score }) => score))]])
  const others = cases.filter((row) => harnessOf(row.case) !== 'claude')
  figures.set('facts other harnesses', mean(others.map(({ score }) => score)))
  for (const harness of [...new Set(cases.map((row) => harnessOf(row.case)))].toSorted())
    figures.set(
      `facts ${harness}`,
      mean(cases.filter((row) => harnessOf(row.case) === harness).map(({ score }) => score)),
    )
  const facts = cases.flatMap((row) => row.facts)
  for (const kind of [...new Set(facts.map((fact) => fact.kind))].toSorted())
    figures.set(kind, mean(facts.filter((fact) => fact.kind === kind).map(({ isStated }) => Number(isStated))))
  const values = (field: string) => needed.flatMap((row) => row.needed[field] ?? [])
  const each = needed.flatMap((row) => {
    const own = Object.values(row.needed)
    return own.length === 0 ? [] : [mean(own)]
  })
  figures.set('nlr', mean(each))
  for (const field of ['edited', 'read', 'cmd']) figures.set(`nlr ${field}`, mean(values(field)))
  return figures
}

/** Facts that were not stated, one a line. */
export function listMisses(rows: readonly Row[]): readonly string[] {
  return rows.flatMap((row) =>
    row.type === 'facts'
      ? row.facts
          .filter(({ isStated }) => !isStated)
          .map(({ id, kind, weight, text }) => `${row.case} ${id} [${kind} ${weight}] ${text}`)
      : [],
  )
}

const LINE = /^\| ([^:]{1,40}):/

/** Share of the characters by the label of their line, without what follows a comma in the label. */
export function shareBySection(texts: readonly string[]): ReadonlyMap<string, number> {
  const chars = new Map<string, number>()
  let all = 0
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    const label = line.startsWith('| ') ? (LINE.exec(line)?.[1]?.split(',')[0] ?? 'header') : 'fence'
    chars.set(label, (chars.get(label) ?? 0) + line.length + 1)
    all += line.length + 1
  }
  return new Map(
    [...chars]
      .toSorted((a, b) => b[1] - a[1])
      .flatMap(([label, count]) => (count / all < 0.002 ? [] : [[label, count / all]])),
  )
}

export function renderTable(figures: ReadonlyMap<string, number>): string {
  return [
    '| figure | value |',
    '|---|---|',
    ...[...figures].map(([name, value]) => `| ${name} | ${short(value)} |`),
  ].join('\n')
}

/** One line for scripts. */
export function renderClosing(split: string, figures: ReadonlyMap<string, number>): string {
  return `recovery ${split}: ${[...figures].map(([name, value]) => `${name.replaceAll(' ', '-')} ${Number.isNaN(value) ? '-' : value.toFixed(3)}`).join(' ')}`
}
