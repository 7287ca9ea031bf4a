import { createRequire } from 'node:module'
import { HoldfastError } from '../../../kernel/errors.ts'

export interface SqliteStatement {
  all(...parameters: unknown[]): Record<string, unknown>[]
  get(...parameters: unknown[]): Record<string, unknown> | undefined
  run(...parameters: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  columns(): readonly unknown[]
  readonly expandedSQL: string | undefined
}

/** The part of `node:sqlite` that we use; `@photostructure/sqlite` has the same API. */
export interface SqliteDatabase {
  readonly isTransaction: boolean
  prepare(sql: string): SqliteStatement
  exec(sql: string): void
  close(): void
}

export interface SqliteOpenOptions {
  readonly readOnly?: boolean
  readonly timeout?: number
}

interface SqliteModule {
  readonly DatabaseSync: new (location: string | URL, options?: SqliteOpenOptions) => SqliteDatabase
}

/** WAL-reset could corrupt databases from 3.7.0 to 3.51.2: https://sqlite.org/wal.html#walresetbug */
const OLDEST_ENGINE = '3.51.3'

function isOlder(version: string, floor: string): boolean {
  const parts = version.split('.').map(Number)
  for (const [index, least] of floor.split('.').map(Number).entries()) {
    const part = parts[index] ?? 0
    if (part !== least) return !(part > least)
  }
  return false
}

export function requireEngine(version: string): void {
  if (!isOlder(version, OLDEST_ENGINE)) return
  throw new HoldfastError(
    'store-too-old',
    `SQLite ${version} can corrupt databases; ${OLDEST_ENGINE} or later is needed.`,
    {
      hint: 'Upgrade Node.js, then reinstall Holdfast so that its SQLite matches.',
    },
  )
}

function hasCode(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && typeof thrown.errcode === 'number'
}

function undoSavepoint(database: SqliteDatabase): void {
  try {
    if (database.isTransaction) database.exec('rollback to error_code; release error_code')
  } catch (thrown) {
    // The failure ended the transaction and its savepoint; any other error is thrown.
    if (database.isTransaction) throw thrown
  }
}

/** Adds the result code by running the statement again inside a savepoint that is rolled back. */
function withCode(database: SqliteDatabase, statement: SqliteStatement, thrown: unknown): unknown {
  const { expandedSQL } = statement
  if (hasCode(thrown) || expandedSQL === undefined) return thrown
  try {
    database.exec('savepoint error_code')
    database.exec(expandedSQL)
    return thrown
  } catch (again) {
    return hasCode(again) ? again : thrown
  } finally {
    undoSavepoint(database)
  }
}

/** In `@photostructure/sqlite` 1.2.1 an error of `all` has only a message and no result code. */
function withErrorCodes(database: SqliteDatabase): SqliteDatabase {
  return {
    get isTransaction() {
      return database.isTransaction
    },
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        get expandedSQL() {
          return statement.expandedSQL
        },
        columns: () => statement.columns(),
        get: (...parameters) => statement.get(...parameters),
        run: (...parameters) => statement.run(...parameters),
        all(...parameters) {
          try {
            return statement.all(...parameters)
          } catch (thrown) {
            throw withCode(database, statement, thrown)
          }
        },
      }
    },
  }
}

/** `node:sqlite` where it is stable (Node 24), its npm counterpart before that. Loaded on first use, not at import. */
export function openDatabase(location: string | URL, options: SqliteOpenOptions = {}): SqliteDatabase {
  const require = createRequire(import.meta.url)
  const hasOwn = Number.parseInt(process.versions.node, 10) >= 24
  const { DatabaseSync }: SqliteModule = require(hasOwn ? 'node:sqlite' : '@photostructure/sqlite')
  const database = new DatabaseSync(location, options)
  return hasOwn ? database : withErrorCodes(database)
}

export function engineVersion(database: SqliteDatabase): string {
  return String(database.prepare('select sqlite_version() as version').get()?.version)
}
