import { DatabaseError, escapeLiteral, Pool, type PoolClient, types, TypeOverrides } from 'pg'
import { HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'
import { isObject } from '../../../kernel/json-shape.ts'
import type { Log } from '../../../kernel/ports/ports.ts'
import { hideStoreSecrets } from '../../../redaction/store-address.ts'
import type { TeamParameter, TeamQuery } from './team-queries.ts'
import { FRONT_ROLE } from './team-schema.ts'

/** What row-level security compares with. Without one of these a statement sees nothing. */
export interface TeamPrincipal {
  readonly team?: string
  readonly person?: string
  readonly machine?: string
  readonly role?: string
  /** The hash of the key that was presented, and of the invite. */
  readonly key?: string
  readonly invite?: string
}

type QueryValue = string | number | Uint8Array | readonly string[] | null
export type QueryValues = Readonly<Partial<Record<TeamParameter, QueryValue>>>

export interface TeamTransaction {
  run<Row extends object>(query: TeamQuery, values: QueryValues): Promise<readonly Row[]>
}

const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 15_000
const ATTEMPTS = 5
const FIRST_PAUSE_MS = 10

/** Serialization failure, deadlock, lock not available: rolled back, and done again. */
const REPEATABLE: ReadonlySet<string | undefined> = new Set(['40001', '40P01', '55P03'])
/** Not the statement's fault: no connection, shutting down, disk full, read-only, refused login, out of time. */
const AWAY = /^(?:08|53|57|25006|28|3D000)/

const HINT = 'Check that PostgreSQL runs and that `--store` is right. Clients keep what they have and send it later.'

/** pg reports a lost connection as an error without a code of the server. */
function translateFault(thrown: unknown): unknown {
  if (thrown instanceof HoldfastError || thrown instanceof TypeError || thrown instanceof RangeError) return thrown
  const code = thrown instanceof DatabaseError ? thrown.code : undefined
  if (code !== undefined && !AWAY.test(code)) return thrown
  return new HoldfastError('store-unavailable', 'The store of the team server cannot be used now.', {
    hint: HINT,
    cause: thrown,
  })
}

/** Row-level security refused a row: what the caller's role does not allow. */
function translateRefusal(thrown: unknown): unknown {
  if (!(thrown instanceof DatabaseError) || thrown.code !== '42501') return thrown
  return new HoldfastError('forbidden', 'The team server does not allow this for your role.', { cause: thrown })
}

export interface TeamPoolOptions {
  readonly url: string
  readonly connections: number
  readonly log?: Log
}

/** The connections to one store. */
export class TeamPool implements AsyncDisposable {
  readonly #pool: Pool
  readonly #hide: (text: string) => string
  /** Set when the server would acknowledge commits before they are durable. */
  #durable = ''

  constructor({ url, connections, log }: TeamPoolOptions) {
    const parsers = new TypeOverrides()
    // Record numbers and counts are below 2^53, so a number is exact.
    parsers.setTypeParser(types.builtins.INT8, Number)
    parsers.setTypeParser(types.builtins.NUMERIC, Number)
    this.#hide = hideStoreSecrets(url)
    this.#pool = new Pool({
      connectionString: url,
      max: connections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'holdfast-team',
      types: parsers,
    })
    const onLost = (error: Error) =>
      log?.warn('A connection to the store of the team server was lost.', { error: this.#hide(error.message) })
    this.#pool.on('error', onLost)
    this.#pool.on('connect', (client) => client.on('error', onLost))
  }

  get usage(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    return { open: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount }
  }

  /** With `synchronous_commit = off`, what was acknowledged could be lost. */
  async ensureDurable(): Promise<void> {
    const [row] = await this.asOwner((client) =>
      readRows<{ value: string }>(client, `select current_setting('synchronous_commit') as value`),
    )
    if (row?.value === 'off') this.#durable = 'set local synchronous_commit = on;'
  }

  /** With the rights of the login itself: for migrations and the checks before serving. */
  async asOwner<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    return this.#repeat(async (client) => work(client))
  }

  /**
   * With the front's rights and this principal, both until the end of the transaction only, so that a pooler between may
   * give the connection to any caller afterwards. `set local` and not `set_config(…, true)`, which does the same: Citus passes
   * only the former on to its workers.
   */
  transact<Result>(principal: TeamPrincipal, work: (transaction: TeamTransaction) => Promise<Result>): Promise<Result> {
    const begin = this.#begin(principal)
    const attempt = this.#repeat(async (client) => {
      await client.query(begin)
      const result = await work({
        run: async <Row extends object>({ text, parameters }: TeamQuery, values: QueryValues) => {
          const given = parameters.map((name) => {
            const value = values[name]
            if (value === undefined) throw new TypeError(`The statement needs ${name}.`)
            return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
          })
          return (await client.query<Row & Record<string, unknown>>(text, given)).rows
        },
      })
      await client.query('commit')
      return result
    })
    return attempt.catch((thrown: unknown) => {
      throw translateRefusal(thrown)
    })
  }

  /**
   * One statement whose parameters are texts, in one round trip with its transaction. For what every request does first:
   * three round trips less are a third of an append.
   */
  async runAtOnce<Row extends object>(
    principal: TeamPrincipal,
    { text, parameters }: TeamQuery,
    values: Readonly<Partial<Record<TeamParameter, string>>>,
  ): Promise<readonly Row[]> {
    const statement = text.replaceAll(/\$(\d+)/g, (_, number: string) => {
      const value = values[parameters[Number(number) - 1] ?? 'name']
      if (value === undefined) throw new TypeError(`The statement needs parameter ${number}.`)
      return escapeLiteral(value)
    })
    return this.#repeat(async (client) => {
      const results: unknown = await client.query(`${this.#begin(principal)} ${statement}; commit`)
      const found = Array.isArray(results) ? results.at(-2) : undefined
      return isObject(found) && Array.isArray(found.rows) ? found.rows : []
    })
  }

  #begin(principal: TeamPrincipal): string {
    const settings = Object.entries(principal)
      .filter((entry): entry is [string, string] => entry[1] !== undefined)
      .map(([name, value]) => `set local holdfast.${name} = ${escapeLiteral(value)};`)
    return `begin; set local role ${FRONT_ROLE}; set local statement_timeout = ${STATEMENT_TIMEOUT_MS}; ${this.#durable} ${settings.join(' ')}`
  }

  async #repeat<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      let client: PoolClient | undefined
      let failure: unknown
      try {
        client = await this.#pool.connect()
        return await work(client)
      } catch (thrown) {
        failure = thrown
        if (thrown instanceof Error) thrown.message = this.#hide(thrown.message)
        const code = thrown instanceof DatabaseError ? thrown.code : undefined
        if (!REPEATABLE.has(code) || attempt === ATTEMPTS) throw translateFault(thrown)
      } finally {
        await releaseClient(client, failure)
      }
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end()
  }
}

/** A connection that failed for another reason than its statement is closed: its state is unknown. */
async function releaseClient(client: PoolClient | undefined, failure: unknown): Promise<void> {
  if (client === undefined) return
  if (failure === undefined) return client.release()
  const isUsable = failure instanceof DatabaseError || failure instanceof HoldfastError
  try {
    if (isUsable) await client.query('rollback')
    client.release(!isUsable)
  } catch (thrown) {
    client.release(thrown instanceof Error ? thrown : new Error(getErrorMessage(thrown)))
  }
}

export async function readRows<Row extends object>(
  client: PoolClient,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return (await client.query<Row & Record<string, unknown>>(text, [...values])).rows
}
