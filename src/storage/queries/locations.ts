import { sql, type Kysely } from 'kysely'
import type { KnownLocation } from '../../kernel/location.ts'
import { ProjectId } from '../../kernel/id.ts'
import type { RetentionPolicy, Store } from '../../kernel/ports/ports.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { LocationRow, Tables } from '../rows/schema.ts'
import { intactRows, parseOrigin, parseStrings } from '../rows/row-integrity.ts'
import { canonicalJson } from '../../kernel/json-shape.ts'
import { listRepositoryProjects } from './rows/reach.ts'
import { useEarlierClock, getCutoff } from './retention.ts'

function toKnownLocation(row: LocationRow): KnownLocation {
  return {
    machineId: row.machine_id,
    location: row.location,
    projectId: row.project_id,
    remotes: parseStrings(row.remotes),
    ...(row.stamp === null ? {} : { stamp: row.stamp }),
    ...(row.root_commit === null ? {} : { rootCommit: row.root_commit }),
    commits: parseStrings(row.commits),
    ...(row.moved_from === null ? {} : { movedFrom: row.moved_from }),
    lastSeenAt: row.last_seen_at,
    ...(row.origin !== null && { origin: parseOrigin(row.origin) }),
  }
}

function toRow(known: KnownLocation): Tables['project_locations'] {
  return {
    machine_id: known.machineId,
    location: known.location,
    project_id: known.projectId,
    remote: known.remotes[0] ?? null,
    remotes: JSON.stringify(known.remotes),
    stamp: known.stamp ?? null,
    root_commit: known.rootCommit ?? null,
    commits: JSON.stringify(known.commits),
    moved_from: known.movedFrom ?? null,
    last_seen_at: known.lastSeenAt,
    origin: known.origin === undefined ? null : canonicalJson(known.origin),
  }
}

const NO_PROJECT = ProjectId('')

/** Tables with data of a project, which would be unreachable if nothing resolved to the project any more. */
const PROJECT_TABLES = [
  'sessions',
  'session_checkpoints',
  'memories',
  'projects',
  'session_intents',
  'entities',
  'session_summaries',
  'checklist_records',
  'rules',
] as const

/** A moved repository has a row for each former location; older ones are not used again. */
const MAX_PER_PROJECT = 20

/** Runs inside one transaction. A project keeps its latest rows as long as it has any data. */
async function pruneLocations(db: Kysely<Tables>, policy: RetentionPolicy): Promise<number> {
  const isKept = sql.join(
    PROJECT_TABLES.map(
      (table) => sql`exists (select 1 from ${sql.table(table)} as kept where kept.project_id = known.project_id)`,
    ),
    sql` or `,
  )
  const later = sql`select count(*) from project_locations as later where later.project_id = known.project_id
    and later.machine_id = known.machine_id and later.last_seen_at > known.last_seen_at`
  const expired = await db
    .selectFrom('project_locations as known')
    .select(['known.machine_id', 'known.location', 'known.project_id'])
    .where('known.last_seen_at', '<', getCutoff(policy))
    .where(sql<boolean>`(not (${isKept}) or (${later}) >= ${sql.lit(MAX_PER_PROJECT)})`)
    .orderBy('known.last_seen_at')
    .limit(policy.sliceRows)
    .execute()
  for (const { machine_id, location, project_id } of expired)
    await db
      .deleteFrom('project_locations')
      .where('machine_id', '=', machine_id)
      .where('location', '=', location)
      .where('project_id', '=', project_id)
      .execute()
  return expired.length
}

export function locationQueries(
  engine: Engine,
): Pick<Store, 'listLocations' | 'saveLocation' | 'pruneLocations' | 'listRepositoryProjects' | 'hasProjectData'> {
  return {
    listLocations: ({ location, stamp, projectId }) =>
      engine.read(async (db) => {
        const rows = await db
          .selectFrom('project_locations')
          .selectAll()
          .$if(location !== undefined, (select) => select.where('location', '=', location ?? ''))
          .$if(stamp !== undefined, (select) => select.where('stamp', '=', stamp ?? ''))
          .$if(projectId !== undefined, (select) => select.where('project_id', '=', projectId ?? NO_PROJECT))
          .orderBy('last_seen_at', 'desc')
          .orderBy('project_id')
          .execute()
        return intactRows(db, 'project_locations', rows).map(toKnownLocation)
      }),
    saveLocation: (known) =>
      engine.write(async (db) => {
        const { machine_id, location, project_id, ...facts } = toRow(known)
        await db
          .insertInto('project_locations')
          .values({ machine_id, location, project_id, ...facts })
          .onConflict((conflict) => conflict.columns(['machine_id', 'location', 'project_id']).doUpdateSet(facts))
          .execute()
      }),
    pruneLocations: (policy) =>
      engine.write(async (db) => await pruneLocations(db, await useEarlierClock(db, engine, policy))),
    listRepositoryProjects: (projectId) => engine.read((db) => listRepositoryProjects(db, projectId)),
    hasProjectData: (projectId) =>
      engine.read(async (db) => {
        for (const table of PROJECT_TABLES) {
          const found = await db
            .selectFrom(table)
            .select('project_id')
            .where('project_id', '=', projectId)
            .limit(1)
            .executeTakeFirst()
          if (found !== undefined) return true
        }
        return false
      }),
  }
}
