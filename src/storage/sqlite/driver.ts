import { createRequire } from 'node:module'
import { HoldfastError } from '../../core/errors.ts'

export interface SqliteStatement {
  all(...parameters: unknown[]): Record<string, unknown>[]
  get(...parameters: unknown[]): Record<string, unknown> | undefined
  run(...parameters: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  columns(): readonly unknown[]
}

/** The part of `node:sqlite` that we use; `@photostructure/sqlite` has the same. */
export interface SqliteDatabase {
  readonly isTransaction: boolean
  prepare(sql: string): SqliteStatement
  exec(sql: string): void
  close(): void
}

export interface SqliteModule {
  readonly DatabaseSync: new (
    location: string | URL,
    options?: { readonly readOnly?: boolean; readonly timeout?: number },
  ) => SqliteDatabase
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

/** `node:sqlite` where it is stable (Node 24), its twin from npm before that. Loaded on first use, not at import. */
export function loadSqlite(nodeVersion: string = process.versions.node): SqliteModule {
  const require = createRequire(import.meta.url)
  return require(Number.parseInt(nodeVersion, 10) >= 24 ? 'node:sqlite' : '@photostructure/sqlite')
}

export function engineVersion(database: SqliteDatabase): string {
  return String(database.prepare('select sqlite_version() as version').get()?.version)
}
