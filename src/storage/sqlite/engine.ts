import { existsSync } from 'node:fs'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import type { StoreFinding } from '../../kernel/ports/ports.ts'
import { NO_EMBEDDINGS } from '../../memory/recall/embeddings.ts'
import { createDamageNotes, listenForDamage } from '../rows/damage-notes.ts'
import type { Engine } from '../rows/sql-engine.ts'
import { copyDatabase } from './connection/backup.ts'
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
import { DamageFound, faultOf, translate } from './connection/errors.ts'
import { type FileIdentity, identityOf, isStillThere } from './connection/file-identity.ts'
import { forgetMark, heedMark, keepMark } from './connection/log-mark.ts'
import { finishRebuild, rebuild } from './repair/quarantine.ts'
import { MEMORY_INDEX, WORK_INDEX } from './connection/term-index.ts'

/** Runs tasks one after the other, in the order they came. A task that fails does not hold up the next. */
function createQueue(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let tail: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = tail.then(task)
    tail = result.catch(() => undefined)
    return result
  }
}

async function openOrRebuild(options: SqliteOptions): Promise<SqliteConnection> {
  const { file, quarantineDir } = options
  try {
    return await openConnection(options)
  } catch (thrown) {
    if (faultOf(thrown) !== 'corrupt' || file === IN_MEMORY || quarantineDir === undefined)
      throw translate(thrown, file)
    await rebuild(options, quarantineDir, thrown)
    return await openConnection(options)
  }
}

async function openSound(options: SqliteOptions): Promise<SqliteConnection> {
  if (options.file !== IN_MEMORY) {
    finishRebuild(options.file)
    if (!existsSync(options.file)) forgetMark(options.file)
  }
  const connection = await openOrRebuild(options)
  heedMark(connection, options)
  return connection
}

export interface EngineOptions extends SqliteOptions {
  /** The lock that gives the right to write here; without, nobody else does. Once it is gone nothing is opened or written any more. */
  readonly lock?: FileIdentity
}

/** What is committed into a folder that was deleted meanwhile is not kept, and must not be acknowledged. */
function requireHome({ lock, file }: EngineOptions): void {
  if (lock === undefined || isStillThere(lock)) return
  throw new HoldfastError('store-unavailable', `The folder of the database ${file} was removed or replaced.`, {
    hint: 'Try again: this daemon ends, and the next call starts one for the folder that is there now.',
  })
}

/** A disk that damages the file again and again is not to be filled with copies of it. */
const MAX_REBUILDS = 5

/** One connection, one statement at a time; it heals itself where that is safe. */
export async function openSqliteEngine(options: EngineOptions): Promise<Engine> {
  const { file, quarantineDir, log } = options
  const queue = createQueue()
  let isClosed = false
  /** A call that comes after `close` must not open the file again: by then another process may own it, or it may be deleted. */
  const inTurn: typeof queue = (task) =>
    queue(() => {
      if (isClosed) throw new HoldfastError('store-unavailable', `The database ${file} is closed.`)
      return task()
    })
  let connection = await openSound(options)
  let identity = identityOf(file)
  let isSuspect = connection.isReadOnly
  let rebuilds = 0
  let isExamined = false
  let hasMetDamage = false
  const tell = createDamageNotes(log)
  const note: typeof tell = (row) => {
    hasMetDamage = true
    tell(row)
  }
  const mark = keepMark(() => connection, { file, lock: options.lock, log, inTurn })

  /** The new connection is open before the old one goes: on a full disk the old one may be all there is. */
  async function reopen(): Promise<void> {
    requireHome(options)
    const before = connection
    connection = await openSound(options)
    identity = identityOf(file)
    isSuspect = connection.isReadOnly
    before.database.close()
  }

  async function heal(damage: unknown): Promise<void> {
    if (file === IN_MEMORY || quarantineDir === undefined || rebuilds >= MAX_REBUILDS) throw translate(damage, file)
    requireHome(options)
    rebuilds += 1
    connection.database.close()
    try {
      await rebuild(options, quarantineDir, damage)
    } finally {
      // Also when there was no room for a new one: what can be read of the old one still is.
      connection = await openConnection(options)
    }
    isExamined = false
    heedMark(connection, options)
    identity = identityOf(file)
  }

  /** Damage that no statement has complained of. Looked for once, because it takes reading the whole file. */
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
      return faultOf(thrown) === 'corrupt' ? thrown : undefined
    }
  }

  /** A constraint that sound data cannot break, or a row that is always there and is missing, may be damage in disguise. */
  async function causeOf(thrown: unknown): Promise<unknown> {
    if (thrown instanceof HoldfastError || faultOf(thrown) !== 'other') return thrown
    return (await examine()) ?? thrown
  }

  async function attempt<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run()
    } catch (failure) {
      const thrown = await causeOf(failure)
      const fault = faultOf(thrown)
      // A failed sync must not be tried again on the same descriptor: the kernel may have dropped the pages.
      if (fault === 'io' || fault === 'read-only') isSuspect = true
      if (fault !== 'corrupt') throw translate(thrown, file)
      await heal(thrown)
      return await run()
    }
  }

  /** A row that is not what was written may be one of many, because what is damaged is the description of them all. */
  async function read<Result>(query: () => Promise<Result>): Promise<Result> {
    const result = await attempt(query)
    const damage = hasMetDamage && file !== IN_MEMORY && quarantineDir !== undefined ? await examine() : undefined
    if (damage === undefined) return result
    try {
      await heal(damage)
    } catch (thrown) {
      log?.error('The database is damaged, and could not be made anew.', { error: messageOf(thrown) })
      return result
    }
    return await attempt(query)
  }

  async function prepareToWrite(): Promise<void> {
    if (file === IN_MEMORY) return
    requireHome(options)
    if (!isStillThere(identity)) log?.warn('The database file was replaced or removed; it is opened anew.', { file })
    else if (!isSuspect) return
    await reopen()
    if (!connection.isReadOnly) return
    throw new HoldfastError('store-unavailable', `The database ${file} cannot be written.`, {
      hint: 'Make the file and its folder writable for your user. What is kept can still be read.',
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
