import { sql, type Kysely } from 'kysely'
import { HoldfastError } from '../../kernel/errors.ts'
import type { Tables } from '../rows/schema.ts'
import type { Migration, SchemaDialect } from '../rows/schema-dialect.ts'

export type MigrationList = Readonly<Record<string, Migration>>

export interface MigrationPlan {
  /** Names of pending migrations, in order. */
  readonly pending: readonly string[]
  /** True for an empty database. */
  readonly isNew: boolean
}

/** Decides before anything is written: a database of a later version is refused unchanged. */
export function planMigrations(list: MigrationList, applied: readonly string[]): MigrationPlan {
  const unknown = applied.filter((name) => list[name] === undefined)
  if (unknown.length > 0) {
    throw new HoldfastError(
      'store-too-new',
      `The store was written by a later version of Holdfast (it has ${unknown.join(', ')}).`,
      {
        hint: 'Install that version again; `holdfast doctor` says what else is possible.',
      },
    )
  }
  const done = new Set(applied)
  return { pending: Object.keys(list).filter((name) => !done.has(name)), isNew: applied.length === 0 }
}

export interface MigrationRun {
  readonly list: MigrationList
  readonly dialect: SchemaDialect
  /** Runs a change in one exclusive transaction. */
  readonly inTransaction: (change: (db: Kysely<Tables>) => Promise<void>) => Promise<void>
}

/** Migrates the schema, one transaction per migration: a crash leaves the previous version intact. */
export async function runMigrations(pending: readonly string[], run: MigrationRun): Promise<void> {
  for (const name of pending) {
    await run.inTransaction(async (db) => {
      await sql`create table if not exists schema_migrations (name text primary key, applied_at text not null)`.execute(
        db,
      )
      const applied = await db
        .selectFrom('schema_migrations')
        .select('name')
        .where('name', '=', name)
        .executeTakeFirst()
      // Another process may have run it between the plan and the lock.
      if (applied !== undefined) return
      await run.list[name]?.(db, run.dialect)
      await db.insertInto('schema_migrations').values({ name, applied_at: run.dialect.now }).execute()
    })
  }
}
