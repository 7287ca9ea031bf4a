import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HoldfastError } from '../../src/kernel/errors.ts'
import { systemClock } from '../../src/platform/base/clock.ts'
import { checkProtection } from '../../src/team/io/store/migrate-team.ts'
import { TeamPool, type TeamPrincipal, type QueryValues } from '../../src/team/io/store/team-pool.ts'
import { TEAM_QUERIES, type TeamParameter, type TeamQuery } from '../../src/team/io/store/team-queries.ts'
import { SCHEMA, UNPROTECTED_TABLES } from '../../src/team/io/store/team-schema.ts'
import { openTeamStore, type TeamStore } from '../../src/team/io/store/team-store.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { addressOf, aRepository, startTeamServer } from '../support/team-setup.ts'

let postgres: TestPostgres
let url: string
let store: TeamStore
beforeAll(async () => {
  postgres = await startPostgres()
  url = await postgres.createDatabase()
  store = await openTeamStore({ urls: [url], connections: 2, clock: systemClock })
  await administer(FILL)
})
afterAll(async () => {
  await store[Symbol.asyncDispose]()
  await postgres[Symbol.asyncDispose]()
})

async function administer(statements: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const result = await client.query(statements)
    return Array.isArray(result) ? [] : result.rows
  } finally {
    await client.end()
  }
}

const REPOSITORY = aRepository('one repository of two teams')
const hash = (name: string) => aRepository(`secret of ${name}`)

/** Two teams with the same ids of people and machines, the same repository and the same numbers. */
function fillTeam(team: string): string {
  const person = (name: string, role: string) => `
    insert into ${SCHEMA}.people (team, person, name, role) values ('${team}', '${name}', 'n', '${role}');
    insert into ${SCHEMA}.machines (team, machine, person, name) values ('${team}', '${name}-desk', '${name}', 'n');
    insert into ${SCHEMA}.machine_keys (key_hash, team, person, machine, role)
      values ('${hash(`key ${team} ${name}`)}', '${team}', '${name}', '${name}-desk', '${role}');
    insert into ${SCHEMA}.invites (code_hash, team, role, person, invited_by, expires_at)
      values ('${hash(`invite ${team} ${name}`)}', '${team}', 'admin', null, '${name}', now() + interval '1 day');
    insert into ${SCHEMA}.documents (team, name, person, machine, bytes) values ('${team}', 'members/${name}', '${name}', '${name}-desk', 'x');
    ${['me', 'team']
      .map(
        (audience, at) => `
    insert into ${SCHEMA}.batches (repository, team, machine, first, last, person, audience, size, bytes)
      values ('${REPOSITORY}', '${team}', '${name}-desk', ${at + 1}, ${at + 1}, '${name}', '${audience}', 1, 'x');
    insert into ${SCHEMA}.log_heads (repository, team, machine, audience, person, head, batches, bytes)
      values ('${REPOSITORY}', '${team}', '${name}-desk', '${audience}', '${name}', ${at + 1}, 1, 1);`,
      )
      .join('')}
    insert into ${SCHEMA}.reads (repository, team, machine, reader, day, person, times, first, last)
      values ('${REPOSITORY}', '${team}', '${name}-desk', '${name}', current_date, '${name}', 1, 1, 2);`
  return `insert into ${SCHEMA}.teams (team, name, quota_bytes) values ('${team}', 'n', 1000);
    ${person('ada', 'admin')} ${person('bob', 'member')} ${person('cyd', 'reader')}`
}
const FILL = `${fillTeam('red')} ${fillTeam('blue')}`

const ROLES = ['reader', 'member', 'admin', 'operator', 'joining', 'removal', 'founding'] as const

interface WalkCase {
  readonly what: string
  readonly principal: TeamPrincipal
  /** Whose values the statement is given. */
  readonly victim: { readonly team: string; readonly person: string }
}

const TABLES = [
  'teams',
  'people',
  'machines',
  'machine_keys',
  'invites',
  'documents',
  'batches',
  'log_heads',
  'reads',
] as const

/** What each parameter is, so that a statement would find the victim's rows if only the WHERE protected them. */
function valuesFor({ team, person }: WalkCase['victim']): Required<QueryValues> {
  return {
    team,
    person,
    machine: `${person}-desk`,
    reader: person,
    repository: REPOSITORY,
    repositories: [REPOSITORY],
    keyHash: hash(`key ${team} ${person}`),
    codeHash: hash(`invite ${team} ${person}`),
    name: `members/${person}`,
    prefix: '',
    role: 'admin',
    audience: 'me',
    after: 0,
    first: 3,
    last: 3,
    size: 1,
    bytes: new Uint8Array(1),
    maxBytes: 1_000_000,
    limit: 100,
    quotaBytes: 1,
    expiresSeconds: 60,
  } satisfies Record<TeamParameter, unknown>
}

const snapshot = async () =>
  JSON.stringify(
    await Promise.all(TABLES.map((table) => administer(`select t.* from ${SCHEMA}.${table} t order by 1, 2, 3, 4`))),
  )

/** Aggregates always have one row: what they count is looked at. */
const isEmptyAnswer = (rows: readonly object[]) =>
  rows.every(
    (row) => Object.keys(row).length === 1 && Object.values(row).every((value) => value === 0 || value === '0'),
  )

interface Leak {
  readonly what: string
  readonly query: string
  readonly rows: readonly object[]
}

/** Runs the statements as the principal, and rolls back what they changed after comparing it. */
async function walk(
  cases: readonly WalkCase[],
  queries: Readonly<Record<string, TeamQuery>>,
  visible: (row: object, one: WalkCase) => boolean,
) {
  const leaks: Leak[] = []
  let statements = 0
  await using pool = new TeamPool({ url, connections: 1 })
  for (const one of cases) {
    for (const [query, statement] of Object.entries(queries)) {
      statements += 1
      const rows = await pool
        .transact(one.principal, async (transaction) => {
          const found = await transaction.run(statement, valuesFor(one.victim))
          throw new Rollback(found)
        })
        .catch((thrown: unknown) => {
          if (thrown instanceof Rollback) return thrown.rows
          // Refused by a policy, or by a key of a row that is not visible.
          if (thrown instanceof Error && /does not allow|row-level security|duplicate key/.test(thrown.message))
            return []
          throw thrown
        })
      const seen = rows.filter((row) => !visible(row, one))
      if (!isEmptyAnswer(seen)) leaks.push({ what: one.what, query, rows: seen })
    }
  }
  return { leaks, statements }
}

/** Leaves the connection usable. */
class Rollback extends HoldfastError {
  readonly rows: readonly object[]
  constructor(rows: readonly object[]) {
    super('internal', 'rolled back')
    this.rows = rows
  }
}

/** What a forgotten WHERE would be: everything of each table. */
const WITHOUT_WHERE: Readonly<Record<string, TeamQuery>> = Object.fromEntries(
  TABLES.map((table) => [`everything of ${table}`, { parameters: [], text: `select * from ${SCHEMA}.${table}` }]),
)

const OTHER_TEAM: readonly WalkCase[] = ROLES.flatMap((role) =>
  ['ada', 'bob'].map((person) => ({
    what: `${role} ${person} of the blue team, on the red one`,
    principal: { team: 'blue', person, machine: `${person}-desk`, role },
    victim: { team: 'red', person },
  })),
)
const NOBODY: readonly WalkCase[] = [
  { what: 'nobody', principal: {}, victim: { team: 'red', person: 'bob' } },
  {
    what: 'a person without a role',
    principal: { team: 'red', person: 'bob', machine: 'bob-desk' },
    victim: { team: 'red', person: 'bob' },
  },
  {
    what: 'a role without a team',
    principal: { person: 'bob', machine: 'bob-desk', role: 'admin' },
    victim: { team: 'red', person: 'bob' },
  },
  {
    what: 'a key of nobody',
    principal: { key: hash('no key'), invite: hash('no invite') },
    victim: { team: 'red', person: 'bob' },
  },
]

const never = () => false

describe('isolation, by row-level security alone', () => {
  test('every table that holds anything of a team is protected, with force, from a role that cannot bypass it', async () => {
    await checkProtection(store.directory)
    const tables = await administer(
      `select relname from pg_class where relkind in ('r', 'p') and relnamespace = '${SCHEMA}'::regnamespace`,
    )
    const names = tables.map(({ relname }) => String(relname)).toSorted()
    expect(names).toEqual([...TABLES, ...UNPROTECTED_TABLES].toSorted())
  })

  test('no statement of any role returns or changes a row of another team', async () => {
    const before = await snapshot()
    const { leaks, statements } = await walk([...OTHER_TEAM, ...NOBODY], TEAM_QUERIES, never)
    expect(leaks).toEqual([])
    expect(statements).toBe((OTHER_TEAM.length + NOBODY.length) * Object.keys(TEAM_QUERIES).length)
    expect(await snapshot()).toBe(before)
  })

  test('without any WHERE, only rows of the own team are returned, and none without a whole principal', async () => {
    const isOwn = (row: object, { principal }: WalkCase) => 'team' in row && row.team === principal.team
    expect((await walk(OTHER_TEAM, WITHOUT_WHERE, isOwn)).leaks).toEqual([])
    expect((await walk(NOBODY, WITHOUT_WHERE, never)).leaks).toEqual([])
  })

  const WITHIN: readonly WalkCase[] = (['reader', 'member', 'admin'] as const).flatMap((role) =>
    ['ada', 'bob', 'cyd'].map((person) => ({
      what: `${role} ${person}, on the private things of a colleague`,
      principal: { team: 'red', person, machine: `${person}-desk`, role },
      victim: { team: 'red', person: person === 'bob' ? 'ada' : 'bob' },
    })),
  )
  const isPrivateOfOther = (row: object, { principal }: WalkCase) =>
    'audience' in row && row.audience === 'me' && 'person' in row && row.person !== principal.person

  test('no statement of any role, with or without a WHERE, returns a private batch or log of a colleague', async () => {
    const visible = (row: object, one: WalkCase) => !isPrivateOfOther(row, one)
    expect((await walk(WITHIN, { ...TEAM_QUERIES, ...WITHOUT_WHERE }, visible)).leaks).toEqual([])
  })

  test('a machine cannot write in another’s name, a reader cannot share, and the operator sees no batch', async () => {
    const append = async (principal: TeamPrincipal, victim: WalkCase['victim'], number = 3) =>
      store.directory
        .transact(principal, (transaction) =>
          transaction.run(TEAM_QUERIES.appendBatch, {
            ...valuesFor(victim),
            audience: 'team',
            first: number,
            last: number,
          }),
        )
        .then(
          (rows) => (rows.length > 0 ? 'stored' : 'nothing'),
          () => 'refused',
        )
    const bob = { team: 'red', person: 'bob', machine: 'bob-desk' }
    const attempts = [
      await append({ ...bob, role: 'member' }, { team: 'red', person: 'ada' }),
      await append({ ...bob, machine: 'ada-desk', role: 'member' }, { team: 'red', person: 'bob' }),
      await append({ team: 'red', person: 'cyd', machine: 'cyd-desk', role: 'reader' }, { team: 'red', person: 'cyd' }),
      await append(
        { team: 'red', person: 'operator', machine: 'operator', role: 'operator' },
        { team: 'red', person: 'bob' },
        1,
      ),
      await append({ ...bob, role: 'member' }, { team: 'red', person: 'bob' }),
    ]
    expect(attempts).toEqual(['refused', 'refused', 'refused', 'refused', 'stored'])
    const operator: WalkCase = {
      what: 'operator',
      principal: { team: 'red', person: 'operator', machine: 'operator', role: 'operator' },
      victim: { team: 'red', person: 'bob' },
    }
    const batches = {
      batches: { parameters: [], text: `select * from ${SCHEMA}.batches` },
      heads: { parameters: [], text: `select * from ${SCHEMA}.log_heads` },
    }
    expect((await walk([operator], batches, never)).leaks).toEqual([])
  })

  test('control: with one policy opened, the walk finds the leak', async () => {
    await administer(`create policy opened on ${SCHEMA}.batches for select to public using (true)`)
    try {
      const { leaks } = await walk([...OTHER_TEAM.slice(0, 1), ...NOBODY], TEAM_QUERIES, never)
      expect(leaks.map(({ query }) => query)).toContain('readBatches')
      const visible = (row: object, one: WalkCase) => !isPrivateOfOther(row, one)
      expect((await walk(WITHIN, WITHOUT_WHERE, visible)).leaks.length).toBeGreaterThan(0)
    } finally {
      await administer(`drop policy opened on ${SCHEMA}.batches`)
    }
  })

  test.each(TABLES)(
    'control: with row-level security off for %s, the walk without a WHERE finds the leak',
    async (table) => {
      await administer(`alter table ${SCHEMA}.${table} disable row level security`)
      try {
        const { leaks } = await walk(NOBODY, WITHOUT_WHERE, never)
        expect(new Set(leaks.map(({ query }) => query))).toEqual(new Set([`everything of ${table}`]))
        await expect(checkProtection(store.directory)).rejects.toMatchObject({
          message: expect.stringContaining(table),
        })
      } finally {
        await administer(`alter table ${SCHEMA}.${table} enable row level security`)
      }
    },
  )

  test('a front that is running stops serving while row-level security is off', async () => {
    const server = await startTeamServer([url])
    const ask = async (path: string) => {
      const reply = await fetch(`${addressOf(server)}${path}`)
      return { status: reply.status, text: await reply.text() }
    }
    const asks = () => Promise.all([ask('/health'), ask('/v1/logs')])
    try {
      expect((await asks()).map(({ status }) => status)).toEqual([200, 401])
      await administer(`alter table ${SCHEMA}.batches disable row level security`)
      const off = { status: 503, text: expect.stringContaining('Row-level security is off for batches') }
      await expect.poll(asks, { timeout: 10_000 }).toEqual([off, off])
      await administer(`alter table ${SCHEMA}.batches enable row level security`)
      await expect.poll(async () => (await asks()).map(({ status }) => status), { timeout: 10_000 }).toEqual([200, 401])
    } finally {
      await administer(`alter table ${SCHEMA}.batches enable row level security`)
      await server.stop()
    }
  })
})
