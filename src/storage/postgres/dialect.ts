import { CompiledQuery, PostgresDialect, type DatabaseConnection, type Driver } from 'kysely'
import { DatabaseError, Pool, types, TypeOverrides } from 'pg'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/ports/ports.ts'
import { hideStoreSecrets } from '../../redaction/store-address.ts'
import { storable } from '../rows/sql-engine.ts'

/** rolled-back and unreachable: nothing was stored. lost: the connection broke midway, and the outcome is unknown. */
export type PostgresFault = 'rolled-back' | 'unreachable' | 'lost' | 'other'

/** A connection failure, which pg reports without a code. */
export class ConnectionFault extends Error {
  override readonly name = 'ConnectionFault'
  readonly fault: PostgresFault

  constructor(fault: 'unreachable' | 'lost', cause: unknown) {
    super(getErrorMessage(cause), { cause })
    this.fault = fault
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const ROLLED_BACK: ReadonlySet<string> = new Set(['40001', '40P01', '55P03'])
const UNREACHABLE: ReadonlySet<string> = new Set(['57P03', '53300'])
const LOST: ReadonlySet<string> = new Set(['57P01', '57P02', '57P05'])
/** Disk full, read-only transaction, out of memory, and refused logins. */
const UNUSABLE: ReadonlySet<string> = new Set(['53100', '25006', '53200', '28000', '28P01', '3D000'])

export function classifyFault(thrown: unknown): PostgresFault {
  if (thrown instanceof ConnectionFault) return thrown.fault
  const code = thrown instanceof DatabaseError ? (thrown.code ?? '') : ''
  if (ROLLED_BACK.has(code)) return 'rolled-back'
  if (UNREACHABLE.has(code)) return 'unreachable'
  if (LOST.has(code) || code.startsWith('08')) return 'lost'
  return 'other'
}

export function translate(thrown: unknown): unknown {
  if (thrown instanceof HoldfastError) return thrown
  const isUnusable = thrown instanceof DatabaseError && UNUSABLE.has(thrown.code ?? '')
  if (classifyFault(thrown) === 'other' && !isUnusable) return thrown
  return new HoldfastError('store-unavailable', `PostgreSQL cannot be used: ${getErrorMessage(thrown)}.`, {
    hint: 'Check that the server runs and accepts writes, and that `store.url` is right; writing then resumes by itself.',
    cause: thrown,
  })
}

const MAX_CONNECTIONS = 8
const CONNECT_TIMEOUT_MS = 2_000

async function synchronousCommit(connection: DatabaseConnection): Promise<string | undefined> {
  const { rows } = await connection.executeQuery<{ synchronous_commit: string }>(
    CompiledQuery.raw('show synchronous_commit'),
  )
  return rows[0]?.synchronous_commit
}

/** With `off`, a commit is acknowledged before it is on disk, which breaks our durability guarantee. */
async function assertDurable(connection: DatabaseConnection): Promise<void> {
  if ((await synchronousCommit(connection)) !== 'off') return
  await connection.executeQuery(CompiledQuery.raw('set synchronous_commit = on'))
  if ((await synchronousCommit(connection)) !== 'off') return
  throw new HoldfastError('store-unavailable', 'PostgreSQL acknowledges commits before they are on disk.', {
    hint: 'Set synchronous_commit to on for this user or database.',
  })
}

type Hide = (text: string) => string

/** Edits the error in place, so that every handler sees only the redacted text. */
function hidden(thrown: unknown, hide: Hide): unknown {
  if (thrown instanceof Error) thrown.message = hide(thrown.message)
  return thrown
}

/** An error without a server code is a connection failure; pg gives those no code. */
function asFault(kind: 'unreachable' | 'lost', thrown: unknown): unknown {
  const isKnown = thrown instanceof DatabaseError || thrown instanceof HoldfastError || thrown instanceof TypeError
  return isKnown ? thrown : new ConnectionFault(kind, thrown)
}

function adapt(connection: DatabaseConnection, hide: Hide): DatabaseConnection {
  return {
    async executeQuery(query) {
      try {
        return await connection.executeQuery({ ...query, parameters: query.parameters.map(storable) })
      } catch (thrown) {
        throw asFault('lost', hidden(thrown, hide))
      }
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  }
}

function durableDriver(driver: Driver, hide: Hide): Driver {
  const adapted = new WeakMap<DatabaseConnection, DatabaseConnection>()
  const inner = new WeakMap<DatabaseConnection, DatabaseConnection>()

  async function acquireConnection(): Promise<DatabaseConnection> {
    let connection: DatabaseConnection | undefined
    try {
      connection = await driver.acquireConnection()
      const known = adapted.get(connection)
      if (known !== undefined) return known
      await assertDurable(connection)
      const ours = adapt(connection, hide)
      adapted.set(connection, ours)
      inner.set(ours, connection)
      return ours
    } catch (thrown) {
      if (connection !== undefined) await driver.releaseConnection(connection)
      throw asFault('unreachable', hidden(thrown, hide))
    }
  }

  return {
    init: () => driver.init(),
    acquireConnection,
    beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
    commitTransaction: (connection) => driver.commitTransaction(connection),
    rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
    releaseConnection: (connection) => driver.releaseConnection(inner.get(connection) ?? connection),
    destroy: () => driver.destroy(),
  }
}

function openPool(url: string, log: Log | undefined, hide: Hide): Pool {
  const parsers = new TypeOverrides()
  // Sequence numbers and counts stay far below 2^53, so a number is exact.
  parsers.setTypeParser(types.builtins.INT8, Number)
  const pool = new Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'holdfast',
    types: parsers,
  })
  // A broken connection is replaced by the next query; without a listener it would end the process. The pool listens
  // on idle connections only, so active ones get their own listener.
  const onLost = (error: Error) => log?.warn('A connection to PostgreSQL was lost.', { error: hide(error.message) })
  pool.on('error', onLost)
  pool.on('connect', (client) => client.on('error', onLost))
  return pool
}

/** PostgreSQL through pg: durable commits only, storable text only, and lost connections distinguished from failed statements. */
export class DurableDialect extends PostgresDialect {
  readonly #hide: Hide

  constructor(url: string, log: Log | undefined) {
    const hide = hideStoreSecrets(url)
    super({ pool: openPool(url, log, hide) })
    this.#hide = hide
  }

  override createDriver(): Driver {
    return durableDriver(super.createDriver(), this.#hide)
  }
}
