import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Kysely } from 'kysely'
import { HoldfastError, messageOf } from '../../../kernel/errors.ts'
import type { Log } from '../../../kernel/ports/ports.ts'
import type { Embeddings } from '../../../memory/recall/embeddings.ts'
import { migrations } from '../../migrations/index.ts'
import { planMigrations, runMigrations, type MigrationList, type MigrationPlan } from '../../migrations/migrate.ts'
import { runHere } from '../../queries/rows/compiled.ts'
import type { Tables } from '../../rows/schema.ts'
import { backUpBefore } from './backup.ts'
import { createDatabaseFile } from './create-file.ts'
import { kyselyDialect, preparerOf, runPrepared, sqliteSchema } from './dialect.ts'
import { engineVersion, openDatabase, requireEngine, type SqliteDatabase } from './driver.ts'
import { DamageFound, faultOf } from './errors.ts'

export const IN_MEMORY = ':memory:'
const BUSY_TIMEOUT_MS = 5_000

// What is deleted is overwritten: forgotten is forgotten, also for somebody who reads the file or salvages it.
// FULL: a commit is on disk before it is acknowledged. The npm binding is built to fall back to NORMAL once a WAL is in
// use, so it is said on every connection. The WAL is folded in every 1,000 pages and cut to 16 MB when it starts anew.
const PRAGMAS = `
  pragma synchronous = full;
  pragma fullfsync = on;
  pragma checkpoint_fullfsync = on;
  pragma secure_delete = on;
  pragma foreign_keys = on;
  pragma wal_autocheckpoint = 1000;
  pragma journal_size_limit = 16777216;
`

export interface SqliteOptions {
  /** `:memory:` for a database that lives as long as the store. */
  readonly file: string
  /** Where copies go before a migration; without, none are made. */
  readonly backupDir?: string
  /** Where damaged files go; without, damage is an error. */
  readonly quarantineDir?: string
  readonly log?: Log
  readonly migrations?: MigrationList
  /** None unless given. */
  readonly embeddings?: Embeddings
}

export interface SqliteConnection {
  readonly database: SqliteDatabase
  readonly db: Kysely<Tables>
  readonly isReadOnly: boolean
}

/**
 * Folds the write-ahead log in first. `@photostructure/sqlite` 1.2.1 cannot finalize statements, so its `close` only
 * takes full effect when they are collected: until then the file must already be complete without its log.
 */
export function closeConnection({ database, isReadOnly }: SqliteConnection, log?: Log): void {
  try {
    if (!isReadOnly) database.exec('pragma wal_checkpoint(truncate)')
  } catch (thrown) {
    // What is committed is in the log, and the next start reads it from there.
    log?.warn('The write-ahead log stays until the next start.', { error: messageOf(thrown) })
  }
  database.close()
}

/** One transaction that has the database to itself. */
export async function inTransaction<Result>(
  { database, db }: SqliteConnection,
  change: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  database.exec('begin immediate')
  try {
    const result = await change(db)
    database.exec('commit')
    return result
  } catch (thrown) {
    if (database.isTransaction) database.exec('rollback')
    throw thrown
  }
}

function appliedMigrations(database: SqliteDatabase): readonly string[] {
  const table = database.prepare(`select 1 from sqlite_schema where name = 'schema_migrations'`).get()
  if (table === undefined) return []
  return database
    .prepare('select name from schema_migrations order by name')
    .all()
    .map(({ name }) => String(name))
}

/** A later version has all of our migrations and more. Unknown ones while some of ours are missing are ours, misspelt by damage. */
function requireNames(list: MigrationList, applied: readonly string[]): void {
  const ours = Object.keys(list)
  const unknown = applied.filter((name) => !ours.includes(name))
  if (unknown.length > 0 && ours.some((name) => !applied.includes(name)))
    throw new DamageFound(`there is no migration ${unknown.join(', ')}`)
}

function schemaOf(database: SqliteDatabase): string {
  const rows = database.prepare('select name, sql from sqlite_schema where sql is not null order by name').all()
  return JSON.stringify(rows)
}

/** What tables are and mean is text in the file too, and may be damaged so that it is still SQL. */
export async function requireSchema(database: SqliteDatabase, list: MigrationList | undefined): Promise<void> {
  const fresh = await openConnection({ file: IN_MEMORY, migrations: list })
  const expected = schemaOf(fresh.database)
  fresh.database.close()
  if (schemaOf(database) !== expected) throw new DamageFound('the schema is not what was written')
}

/** Numbers that were given once must not be given again: an end before the last event would refuse every new one. */
export function requireEnds(database: SqliteDatabase): void {
  const head = database.prepare('select seq, hash from log_head where id = 1').get()
  const last = database.prepare('select seq from events order by seq desc limit 1').get()
  if (typeof head?.seq !== 'number' || typeof head.hash !== 'string')
    throw new DamageFound('where the log ends is not recorded')
  if (Number(last?.seq ?? 0) > head.seq)
    throw new DamageFound(`the log should end at ${head.seq}, and has event ${String(last?.seq)}`)
}

/** Touches what every start needs, so that damage there is found now and not by the first hook. */
function probe(database: SqliteDatabase): void {
  requireEnds(database)
  for (const table of ['events', 'session_checkpoints', 'memories', 'sessions']) {
    database.prepare(`select * from ${table} order by rowid desc limit 1`).all()
  }
}

function createPrivately(file: string): void {
  try {
    createDatabaseFile(file)
  } catch (thrown) {
    throw new HoldfastError('store-unavailable', `The database ${file} cannot be created: ${messageOf(thrown)}.`, {
      hint: `Make ${dirname(file)} writable for your user.`,
      cause: thrown,
    })
  }
}

function openFile(file: string): { readonly database: SqliteDatabase; readonly isReadOnly: boolean } {
  const database = openDatabase(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    appliedMigrations(database)
    return { database, isReadOnly: false }
  } catch (thrown) {
    database.close()
    if (faultOf(thrown) !== 'read-only') throw thrown
    // A WAL database needs its folder writable even for reading, unless it is told that nobody changes the file.
    const frozen = pathToFileURL(file)
    frozen.searchParams.set('immutable', '1')
    return { database: openDatabase(frozen, { readOnly: true }), isReadOnly: true }
  }
}

async function bringUp(connection: SqliteConnection, plan: MigrationPlan, options: SqliteOptions): Promise<void> {
  const { database, isReadOnly } = connection
  const [first] = plan.pending
  if (!isReadOnly) {
    database.exec('pragma journal_mode = wal')
    database.exec(PRAGMAS)
  }
  if (first === undefined) return
  if (isReadOnly) {
    throw new HoldfastError(
      'store-unavailable',
      `The database ${options.file} needs an upgrade and cannot be written.`,
      {
        hint: 'Make the file and its folder writable for your user.',
      },
    )
  }
  if (!plan.isNew && options.backupDir !== undefined) {
    const backup = backUpBefore(first, database, options.backupDir)
    options.log?.info('The database was copied before its upgrade.', { backup, migrations: plan.pending })
  }
  await runMigrations(plan.pending, {
    list: options.migrations ?? migrations,
    dialect: sqliteSchema,
    inTransaction: (change) => inTransaction(connection, change),
  })
}

/** Opens and brings the schema up. Throws the driver's own error for a damaged file, ours for one that is too new. */
export async function openConnection(options: SqliteOptions): Promise<SqliteConnection> {
  if (options.file !== IN_MEMORY) createPrivately(options.file)
  const { database, isReadOnly } = openFile(options.file)
  try {
    requireEngine(engineVersion(database))
    const list = options.migrations ?? migrations
    const applied = appliedMigrations(database)
    requireNames(list, applied)
    const plan = planMigrations(list, applied)
    const prepare = preparerOf(database)
    const db = new Kysely<Tables>({ dialect: kyselyDialect(database, prepare) })
    runHere(db, (text, parameters) => runPrepared(prepare(text), parameters))
    const connection = { database, db, isReadOnly }
    await bringUp(connection, plan, options)
    probe(database)
    return connection
  } catch (thrown) {
    database.close()
    throw thrown
  }
}
