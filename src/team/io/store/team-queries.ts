import { SCHEMA } from './team-schema.ts'

/** What a statement is given; the isolation walk puts another team's or person's values in each of them. */
export type TeamParameter =
  | 'after'
  | 'audience'
  | 'bytes'
  | 'codeHash'
  | 'expiresSeconds'
  | 'first'
  | 'keyHash'
  | 'last'
  | 'limit'
  | 'machine'
  | 'maxBytes'
  | 'name'
  | 'person'
  | 'prefix'
  | 'quotaBytes'
  | 'reader'
  | 'repositories'
  | 'repository'
  | 'role'
  | 'size'
  | 'team'

export interface TeamQuery {
  readonly parameters: readonly TeamParameter[]
  readonly text: string
}

/** `:name` is a parameter. */
function query(template: string): TeamQuery {
  const parameters: TeamParameter[] = []
  const text = template.replaceAll(/(?<!:):([a-zA-Z]+)/g, (_, name: TeamParameter) => {
    if (!parameters.includes(name)) parameters.push(name)
    return `$${parameters.indexOf(name) + 1}`
  })
  return { parameters, text: text.replaceAll('TEAM.', `${SCHEMA}.`) }
}

/** Every statement that runs with a principal. None is written anywhere else. */
export const TEAM_QUERIES = {
  findKey: query(
    'select team, person, machine, role from TEAM.machine_keys where key_hash = :keyHash and revoked_at is null',
  ),
  addTeam: query('insert into TEAM.teams (team, name, quota_bytes) values (:team, :name, :quotaBytes)'),
  readTeam: query('select name, quota_bytes, key_generation from TEAM.teams where team = :team'),
  raiseKeyGeneration: query(
    'update TEAM.teams set key_generation = key_generation + 1 where team = :team returning key_generation',
  ),

  listPeople: query(
    'select person, name, role, joined_at from TEAM.people where team = :team order by joined_at, person',
  ),
  findPerson: query('select person, name, role, joined_at from TEAM.people where team = :team and person = :person'),
  countAdmins: query(`select count(*) as admins from TEAM.people where team = :team and role = 'admin'`),
  addPerson: query(
    'insert into TEAM.people (team, person, name, role) values (:team, :person, :name, :role) on conflict do nothing returning person',
  ),
  setPersonRole: query('update TEAM.people set role = :role where team = :team and person = :person returning person'),
  deletePerson: query('delete from TEAM.people where team = :team and person = :person returning person'),

  listMachines: query(
    "select machine, person, name, joined_at, left_at, to_char(seen_on, 'YYYY-MM-DD') as seen_on from TEAM.machines where team = :team order by person, machine",
  ),
  addMachine: query(
    `insert into TEAM.machines as m (team, machine, person, name) values (:team, :machine, :person, :name)
     on conflict (team, machine) do update set left_at = null, name = excluded.name
       where m.person = excluded.person and m.left_at is not null
     returning machine`,
  ),
  markSeen: query(
    'update TEAM.machines set seen_on = current_date where team = :team and machine = :machine and seen_on is distinct from current_date',
  ),
  markMachineLeft: query(
    'update TEAM.machines set left_at = now() where team = :team and machine = :machine and left_at is null returning person',
  ),
  markMachinesLeft: query(
    'update TEAM.machines set left_at = now() where team = :team and person = :person and left_at is null returning machine',
  ),

  addKey: query(
    'insert into TEAM.machine_keys (key_hash, team, person, machine, role) values (:keyHash, :team, :person, :machine, :role)',
  ),
  setKeyRoles: query('update TEAM.machine_keys set role = :role where team = :team and person = :person'),
  revokeMachineKeys: query(
    'update TEAM.machine_keys set revoked_at = now() where team = :team and machine = :machine and revoked_at is null returning key_hash',
  ),
  revokePersonKeys: query(
    'update TEAM.machine_keys set revoked_at = now() where team = :team and person = :person and revoked_at is null returning key_hash',
  ),

  addInvite: query(
    `insert into TEAM.invites (code_hash, team, role, person, invited_by, expires_at)
     values (:codeHash, :team, :role, :person, :reader, now() + make_interval(secs => :expiresSeconds))`,
  ),
  findInvite: query(
    'select team, role, person, used_at is not null as is_used, expires_at <= now() as is_expired from TEAM.invites where code_hash = :codeHash',
  ),
  useInvite: query(
    `update TEAM.invites set used_at = now(), used_by = :machine
     where code_hash = :codeHash and used_at is null and expires_at > now() returning team`,
  ),
  endInvites: query(
    'update TEAM.invites set expires_at = now() where team = :team and invited_by = :person and used_at is null and expires_at > now() returning code_hash',
  ),

  listDocuments: query(
    "select name, encode(sha256(bytes), 'hex') as digest from TEAM.documents where team = :team and starts_with(name, :prefix) order by name",
  ),
  readDocument: query('select bytes from TEAM.documents where team = :team and name = :name'),
  writeDocument: query(
    `insert into TEAM.documents (team, name, person, machine, bytes) values (:team, :name, :person, :machine, :bytes)
     on conflict (team, name) do update set bytes = excluded.bytes, updated_at = now() returning name`,
  ),
  deleteMemberOfMachine: query(
    "delete from TEAM.documents where team = :team and machine = :machine and starts_with(name, 'members/') returning name",
  ),
  deleteMembersOfPerson: query(
    "delete from TEAM.documents where team = :team and person = :person and starts_with(name, 'members/') returning name",
  ),

  listLogs: query(
    'select repository, machine, max(head) as head from TEAM.log_heads where team = :team group by repository, machine order by repository, machine',
  ),
  listLogsOf: query(
    `select repository, machine, max(head) as head from TEAM.log_heads
     where team = :team and repository = any(:repositories) group by repository, machine order by repository, machine`,
  ),
  // The head is compared and raised in one statement. Of two that append at the same place, the second waits for the
  // first one's key and then stores nothing.
  appendBatch: query(
    `with tip as (
       select coalesce(max(head), 0) as head from TEAM.log_heads
       where repository = :repository and team = :team and machine = :machine
     ), added as (
       insert into TEAM.batches (repository, team, machine, first, last, person, audience, size, bytes)
       select :repository::text, :team::text, :machine::text, :first::bigint, :last::bigint, :person::text, :audience::text, :size::integer, :bytes::bytea
       from tip where tip.head = :first::bigint - 1
       on conflict do nothing returning size
     )
     insert into TEAM.log_heads as h (repository, team, machine, audience, person, head, batches, bytes)
     select :repository, :team, :machine, :audience, :person, :last, 1, size from added
     on conflict (repository, team, machine, audience) do update
       set head = excluded.head, batches = h.batches + 1, bytes = h.bytes + excluded.bytes
     returning head`,
  ),
  findHead: query(
    'select coalesce(max(head), 0) as head from TEAM.log_heads where repository = :repository and team = :team and machine = :machine',
  ),
  findBatch: query(
    `select repository, machine, person, audience, first, last, bytes from TEAM.batches
     where repository = :repository and team = :team and machine = :machine and first = :first`,
  ),
  readBatches: query(
    `select repository, machine, person, audience, first, last, bytes from (
       select b.*, sum(size) over (order by first) as total, row_number() over (order by first) as place from (
         select repository, machine, person, audience, first, last, size, bytes from TEAM.batches
         where repository = :repository and team = :team and machine = :machine and last > :after
           and first >= coalesce((
             select max(first) from TEAM.batches
             where repository = :repository and team = :team and machine = :machine and first <= :after + 1), 0)
         order by first limit :limit
       ) as b
     ) as sized where place = 1 or total <= :maxBytes order by first`,
  ),
  noteRead: query(
    `insert into TEAM.reads as r (repository, team, machine, reader, day, person, times, first, last)
     values (:repository, :team, :machine, :reader, current_date, :person, 1, :first, :last)
     on conflict (repository, team, machine, reader, day) do update
       set times = r.times + 1, first = least(r.first, excluded.first), last = greatest(r.last, excluded.last)`,
  ),
  listReads: query(
    `select repository, machine, person, reader, to_char(day, 'YYYY-MM-DD') as day, times, first, last from TEAM.reads
     where team = :team order by day desc, repository, machine, reader limit :limit`,
  ),

  sumUsage: query(
    'select coalesce(sum(bytes), 0) as bytes from TEAM.log_heads where team = :team and person = :person',
  ),
  countShared: query(
    `select coalesce(sum(batches), 0) as batches from TEAM.log_heads where team = :team and person = :person and audience = 'team'`,
  ),
  listPrivateLogs: query(
    `select repository, machine, batches, bytes from TEAM.log_heads
     where team = :team and person = :person and audience = 'me' and batches > 0`,
  ),
  deletePrivateBatches: query(
    `delete from TEAM.batches where repository = :repository and team = :team and machine = :machine
       and person = :person and audience = 'me' returning size`,
  ),
  // The number stays: a person who joins again continues behind it.
  emptyPrivateLog: query(
    `update TEAM.log_heads set batches = 0, bytes = 0 where repository = :repository and team = :team and machine = :machine
       and person = :person and audience = 'me' returning head`,
  ),
} as const satisfies Readonly<Record<string, TeamQuery>>
