import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Kysely } from 'kysely'
import { HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'
import type { Log } from '../../../kernel/ports/ports.ts'
import type { Embeddings } from '../../../memory/recall/embeddings.ts'
import { migrations } from '../../migrations/index.ts'
import { planMigrations, runMigrations, type MigrationList, type MigrationPlan } from '../../migrations/migrate.ts'
import { runHere } from '../../queries/rows/statements.ts'
import type { Tables } from '../../rows/schema.ts'
import { backUpBefore } from './database-file.ts'
import { createDatabaseFile } from './database-file.ts'
import { kyselyDialect, createStatementCache, runPrepared, sqliteSchema } from './dialect.ts'
import { engineVersion, openDatabase, requireEngine, type SqliteDatabase } from './driver.ts'
import { DamageFound, classifyFault } from './errors.ts'

export const IN_MEMORY = ':memory:'
const BUSY_TIMEOUT_MS = 5_000

// secure_delete: deleted data is overwritten, so that it cannot be read from the file or salvaged.
// FULL: a commit is on disk before it is acknowledged. The npm binding defaults to NORMAL once a WAL is in
// use, so it is set on every connection. The WAL is checkpointed every 1,000 pages and truncated to 16 MB when it restarts.
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
  /** `:memory:` for a temporary database. */
  readonly file: string
  /** Where backups go before a migration; without it, none are made. */
  readonly backupDir?: string
  /** Where damaged files go; without it, damage is an error. */
  readonly quarantineDir?: string
  readonly log?: Log
  readonly migrations?: MigrationList
  /** Defaults to none. */
  readonly embeddings?: Embeddings
}

export interface SqliteConnection {
  readonly database: SqliteDatabase
  readonly db: Kysely<Tables>
  readonly isReadOnly: boolean
}

/**
 * Checkpoints the write-ahead log first. `@photostructure/sqlite` 1.2.1 cannot finalize statements, so its `close` only
 * takes effect when they are garbage-collected: until then the file must be complete without its log.
 */
export function closeConnection({ database, isReadOnly }: SqliteConnection, log?: Log): void {
  try {
    if (!isReadOnly) database.exec('pragma wal_checkpoint(truncate)')
  } catch (thrown) {
    // Committed data is in the log, and the next start reads it from there.
    log?.warn('The write-ahead log stays until the next start.', { error: getErrorMessage(thrown) })
  }
  database.close()
}

/** Runs one exclusive transaction. */
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

/** A later version has all of our migrations and more. Unknown names while some of ours are missing mean damage. */
function requireNames(list: MigrationList, applied: readonly string[]): void {
  const ours = Object.keys(list)
  const unknown = applied.filter((name) => !ours.includes(name))
  if (unknown.length > 0 && ours.some((name) => !applied.includes(name)))
    throw new DamageFound(`unknown migration ${unknown.join(', ')}`)
}

function readSchema(database: SqliteDatabase): string {
  const rows = database.prepare('select name, sql from sqlite_schema where sql is not null order by name').all()
  return JSON.stringify(rows)
}

/** The schema is text in the file and may be damaged in a way that is still valid SQL. */
export async function requireSchema(database: SqliteDatabase, list: MigrationList | undefined): Promise<void> {
  const fresh = await openConnection({ file: IN_MEMORY, migrations: list })
  const expected = readSchema(fresh.database)
  fresh.database.close()
  if (readSchema(database) !== expected) throw new DamageFound('the schema is damaged')
}

/** Sequence numbers must not be reused: a log end before the last event would make every append fail. */
export function requireEnds(database: SqliteDatabase): void {
  const head = database.prepare('select seq, hash from log_head where id = 1').get()
  const last = database.prepare('select seq from events order by seq desc limit 1').get()
  if (typeof head?.seq !== 'number' || typeof head.hash !== 'string')
    throw new DamageFound('the end of the log is not recorded')
  if (Number(last?.seq ?? 0) > head.seq)
    throw new DamageFound(`the log should end at ${head.seq}, and has event ${String(last?.seq)}`)
}

/** Reads what every start needs, so that damage is found now and not by the first hook. */
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
    throw new HoldfastError(
      'store-unavailable',
      `The database ${file} cannot be created: ${getErrorMessage(thrown)}.`,
      {
        hint: `Make ${dirname(file)} writable for your user.`,
        cause: thrown,
      },
    )
  }
}

function openFile(file: string): { readonly database: SqliteDatabase; readonly isReadOnly: boolean } {
  const database = openDatabase(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    appliedMigrations(database)
    return { database, isReadOnly: false }
  } catch (thrown) {
    database.close()
    if (classifyFault(thrown) !== 'read-only') throw thrown
    // A WAL database needs a writable folder even for reading, unless it is opened as immutable.
    const frozen = pathToFileURL(file)
    frozen.searchParams.set('immutable', '1')
    return { database: openDatabase(frozen, { readOnly: true }), isReadOnly: true }
  }
}

async function migrate(connection: SqliteConnection, plan: MigrationPlan, options: SqliteOptions): Promise<void> {
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
    options.log?.info('The database was backed up before its upgrade.', { backup, migrations: plan.pending })
  }
  await runMigrations(plan.pending, {
    list: options.migrations ?? migrations,
    dialect: sqliteSchema,
    inTransaction: (change) => inTransaction(connection, change),
  })
}

/** Opens the database and migrates it. Throws the driver's error for a damaged file, ours for one that is too new. */
export async function openConnection(options: SqliteOptions): Promise<SqliteConnection> {
  if (options.file !== IN_MEMORY) createPrivately(options.file)
  const { database, isReadOnly } = openFile(options.file)
  try {
    requireEngine(engineVersion(database))
    const list = options.migrations ?? migrations
    const applied = appliedMigrations(database)
    requireNames(list, applied)
    const plan = planMigrations(list, applied)
    const prepare = createStatementCache(database)
    const db = new Kysely<Tables>({ dialect: kyselyDialect(database, prepare) })
    runHere(db, (text, parameters) => runPrepared(prepare(text), parameters))
    const connection = { database, db, isReadOnly }
    await migrate(connection, plan, options)
    probe(database)
    return connection
  } catch (thrown) {
    database.close()
    throw thrown
  }
}
