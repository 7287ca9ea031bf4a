import { Kysely, sql } from 'kysely'
import { HoldfastError } from '../../kernel/errors.ts'
import type { StoreOwner } from '../../kernel/location.ts'
import type { Log, Store } from '../../kernel/ports/ports.ts'
import { type Embeddings, NO_EMBEDDINGS } from '../../memory/recall/embeddings.ts'
import { createDamageNotes, listenForDamage } from '../rows/sql-engine.ts'
import type { Engine, TermIndex, TermTables } from '../rows/sql-engine.ts'
import type { SchemaDialect } from '../rows/schema-dialect.ts'
import { migrations } from '../migrations/index.ts'
import { type MigrationList, planMigrations, runMigrations } from '../migrations/migrate.ts'
import { createSqlStore } from '../queries/sql-store.ts'
import type { ArchiveRow, Tables, MemoryRow, WorkItemRow } from '../rows/schema.ts'
import { DurableDialect } from './dialect.ts'
import { setTimeout } from 'node:timers/promises'
import { classifyFault, translate } from './dialect.ts'

const ONLY_ROW = 1
/** The server's clock, shared by all users of the store. */
const UTC_NOW = sql<string>`to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

interface OwnerClaim {
  readonly person_id: string
  readonly person_name: string
  readonly claimed_at: string
}

function refuse({ person_name, claimed_at }: OwnerClaim): never {
  throw new HoldfastError(
    'store-not-yours',
    `This PostgreSQL store has belonged to ${person_name} since ${claimed_at.slice(0, 10)}: a store is for one user.`,
    {
      hint: 'Use your own database in `store.url`. If this store is yours, from another machine or home, set `store.person` here to the content of the file `person` in that home.',
    },
  )
}

async function findClaim(db: Kysely<Tables>): Promise<OwnerClaim | undefined> {
  return db
    .selectFrom('store_owner')
    .select(['person_id', 'person_name', 'claimed_at'])
    .where('id', '=', ONLY_ROW)
    .executeTakeFirst()
}

/** Refuses another user's store before anything in it is changed. A store without an owner is accepted. */
async function refuseOtherOwner(db: Kysely<Tables>, { id }: StoreOwner): Promise<void> {
  const found = await sql<{ found: boolean }>`select to_regclass('store_owner') is not null as found`.execute(db)
  const claim = found.rows[0]?.found === true ? await findClaim(db) : undefined
  if (claim !== undefined && claim.person_id !== id) refuse(claim)
}

/** The first user becomes the owner. */
async function claimStore(db: Kysely<Tables>, { id, name }: StoreOwner): Promise<void> {
  await db
    .insertInto('store_owner')
    .values({ id: ONLY_ROW, person_id: id, person_name: name, claimed_at: UTC_NOW })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const claim = await findClaim(db)
  if (claim !== undefined && claim.person_id !== id) refuse(claim)
}

/** Doubling from 10 ms, at most 250 ms so that writers resume soon after the server; about five seconds in total. */
const ATTEMPTS = 24
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 250

interface RetryOptions {
  /** False when a second run, after the first was lost, would count something twice. */
  readonly isRepeatable: boolean
  readonly pause?: (ms: number) => Promise<unknown>
}

export async function withRetry<Result>(run: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  const pause = options.pause ?? setTimeout
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (thrown) {
      const fault = classifyFault(thrown)
      const mayRepeat = fault === 'rolled-back' || fault === 'unreachable' || (fault === 'lost' && options.isRepeatable)
      if (!mayRepeat || attempt === ATTEMPTS) throw translate(thrown)
      await pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)))
    }
  }
}

/** A tsvector of terms from kernel/text/terms.ts, with an inverted index. */
function tsvectorIndex<Row>({ terms: name, items }: TermTables): TermIndex<Row> {
  const terms = sql.table(name)
  const vector = sql.ref(`${name}.terms`)
  const toPhrase = (words: readonly string[]) => sql`cast(${words.map((word) => `'${word}'`).join(' | ')} as tsquery)`

  return {
    async add(db, rowId, words) {
      // As an array, not through a text search parser: our terms are stored unchanged.
      const distinct = [...new Set(words)]
      await sql`
        insert into ${terms} (row_id, terms)
        values (${rowId}, array_to_tsvector(string_to_array(${distinct.join(' ')}, ' ')))`.execute(db)
    },
    async addAll(db, rows) {
      const values = rows.map(
        ({ rowId, terms: words }) =>
          sql`(${rowId}, array_to_tsvector(string_to_array(${[...new Set(words)].join(' ')}, ' ')))`,
      )
      await sql`insert into ${terms} (row_id, terms) values ${sql.join(values)}`.execute(db)
    },
    async remove(db, rowId) {
      await sql`delete from ${terms} where row_id = ${rowId}`.execute(db)
    },
    async frequencies(db, words, cap) {
      const columns = words.map(
        (word, index) =>
          sql`(select count(*) from (select 1 from ${terms} where ${vector} @@ ${toPhrase([word])} limit ${cap}) as counted) as ${sql.ref(`c${index}`)}`,
      )
      const { rows } = await sql<Record<string, number>>`select ${sql.join(columns)}`.execute(db)
      return words.map((_, index) => rows[0]?.[`c${index}`] ?? 0)
    },
    async match(db, { terms: words, where, order, limit }) {
      const newest = sql`${sql.ref(`${items}.row_id`)} desc`
      const ordered = order === 'likely' ? sql`ts_rank(${vector}, ${toPhrase(words)}) desc, ${newest}` : newest
      const { rows } = await sql<Row>`
        select ${sql.table(items)}.*
        from ${terms} join ${sql.table(items)} on ${sql.ref(`${items}.row_id`)} = ${sql.ref(`${name}.row_id`)}
        where ${vector} @@ ${toPhrase(words)} and ${where}
        order by ${ordered} limit ${limit}`.execute(db)
      return rows
    },
  }
}

const MEMORY_INDEX: TermIndex<MemoryRow> = tsvectorIndex({ terms: 'memory_terms', items: 'memories' })
const WORK_INDEX: TermIndex<WorkItemRow> = tsvectorIndex({ terms: 'work_terms', items: 'work_items' })
const ARCHIVE_INDEX: TermIndex<ArchiveRow> = tsvectorIndex({ terms: 'archive_terms', items: 'archive_items' })

export interface PostgresOptions {
  readonly url: string
  readonly log?: Log
  /** Defaults to none. */
  readonly embeddings?: Embeddings
  /** The owner of the store; without it, ownership is not checked. */
  readonly owner?: StoreOwner
  /** Fewer than all make the store of an earlier version, for tests of upgrades. */
  readonly migrations?: MigrationList
}

/** An arbitrary but fixed number: it prevents two daemons from migrating at once. */
const MIGRATION_LOCK = 4_865_421_937

const postgresSchema: SchemaDialect = {
  text: sql`text collate "C"`,
  bigint: 'bigint',
  serialKey: sql`bigint generated by default as identity primary key`,
  now: sql<string>`to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  memoryIndex: MEMORY_INDEX,
  workIndex: WORK_INDEX,
  archiveIndex: ARCHIVE_INDEX,
  createTermIndex: async (db, { terms, items }) => {
    await sql`
      create table ${sql.table(terms)} (
        row_id bigint primary key references ${sql.table(items)} (row_id) on delete cascade,
        terms tsvector not null
      )`.execute(db)
    await sql`create index ${sql.ref(`${terms}_terms`)} on ${sql.table(terms)} using gin (terms)`.execute(db)
  },
}

async function serverNow(db: Kysely<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ now: string }>`select ${postgresSchema.now} as now`.execute(db)
  return rows[0]?.now
}

async function appliedMigrations(db: Kysely<Tables>): Promise<readonly string[]> {
  const found = await sql<{ found: boolean }>`select to_regclass('schema_migrations') is not null as found`.execute(db)
  if (!found.rows[0]?.found) return []
  const rows = await db.selectFrom('schema_migrations').select('name').execute()
  return rows.map(({ name }) => name)
}

async function migrate(db: Kysely<Tables>, list: MigrationList, owner: StoreOwner | undefined): Promise<void> {
  if (owner !== undefined) await refuseOtherOwner(db, owner)
  const { pending } = planMigrations(list, await appliedMigrations(db))
  await runMigrations(pending, {
    list,
    dialect: postgresSchema,
    inTransaction: (change) =>
      db.transaction().execute(async (transaction) => {
        await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction)
        await change(transaction)
      }),
  })
  if (owner !== undefined) await claimStore(db, owner)
}

export async function openPostgresEngine(options: PostgresOptions): Promise<Engine> {
  const { url, log, embeddings = NO_EMBEDDINGS, owner, migrations: list = migrations } = options
  const db = new Kysely<Tables>({ dialect: new DurableDialect(url, log) })
  try {
    await withRetry(() => migrate(db, list, owner), { isRepeatable: true })
  } catch (thrown) {
    await db.destroy()
    throw thrown
  }
  const note = createDamageNotes(log)
  return {
    memoryIndex: MEMORY_INDEX,
    workIndex: WORK_INDEX,
    archiveIndex: ARCHIVE_INDEX,
    embeddings,
    hasRowLocks: true,
    serverNow,
    describe: async () => {
      const { rows } = await withRetry(() => sql<{ server_version: string }>`show server_version`.execute(db), {
        isRepeatable: true,
      })
      return `PostgreSQL ${rows[0]?.server_version ?? 'of unknown version'}`
    },
    read: (query) => withRetry(() => query(listenForDamage(db, note)), { isRepeatable: true }),
    write: (change, { isRepeatable } = { isRepeatable: true }) =>
      withRetry(() => db.transaction().execute((transaction) => change(listenForDamage(transaction, note))), {
        isRepeatable,
      }),
    // The server's own tools report checksum and page errors.
    check: async () => [],
    // The server's own vacuum removes the bytes.
    scrub: async () => 0,
    backup: async () => {
      throw new HoldfastError('unsupported', 'Holdfast does not back up a PostgreSQL store.', {
        hint: 'Use pg_dump, or the backups of the server.',
      })
    },
    close: () => db.destroy(),
  }
}

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  return createSqlStore(await openPostgresEngine(options))
}
