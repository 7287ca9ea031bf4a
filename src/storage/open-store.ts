import { fileURLToPath } from 'node:url'
import { HoldfastError } from '../kernel/errors.ts'
import type { StoreOwner } from '../project/store-owner.ts'
import type { Log, Store } from '../kernel/ports/ports.ts'
import { createSqlStore } from './queries/sql-store.ts'
import type { FileIdentity } from './sqlite/connection/file-identity.ts'
import { openWorkerStore } from './sqlite/worker-store.ts'
import { fileEmbeddings } from './rows/word-table-file.ts'

export interface OpenStoreOptions {
  /** `sqlite:` or `postgres://…`. */
  readonly url: string
  /** Where `sqlite:` keeps its file. */
  readonly sqliteFile: string
  /** The store thread's program; by default the bundle beside this one. */
  readonly workerFile?: URL | string
  readonly backupDir: string
  readonly quarantineDir: string
  /** The lock under which `sqlite:` may write its file. */
  readonly lock?: FileIdentity
  /** Whether recall also ranks by meaning, with the table beside this bundle. */
  readonly hasEmbeddings?: boolean
  /** Whose a store is to be that several homes can open. A file in the home needs none. */
  readonly owner?: StoreOwner
  readonly log?: Log
}

/** The one place that knows which database a URL means. */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { url, sqliteFile, backupDir, quarantineDir, lock, log } = options
  const wordTable =
    options.hasEmbeddings === true ? fileURLToPath(new URL('./word-table.bin', import.meta.url)) : undefined
  const scheme = url.slice(0, url.indexOf(':') + 1)
  switch (scheme) {
    case 'sqlite:':
      return await openWorkerStore({
        file: sqliteFile,
        workerFile: options.workerFile ?? new URL('./store-worker.js', import.meta.url),
        backupDir,
        quarantineDir,
        ...(lock !== undefined && { lock }),
        ...(wordTable !== undefined && { wordTable }),
        log,
      })
    case 'postgres:':
    case 'postgresql:': {
      // Loaded only here: most daemons never speak to a PostgreSQL, and every one of them starts while a session waits.
      const { openPostgresEngine } = await import('./postgres/engine.ts')
      return createSqlStore(
        await openPostgresEngine({
          url,
          log,
          ...(options.owner !== undefined && { owner: options.owner }),
          embeddings: wordTable === undefined ? undefined : fileEmbeddings(wordTable, log),
        }),
      )
    }
    default:
      // Only the scheme: the rest may hold a password.
      throw new HoldfastError(
        'invalid-input',
        `A store URL begins with sqlite: or postgres://, not ${scheme || 'nothing'}.`,
        {
          hint: 'Set `store.url` to `sqlite:` for the file in the home, or to `postgres://user@host/database`.',
        },
      )
  }
}
