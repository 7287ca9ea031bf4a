import { CompiledQuery, type Compilable, type Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'

/** Well below the parameter limits (SQLite 32,766, PostgreSQL 65,535). */
const SLICE = 200

/** Runs a statement over a list in batches, in order, and concatenates the results. Nothing runs for an empty list. */
export async function inSlices<Item, Row>(
  items: readonly Item[],
  run: (slice: readonly Item[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let start = 0; start < items.length; start += SLICE) rows.push(...(await run(items.slice(start, start + SLICE))))
  return rows
}

/**
 * Reads in order until `limit` intact items are found or there are no more. Without this a page of damaged rows would
 * look like the end.
 */
export async function readIntact<Row, Item>(
  limit: number,
  page: (after: Row | undefined, count: number) => Promise<readonly Row[]>,
  check: (row: Row) => Item | undefined,
): Promise<readonly Item[]> {
  const sound: Item[] = []
  let last: Row | undefined
  while (sound.length < limit) {
    const wanted = limit - sound.length
    const rows = await page(last, wanted)
    for (const row of rows) {
      const item = check(row)
      if (item !== undefined) sound.push(item)
    }
    last = rows.at(-1)
    if (rows.length < wanted) break
  }
  return sound
}

/** A statement over many rows is rare and long: it is not cached. */
const MAX_CACHED_PARAMETERS = 64

/** SQL text differs between databases, not between transactions of one: those share their adapter. */
const textsFor = new WeakMap<object, Map<string, string>>()

function getTextCache(db: Kysely<Tables>): Map<string, string> {
  const { adapter } = db.getExecutor()
  const known = textsFor.get(adapter)
  if (known !== undefined) return known
  const texts = new Map<string, string>()
  textsFor.set(adapter, texts)
  return texts
}

interface StatementResult<Row = unknown> {
  readonly rows: readonly Row[]
  /** Number of rows written. */
  readonly changed: number
}

type RunText = (text: string, parameters: readonly unknown[]) => StatementResult

const shortcuts = new WeakMap<Kysely<Tables>, RunText>()

/** Runs statements of a database in this thread directly, without the asynchronous query builder. */
export function runHere(db: Kysely<Tables>, run: RunText): void {
  shortcuts.set(db, run)
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index])
}

interface CachedStatement<Row> {
  /** The key of the cached text, the same for any parameter values; includes their number. */
  readonly name: string
  readonly parameters: readonly unknown[]
  /** Builds the query; the order of parameters is checked whenever it is compiled. */
  readonly build: () => Compilable<Row>
}

// The type checker cannot know what an SQL text selects; the statement that it was compiled from does.
function isOutcome<Row>(
  _statement: CachedStatement<Row>,
  outcome: StatementResult | undefined,
): outcome is StatementResult<Row> {
  return outcome !== undefined
}

async function run<Row>(db: Kysely<Tables>, statement: CachedStatement<Row>): Promise<StatementResult<Row>> {
  const { name, parameters, build } = statement
  const texts = getTextCache(db)
  const key = `${name} ${parameters.length}`
  let text = texts.get(key)
  if (text === undefined) {
    const compiled = build().compile()
    if (!isSame(compiled.parameters, parameters)) throw new Error(`The statement "${name}" binds different parameters.`)
    text = compiled.sql
    if (parameters.length <= MAX_CACHED_PARAMETERS) texts.set(key, text)
  }
  const outcome = shortcuts.get(db)?.(text, parameters)
  if (isOutcome(statement, outcome)) return outcome
  const { rows, numAffectedRows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  return { rows, changed: Number(numAffectedRows ?? 0) }
}

/** Runs a statement that every hook needs, compiled once: compiling takes longer than running it. */
export async function runCompiled<Row>(db: Kysely<Tables>, statement: CachedStatement<Row>): Promise<readonly Row[]> {
  return (await run(db, statement)).rows
}

/** The same for a change; returns the number of rows. */
export async function changeCompiled(db: Kysely<Tables>, statement: CachedStatement<unknown>): Promise<number> {
  return (await run(db, statement)).changed
}
