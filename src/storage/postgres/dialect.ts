import { CompiledQuery, PostgresDialect, type DatabaseConnection, type Driver } from 'kysely'
import { DatabaseError, Pool, types, TypeOverrides } from 'pg'
import { HoldfastError } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/ports/ports.ts'
import { hideStoreSecrets } from '../../redaction/store-address.ts'
import { storable } from '../rows/storable.ts'
import { ConnectionFault } from './errors.ts'

const MAX_CONNECTIONS = 8
const CONNECT_TIMEOUT_MS = 2_000

async function synchronousCommit(connection: DatabaseConnection): Promise<string | undefined> {
  const { rows } = await connection.executeQuery<{ synchronous_commit: string }>(
    CompiledQuery.raw('show synchronous_commit'),
  )
  return rows[0]?.synchronous_commit
}

/** With `off`, a commit is answered before it is on disk: a promise of ours that a server's setting would break. */
async function assertDurable(connection: DatabaseConnection): Promise<void> {
  if ((await synchronousCommit(connection)) !== 'off') return
  await connection.executeQuery(CompiledQuery.raw('set synchronous_commit = on'))
  if ((await synchronousCommit(connection)) !== 'off') return
  throw new HoldfastError('store-unavailable', 'PostgreSQL answers commits before they are on disk.', {
    hint: 'Set synchronous_commit to on for this user or database.',
  })
}

type Hide = (text: string) => string

/** In place: whatever caught it first, nobody gets to see more. */
function hidden(thrown: unknown, hide: Hide): unknown {
  if (thrown instanceof Error) thrown.message = hide(thrown.message)
  return thrown
}

/** What is not the server's word on a statement is the connection's end; pg gives those no code of their own. */
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
  // Sequence numbers and counts stay far below 2^53, so a number says it all.
  parsers.setTypeParser(types.builtins.INT8, Number)
  const pool = new Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'holdfast',
    types: parsers,
  })
  // A connection that breaks is replaced by the next query; without listeners it would end the process. The pool listens
  // for those at rest only, so those at work get one of their own.
  const onLost = (error: Error) => log?.warn('A connection to PostgreSQL was lost.', { error: hide(error.message) })
  pool.on('error', onLost)
  pool.on('connect', (client) => client.on('error', onLost))
  return pool
}

/** PostgreSQL through pg: durable commits only, storable text only, and lost connections told from refused statements. */
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
