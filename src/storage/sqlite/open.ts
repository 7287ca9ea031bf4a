import type { Store } from '../../kernel/ports/ports.ts'
import { createSqlStore } from '../queries/sql-store.ts'
import { type EngineOptions, openSqliteEngine } from './engine.ts'

/** In this thread: for tests, and for the worker that the daemon talks to. */
export async function openSqliteStore(options: EngineOptions): Promise<Store> {
  return createSqlStore(await openSqliteEngine(options))
}
