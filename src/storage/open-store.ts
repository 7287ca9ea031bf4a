import { fileURLToPath } from 'node:url'
import { HoldfastError } from '../kernel/errors.ts'
import type { StoreOwner } from '../kernel/location.ts'
import type { Log, Store } from '../kernel/ports/ports.ts'
import type { FileIdentity } from './sqlite/connection/database-file.ts'
import { openWorkerStore } from './sqlite/worker-store.ts'
import { fileEmbeddings } from './rows/word-table-file.ts'

export interface OpenStoreOptions {
  /** `sqlite:` or `postgres://…`. */
  readonly url: string
  /** The file of `sqlite:`. */
  readonly sqliteFile: string
  /** The program of the store thread; defaults to the bundle next to this one. */
  readonly workerFile?: URL | string
  readonly backupDir: string
  readonly quarantineDir: string
  /** The lock that allows `sqlite:` to write its file. */
  readonly lock?: FileIdentity
  /** See `EngineOptions`. */
  readonly setsAsideLater?: boolean
  /** Whether recall also ranks by meaning, with the table next to this bundle. */
  readonly hasEmbeddings?: boolean
  /** The owner of a store that several homes can open. A file in the home needs none. */
  readonly owner?: StoreOwner
  readonly log?: Log
}

/** The only function that chooses a database by URL. */
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
        lock,
        setsAsideLater: options.setsAsideLater,
        wordTable,
        log,
      })
    case 'postgres:':
    case 'postgresql:': {
      // Loaded on demand: most daemons never use PostgreSQL, and a session waits for every start.
      const { openPostgresStore } = await import('./postgres/engine.ts')
      return openPostgresStore({
        url,
        log,
        owner: options.owner,
        embeddings: wordTable === undefined ? undefined : fileEmbeddings(wordTable, log),
      })
    }
    default:
      // Only the scheme: the rest may hold a password.
      throw new HoldfastError(
        'invalid-input',
        `A store URL starts with sqlite: or postgres://, not ${scheme || 'nothing'}.`,
        {
          hint: 'Set `store.url` to `sqlite:` for the file in the home, or to `postgres://user@host/database`.',
        },
      )
  }
}
