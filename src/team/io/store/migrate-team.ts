import { randomUUID } from 'node:crypto'
import { DatabaseError, type PoolClient } from 'pg'
import { HoldfastError } from '../../../kernel/errors.ts'
import { readRows, type TeamPool } from './team-pool.ts'
import { FRONT_ROLE, SCHEMA, TEAM_MIGRATIONS, UNPROTECTED_TABLES } from './team-schema.ts'

/** What two fronts that start at once may do to each other: the second finds that it is there, and looks again. */
const CONCURRENT: ReadonlySet<string | undefined> = new Set(['23505', '42P06', '42P07', '42710', 'XX000'])
const ATTEMPTS = 20
const PAUSE_MS = 100

const APPLIED = `${SCHEMA}.schema_migrations`
const FACTS = `${SCHEMA}.facts`

async function findApplied(client: PoolClient): Promise<readonly string[]> {
  const [found] = await readRows<{ is_there: boolean }>(client, 'select to_regclass($1) is not null as is_there', [
    APPLIED,
  ])
  if (found?.is_there !== true) return []
  const rows = await readRows<{ name: string }>(client, `select name from ${APPLIED} order by name`)
  return rows.map(({ name }) => name)
}

function planTeamMigrations(applied: readonly string[]) {
  const known = new Set(TEAM_MIGRATIONS.map(({ name }) => name))
  const unknown = applied.filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new HoldfastError(
      'store-too-new',
      `The team store was changed by a newer Holdfast (${unknown.join(', ')}).`,
      {
        hint: 'Install that version here too. This version does not serve the store.',
      },
    )
  }
  return TEAM_MIGRATIONS.filter(({ name }) => !applied.includes(name))
}

async function ensureFrontRole(client: PoolClient): Promise<void> {
  const [role] = await readRows<{ is_unsafe: boolean }>(
    client,
    'select rolsuper or rolbypassrls as is_unsafe from pg_roles where rolname = $1',
    [FRONT_ROLE],
  )
  if (role?.is_unsafe === true) {
    throw new HoldfastError(
      'conflict',
      `The database role ${FRONT_ROLE} is a superuser or bypasses row-level security.`,
      {
        hint: `Run \`alter role ${FRONT_ROLE} nosuperuser nobypassrls\` as an administrator.`,
      },
    )
  }
  if (role === undefined) await client.query(`create role ${FRONT_ROLE} nologin nosuperuser nobypassrls`)
  const [rights] = await readRows<{ is_member: boolean }>(client, `select pg_has_role($1, 'member') as is_member`, [
    FRONT_ROLE,
  ])
  if (rights?.is_member !== true) await client.query(`grant ${FRONT_ROLE} to current_user`)
}

async function applyMigration(client: PoolClient, { name, sql }: (typeof TEAM_MIGRATIONS)[number]): Promise<void> {
  await client.query('begin')
  try {
    // Of two fronts, the second waits here for the first one's row and then fails by the key: no lock is needed.
    await client.query(`insert into ${APPLIED} (name) values ($1)`, [name])
    await client.query(sql)
    await client.query('commit')
  } catch (thrown) {
    await client.query('rollback')
    throw thrown
  }
}

async function runTeamMigrations(client: PoolClient): Promise<void> {
  if (planTeamMigrations(await findApplied(client)).length === 0) return
  await ensureFrontRole(client)
  await client.query(`create schema if not exists ${SCHEMA}`)
  await client.query(
    `create table if not exists ${APPLIED} (name text primary key, applied_at timestamptz not null default now())`,
  )
  await client.query(`create table if not exists ${FACTS} (name text primary key, value text not null)`)
  for (const migration of planTeamMigrations(await findApplied(client))) await applyMigration(client, migration)
}

function explainMissingRights(thrown: unknown): unknown {
  if (!(thrown instanceof DatabaseError) || thrown.code !== '42501') return thrown
  return new HoldfastError(
    'store-too-old',
    `The team store needs a migration, and this login may not make it: ${thrown.message}.`,
    {
      hint: 'Run `holdfast team serve` once with the login that owns the database and may create roles; then use this one (docs/team.md).',
      cause: thrown,
    },
  )
}

/** Creates or upgrades the schema. Several fronts may do this at once. */
export async function migrateTeamStore(pool: TeamPool): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await pool.asOwner(runTeamMigrations)
      return
    } catch (thrown) {
      const code = thrown instanceof DatabaseError ? thrown.code : undefined
      if (!CONCURRENT.has(code) || attempt === ATTEMPTS) throw explainMissingRights(thrown)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
}

/** Throws unless the schema is exactly the one that this version knows. */
export async function checkTeamSchema(pool: TeamPool): Promise<void> {
  const pending = planTeamMigrations(await pool.asOwner(findApplied))
  if (pending.length === 0) return
  throw new HoldfastError('store-too-old', `The team store lacks ${pending.map(({ name }) => name).join(', ')}.`, {
    hint: 'Start `holdfast team serve` with the login that owns the database: it migrates.',
  })
}

/** Throws unless every table is protected by row-level security and the front's role cannot bypass it. */
export async function checkProtection(pool: TeamPool): Promise<void> {
  const open = await pool.asOwner((client) =>
    readRows<{ name: string }>(
      client,
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = $1 and c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity) and c.relname <> all($2)`,
      [SCHEMA, UNPROTECTED_TABLES],
    ),
  )
  if (open.length > 0) {
    throw new HoldfastError(
      'store-corrupt',
      `Row-level security is off for ${open.map(({ name }) => name).join(', ')}.`,
      {
        hint: 'Switch it on with `alter table … enable row level security, force row level security`. Until then nothing is served.',
      },
    )
  }
  const [role] = await pool.asOwner((client) =>
    readRows<{ is_safe: boolean }>(
      client,
      'select not (rolsuper or rolbypassrls) as is_safe from pg_roles where rolname = $1',
      [FRONT_ROLE],
    ),
  )
  if (role?.is_safe === true) return
  throw new HoldfastError(
    'store-corrupt',
    `The database role ${FRONT_ROLE} is missing, or it can bypass row-level security.`,
    {
      hint: `Run \`create role ${FRONT_ROLE} nologin\` or \`alter role ${FRONT_ROLE} nosuperuser nobypassrls\`.`,
    },
  )
}

/** Stores the value unless there is one; gives what is stored. */
export async function claimFact(pool: TeamPool, name: string, value: string): Promise<string> {
  return pool.asOwner(async (client) => {
    const [known] = await readRows<{ value: string }>(client, `select value from ${FACTS} where name = $1`, [name])
    if (known !== undefined) return known.value
    await client.query(`insert into ${FACTS} (name, value) values ($1, $2) on conflict do nothing`, [name, value])
    const [stored] = await readRows<{ value: string }>(client, `select value from ${FACTS} where name = $1`, [name])
    return stored?.value ?? value
  })
}

/** Which of how many stores this one is: batches would be searched in the wrong one if the order changed. */
export async function claimShards(pools: readonly TeamPool[]): Promise<void> {
  const [first] = pools
  if (first === undefined) return
  const cluster = await claimFact(first, 'cluster', randomUUID())
  for (const [index, pool] of pools.entries()) {
    const wanted = `${cluster} ${index + 1} of ${pools.length}`
    const found = await claimFact(pool, 'shard', wanted)
    if (found === wanted) continue
    throw new HoldfastError(
      'conflict',
      `The store number ${index + 1} of ${pools.length} was set up as ${found.replace(/^\S+ /, 'number ')}, or for another team server.`,
      {
        hint: 'Give every `--store` that the server was first started with, in the same order.',
      },
    )
  }
}
