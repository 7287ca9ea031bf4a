import { existsSync } from 'node:fs'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import type { StoreFinding, Store } from '../../kernel/ports/ports.ts'
import { NO_EMBEDDINGS } from '../../memory/recall/embeddings.ts'
import { createDamageNotes, listenForDamage } from '../rows/sql-engine.ts'
import type { Engine } from '../rows/sql-engine.ts'
import { copyDatabase, type FileIdentity, identifyFile, isStillThere, scrub } from './connection/database-file.ts'
import {
  closeConnection,
  IN_MEMORY,
  inTransaction,
  openConnection,
  requireEnds,
  requireSchema,
  type SqliteConnection,
  type SqliteOptions,
} from './connection/connection.ts'
import { engineVersion } from './connection/driver.ts'
import { DamageFound, classifyFault, translate } from './connection/errors.ts'
import { deleteLogMark, checkLogMark, createLogMarkWriter } from './connection/log-mark.ts'
import { type LaterOptions, openOrSetAside } from './repair/later-database.ts'
import { finishRebuild, rebuild } from './repair/quarantine.ts'
import { ARCHIVE_INDEX, MEMORY_INDEX, WORK_INDEX } from './connection/dialect.ts'
import { createTaskQueue } from '../../kernel/structures/task-queue.ts'
import { createSqlStore } from '../queries/sql-store.ts'

/** Opens the store in this thread: for tests and for the worker. */
export async function openSqliteStore(options: EngineOptions): Promise<Store> {
  return createSqlStore(await openSqliteEngine(options))
}

async function openOrRebuild(options: SqliteOptions): Promise<SqliteConnection> {
  const { file, quarantineDir } = options
  try {
    return await openConnection(options)
  } catch (thrown) {
    if (classifyFault(thrown) !== 'corrupt' || file === IN_MEMORY || quarantineDir === undefined)
      throw translate(thrown, file)
    await rebuild(options, quarantineDir, thrown)
    return await openConnection(options)
  }
}

async function openIntact(options: SqliteOptions): Promise<SqliteConnection> {
  if (options.file !== IN_MEMORY) {
    finishRebuild(options.file)
    if (!existsSync(options.file)) deleteLogMark(options.file)
  }
  const connection = await openOrRebuild(options)
  checkLogMark(connection, options)
  return connection
}

export interface EngineOptions extends LaterOptions {
  /** The lock that allows writing here; without it, no other process may write. Once the lock is lost, nothing is opened or written. */
  readonly lock?: FileIdentity
}

/** A commit into a folder that was deleted meanwhile is lost and must not be acknowledged. */
function requireHome({ lock, file }: EngineOptions): void {
  if (lock === undefined || isStillThere(lock)) return
  throw new HoldfastError('store-unavailable', `The folder of the database ${file} was removed or replaced.`, {
    hint: 'Try again: this daemon stops, and the next call starts one for the current folder.',
  })
}

/** A disk that damages the file repeatedly must not be filled with copies of it. */
const MAX_REBUILDS = 5

/** One connection, one statement at a time; repairs itself where that is safe. */
export async function openSqliteEngine(options: EngineOptions): Promise<Engine> {
  const { file, quarantineDir, log } = options
  const queue = createTaskQueue()
  let isClosed = false
  /** A call that comes after `close` must not open the file again: by then another process may own it, or it may be deleted. */
  const inTurn: typeof queue = (task) =>
    queue(() => {
      if (isClosed) throw new HoldfastError('store-unavailable', `The database ${file} is closed.`)
      return task()
    })
  let connection = await openOrSetAside(
    options,
    () => openIntact(options),
    () => requireHome(options),
  )
  let identity = identifyFile(file)
  let isSuspect = connection.isReadOnly
  let rebuilds = 0
  let isExamined = false
  let hasMetDamage = false
  const tell = createDamageNotes(log)
  const note: typeof tell = (row) => {
    hasMetDamage = true
    tell(row)
  }
  const mark = createLogMarkWriter(() => connection, { file, lock: options.lock, log, inTurn })

  /** The new connection is opened before the old one is closed: on a full disk the old one may be all there is. */
  async function reopen(): Promise<void> {
    requireHome(options)
    const before = connection
    connection = await openIntact(options)
    identity = identifyFile(file)
    isSuspect = connection.isReadOnly
    before.database.close()
  }

  async function repairLockFile(damage: unknown): Promise<void> {
    if (file === IN_MEMORY || quarantineDir === undefined || rebuilds >= MAX_REBUILDS) throw translate(damage, file)
    requireHome(options)
    rebuilds += 1
    connection.database.close()
    try {
      await rebuild(options, quarantineDir, damage)
    } finally {
      // Also when a new one could not be made: the old one stays readable.
      connection = await openConnection(options)
    }
    isExamined = false
    checkLogMark(connection, options)
    identity = identifyFile(file)
  }

  /** Checks for damage that no statement has reported. Only once, because it reads the whole file. */
  async function examine(): Promise<unknown> {
    if (isExamined) return undefined
    isExamined = true
    try {
      await requireSchema(connection.database, options.migrations)
      requireEnds(connection.database)
      const [first] = connection.database.prepare('pragma integrity_check(1)').all()
      const verdict = String(Object.values(first ?? {})[0])
      return verdict === 'ok' ? undefined : new DamageFound(verdict)
    } catch (thrown) {
      return classifyFault(thrown) === 'corrupt' ? thrown : undefined
    }
  }

  /** A constraint that intact data cannot violate, or a missing row that always exists, may be a sign of damage. */
  async function getCause(thrown: unknown): Promise<unknown> {
    if (thrown instanceof HoldfastError || classifyFault(thrown) !== 'other') return thrown
    return (await examine()) ?? thrown
  }

  async function attempt<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run()
    } catch (failure) {
      const thrown = await getCause(failure)
      const fault = classifyFault(thrown)
      // A failed sync must not be retried on the same descriptor: the kernel may have dropped the pages.
      if (fault === 'io' || fault === 'read-only') isSuspect = true
      if (fault !== 'corrupt') throw translate(thrown, file)
      await repairLockFile(thrown)
      return await run()
    }
  }

  /** A damaged row may be one of many if the schema itself is damaged. */
  async function read<Result>(query: () => Promise<Result>): Promise<Result> {
    const result = await attempt(query)
    const damage = hasMetDamage && file !== IN_MEMORY && quarantineDir !== undefined ? await examine() : undefined
    if (damage === undefined) return result
    try {
      await repairLockFile(damage)
    } catch (thrown) {
      log?.error('The database is damaged and could not be rebuilt.', { error: getErrorMessage(thrown) })
      return result
    }
    return await attempt(query)
  }

  async function prepareToWrite(): Promise<void> {
    if (file === IN_MEMORY) return
    requireHome(options)
    if (!isStillThere(identity)) log?.warn('The database file was replaced or removed; it is opened again.', { file })
    else if (!isSuspect) return
    await reopen()
    if (!connection.isReadOnly) return
    throw new HoldfastError('store-unavailable', `The database ${file} cannot be written.`, {
      hint: 'Make the file and its folder writable for your user. Stored data can still be read.',
    })
  }

  async function check(): Promise<readonly StoreFinding[]> {
    const rows = connection.database.prepare('pragma quick_check(20)').all()
    return rows
      .flatMap((row) => Object.values(row).map(String))
      .filter((text) => text !== 'ok')
      .map((detail) => ({ what: 'engine', detail }))
  }

  return {
    memoryIndex: MEMORY_INDEX,
    workIndex: WORK_INDEX,
    archiveIndex: ARCHIVE_INDEX,
    embeddings: options.embeddings ?? NO_EMBEDDINGS,
    hasRowLocks: false,
    serverNow: async () => undefined,
    describe: () => inTurn(async () => `SQLite ${engineVersion(connection.database)}`),
    read: (query) => inTurn(() => read(() => query(listenForDamage(connection.db, note)))),
    write: (change) =>
      inTurn(async () => {
        await prepareToWrite()
        const result = await attempt(() => inTransaction(connection, (db) => change(listenForDamage(db, note))))
        requireHome(options)
        mark.follow()
        return result
      }),
    check: () => inTurn(() => attempt(check)),
    scrub: () => inTurn(() => attempt(async () => scrub(connection.database, [options.backupDir, quarantineDir]))),
    backup: (path) => inTurn(() => attempt(async () => copyDatabase(connection.database, path))),
    close: () =>
      queue(async () => {
        if (isClosed) return
        mark.close()
        closeConnection(connection, log)
        isClosed = true
      }),
  }
}
