import { CompiledQuery, type Compilable, type Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

/** A statement over many rows is rare, and long: it is put together anew. */
const MAX_KEPT_PARAMETERS = 64

/** Text differs between databases, not between transactions on one: those share their adapter. */
const textsFor = new WeakMap<object, Map<string, string>>()

function textsOf(db: Kysely<Tables>): Map<string, string> {
  const { adapter } = db.getExecutor()
  const known = textsFor.get(adapter) ?? new Map<string, string>()
  textsFor.set(adapter, known)
  return known
}

type RunText = (text: string, parameters: readonly unknown[]) => readonly unknown[]

const shortcuts = new WeakMap<Kysely<Tables>, RunText>()

/** For a database in this very thread: the way there through a query builder is made for those that have to be waited for. */
export function runHere(db: Kysely<Tables>, run: RunText): void {
  shortcuts.set(db, run)
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index])
}

interface Statement<Row> {
  /** One name, one text, whatever the parameters; their number is part of it. */
  readonly name: string
  readonly parameters: readonly unknown[]
  /** Binds the parameters in their order, which is checked whenever it is put together. */
  readonly build: () => Compilable<Row>
}

// The compiler cannot know what a text selects; the statement does that the text was made from.
function areRowsOf<Row>(_build: () => Compilable<Row>, rows: readonly unknown[]): rows is Row[] {
  return Array.isArray(rows)
}

/** A statement on the path of every hook, put together once: that takes longer than running it. */
export async function runCompiled<Row>(
  db: Kysely<Tables>,
  { name, parameters, build }: Statement<Row>,
): Promise<Row[]> {
  const texts = textsOf(db)
  const key = `${name} ${parameters.length}`
  let text = texts.get(key)
  if (text === undefined) {
    const compiled = build().compile()
    if (!isSame(compiled.parameters, parameters)) throw new Error(`The statement "${name}" binds other parameters.`)
    text = compiled.sql
    if (parameters.length <= MAX_KEPT_PARAMETERS) texts.set(key, text)
  }
  const found = shortcuts.get(db)?.(text, parameters)
  if (found !== undefined && areRowsOf(build, found)) return found
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  return rows
}
