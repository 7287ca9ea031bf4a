import { CompiledQuery, type Compilable, type Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'

/** A statement over many rows is rare, and long: it is put together anew. */
const MAX_KEPT_PARAMETERS = 64

/** Text differs between databases, not between transactions on one: those share their adapter. */
const textsFor = new WeakMap<object, Map<string, string>>()

function textsOf(db: Kysely<Tables>): Map<string, string> {
  const { adapter } = db.getExecutor()
  const known = textsFor.get(adapter)
  if (known !== undefined) return known
  const texts = new Map<string, string>()
  textsFor.set(adapter, texts)
  return texts
}

interface Outcome<Row = unknown> {
  readonly rows: readonly Row[]
  /** How many rows were written. */
  readonly changed: number
}

type RunText = (text: string, parameters: readonly unknown[]) => Outcome

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
function isOutcomeOf<Row>(_statement: Statement<Row>, outcome: Outcome | undefined): outcome is Outcome<Row> {
  return outcome !== undefined
}

async function run<Row>(db: Kysely<Tables>, statement: Statement<Row>): Promise<Outcome<Row>> {
  const { name, parameters, build } = statement
  const texts = textsOf(db)
  const key = `${name} ${parameters.length}`
  let text = texts.get(key)
  if (text === undefined) {
    const compiled = build().compile()
    if (!isSame(compiled.parameters, parameters)) throw new Error(`The statement "${name}" binds other parameters.`)
    text = compiled.sql
    if (parameters.length <= MAX_KEPT_PARAMETERS) texts.set(key, text)
  }
  const outcome = shortcuts.get(db)?.(text, parameters)
  if (isOutcomeOf(statement, outcome)) return outcome
  const { rows, numAffectedRows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  return { rows, changed: Number(numAffectedRows ?? 0) }
}

/** A statement on the path of every hook, put together once: that takes longer than running it. */
export async function runCompiled<Row>(db: Kysely<Tables>, statement: Statement<Row>): Promise<readonly Row[]> {
  return (await run(db, statement)).rows
}

/** The same for a change: how many rows it was to. */
export async function changeCompiled(db: Kysely<Tables>, statement: Statement<unknown>): Promise<number> {
  return (await run(db, statement)).changed
}
