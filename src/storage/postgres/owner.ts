import { type Kysely, sql } from 'kysely'
import { HoldfastError } from '../../kernel/errors.ts'
import type { StoreOwner } from '../../project/store-owner.ts'
import type { Tables } from '../rows/schema.ts'

const ONLY_ROW = 1
/** The server's clock, which all who open the store share. */
const UTC_NOW = sql<string>`to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

interface Claim {
  readonly person_id: string
  readonly person_name: string
  readonly claimed_at: string
}

function refuse({ person_name, claimed_at }: Claim): never {
  throw new HoldfastError(
    'store-not-yours',
    `This PostgreSQL store belongs to ${person_name} since ${claimed_at.slice(0, 10)}: a store is for one person.`,
    {
      hint: 'Use a database of your own in `store.url`. If it is yours, from another machine or another home, set `store.person` here to what the file `person` in that home holds.',
    },
  )
}

async function findClaim(db: Kysely<Tables>): Promise<Claim | undefined> {
  return db
    .selectFrom('store_owner')
    .select(['person_id', 'person_name', 'claimed_at'])
    .where('id', '=', ONLY_ROW)
    .executeTakeFirst()
}

/** Refuses somebody else's store before anything in it is changed. One without an owner yet is left as it is. */
export async function refuseOtherOwner(db: Kysely<Tables>, { id }: StoreOwner): Promise<void> {
  const found = await sql<{ found: boolean }>`select to_regclass('store_owner') is not null as found`.execute(db)
  const claim = found.rows[0]?.found === true ? await findClaim(db) : undefined
  if (claim !== undefined && claim.person_id !== id) refuse(claim)
}

/** The first one to come has it. */
export async function claimStore(db: Kysely<Tables>, { id, name }: StoreOwner): Promise<void> {
  await db
    .insertInto('store_owner')
    .values({ id: ONLY_ROW, person_id: id, person_name: name, claimed_at: UTC_NOW })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const claim = await findClaim(db)
  if (claim !== undefined && claim.person_id !== id) refuse(claim)
}
