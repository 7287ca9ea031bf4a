/** The role whose rights every request runs with: it owns nothing and cannot bypass row-level security. */
export const FRONT_ROLE = 'holdfast_team_front'
export const SCHEMA = 'holdfast_team'

/** Null when it is not set, and null equals nothing: without a principal no row is visible. */
const setting = (name: string) => `current_setting('holdfast.${name}', true)`

const TEAM = `team = ${setting('team')}`
const MINE = `person = ${setting('person')}`
const MY_MACHINE = `machine = ${setting('machine')}`
const roles = (...names: readonly string[]) => `${setting('role')} in (${names.map((name) => `'${name}'`).join(', ')})`
const ANY_ROLE = roles('reader', 'member', 'admin', 'operator')
const PEOPLE = roles('reader', 'member', 'admin')
const MANAGER = roles('admin', 'operator')

interface Policies {
  readonly select: string
  readonly insert?: string
  readonly update?: string
  readonly delete?: string
}

function protect(table: string, { select, ...changes }: Policies): string {
  const name = `${SCHEMA}.${table}`
  const policies = [
    `create policy ${table}_select on ${name} for select to ${FRONT_ROLE} using (${select});`,
    changes.insert &&
      `create policy ${table}_insert on ${name} for insert to ${FRONT_ROLE} with check (${changes.insert});`,
    changes.update &&
      `create policy ${table}_update on ${name} for update to ${FRONT_ROLE} using (${changes.update}) with check (${changes.update});`,
    changes.delete && `create policy ${table}_delete on ${name} for delete to ${FRONT_ROLE} using (${changes.delete});`,
  ]
  const rights = ['select', ...Object.keys(changes)].join(', ')
  return [
    `alter table ${name} enable row level security;`,
    `alter table ${name} force row level security;`,
    ...policies.filter((policy) => policy !== undefined),
    `grant ${rights} on ${name} to ${FRONT_ROLE};`,
  ].join('\n')
}

const text = 'text collate "C" not null'

/**
 * What grows with records has `repository` first in its key, and no statement joins it with what grows with people: so
 * repositories can be distributed over servers. No sequence, no advisory lock, no row that all writers change.
 */
const FIRST = `
create table ${SCHEMA}.teams (
  team ${text} primary key,
  name text not null,
  quota_bytes bigint not null,
  key_generation integer not null default 1,
  created_at timestamptz not null default now()
);
create table ${SCHEMA}.people (
  team ${text}, person ${text}, name text not null, role ${text},
  joined_at timestamptz not null default now(),
  primary key (team, person)
);
create table ${SCHEMA}.machines (
  team ${text}, machine ${text}, person ${text}, name text not null,
  joined_at timestamptz not null default now(), left_at timestamptz, seen_on date,
  primary key (team, machine)
);
create table ${SCHEMA}.machine_keys (
  key_hash ${text} primary key, team ${text}, person ${text}, machine ${text}, role ${text},
  created_at timestamptz not null default now(), revoked_at timestamptz
);
create index machine_keys_machine on ${SCHEMA}.machine_keys (team, machine);
create table ${SCHEMA}.invites (
  code_hash ${text} primary key, team ${text}, role ${text}, person text collate "C", invited_by ${text},
  created_at timestamptz not null default now(), expires_at timestamptz not null,
  used_at timestamptz, used_by text collate "C"
);
create table ${SCHEMA}.documents (
  team ${text}, name ${text}, person ${text}, machine ${text}, bytes bytea not null,
  updated_at timestamptz not null default now(),
  primary key (team, name)
);
create table ${SCHEMA}.batches (
  repository ${text}, team ${text}, machine ${text}, first bigint not null, last bigint not null,
  person ${text}, audience ${text}, size integer not null, bytes bytea not null,
  received_at timestamptz not null default now(),
  primary key (repository, team, machine, first),
  check (last >= first and first >= 1), check (audience in ('me', 'team'))
);
alter table ${SCHEMA}.batches alter column bytes set storage external;
create table ${SCHEMA}.log_heads (
  repository ${text}, team ${text}, machine ${text}, audience ${text}, person ${text},
  head bigint not null, batches bigint not null, bytes bigint not null,
  primary key (repository, team, machine, audience)
) with (fillfactor = 80);
create index log_heads_team on ${SCHEMA}.log_heads (team, person);
create table ${SCHEMA}.reads (
  repository ${text}, team ${text}, machine ${text}, reader ${text}, day date not null, person ${text},
  times bigint not null, first bigint not null, last bigint not null,
  primary key (repository, team, machine, reader, day)
) with (fillfactor = 80);
create index reads_team on ${SCHEMA}.reads (team, day);
grant usage on schema ${SCHEMA} to ${FRONT_ROLE};
grant select on ${SCHEMA}.schema_migrations, ${SCHEMA}.facts to ${FRONT_ROLE};
${protect('teams', {
  select: `${TEAM} and (${ANY_ROLE} or ${roles('joining', 'removal', 'founding')})`,
  insert: `${TEAM} and ${roles('founding')}`,
  update: `${TEAM} and (${ANY_ROLE} or ${roles('removal')})`,
})}
${protect('people', {
  select: `${TEAM} and (${ANY_ROLE} or (${roles('joining', 'removal')} and ${MINE}))`,
  insert: `${TEAM} and ${MINE} and ${roles('joining')}`,
  update: `${TEAM} and ${MANAGER}`,
  delete: `${TEAM} and ${MINE} and ${roles('removal')}`,
})}
${protect('machines', {
  select: `${TEAM} and (${ANY_ROLE} or (${roles('joining', 'removal')} and ${MINE}))`,
  insert: `${TEAM} and ${MINE} and ${MY_MACHINE} and ${roles('joining')}`,
  update: `${TEAM} and (${MANAGER} or (${MINE} and (${PEOPLE} or ${roles('joining', 'removal')})))`,
})}
${protect('machine_keys', {
  select: `key_hash = ${setting('key')} or (${TEAM} and (${MANAGER} or ${roles('founding')} or (${MINE} and (${PEOPLE} or ${roles('joining', 'removal')}))))`,
  insert: `${TEAM} and ((${MINE} and ${MY_MACHINE} and ${roles('joining')}) or (role = 'operator' and ${roles('founding')}))`,
  update: `${TEAM} and (${MANAGER} or (role = 'operator' and ${roles('founding')}) or (${MINE} and (${PEOPLE} or ${roles('removal')})))`,
})}
${protect('invites', {
  select: `code_hash = ${setting('invite')} or (${TEAM} and (${MANAGER} or (invited_by = ${setting('person')} and ${PEOPLE})))`,
  insert: `${TEAM} and invited_by = ${setting('person')} and (${MANAGER} or (${PEOPLE} and ${MINE}))`,
  update: `code_hash = ${setting('invite')} or (${TEAM} and invited_by = ${setting('person')} and ${roles('removal')})`,
})}
${protect('documents', {
  select: `${TEAM} and ${PEOPLE}`,
  insert: `${TEAM} and ${MINE} and ${MY_MACHINE} and ${PEOPLE}`,
  update: `${TEAM} and (${MINE} or ${roles('admin')}) and ${PEOPLE}`,
})}
${protect('batches', {
  select: `${TEAM} and ((${PEOPLE} and (audience = 'team' or ${MINE})) or (${MINE} and ${roles('removal')}))`,
  insert: `${TEAM} and ${MINE} and ${MY_MACHINE} and (${roles('member', 'admin')} or (audience = 'me' and ${roles('reader')}))`,
  delete: `${TEAM} and ${MINE} and audience = 'me' and ${roles('removal')}`,
})}
${protect('log_heads', {
  select: `${TEAM} and ((${PEOPLE} and (audience = 'team' or ${MINE})) or (${MINE} and ${roles('removal')}))`,
  insert: `${TEAM} and ${MINE} and ${MY_MACHINE} and (${roles('member', 'admin')} or (audience = 'me' and ${roles('reader')}))`,
  update: `${TEAM} and ${MINE} and ((${MY_MACHINE} and ${PEOPLE}) or (audience = 'me' and ${roles('removal')}))`,
})}
${protect('reads', {
  select: `${TEAM} and (${roles('admin')} or ((reader = ${setting('person')} or ${MINE}) and ${PEOPLE}))`,
  insert: `${TEAM} and reader = ${setting('person')} and ${PEOPLE}`,
  update: `${TEAM} and reader = ${setting('person')} and ${PEOPLE}`,
})}
`

/** A machine that leaves takes its public keys along: the others see that it is gone, and make a new key for the space. */
const MEMBER_DOCUMENTS = `
drop policy documents_select on ${SCHEMA}.documents;
create policy documents_select on ${SCHEMA}.documents for select to ${FRONT_ROLE}
  using (${TEAM} and (${ANY_ROLE} or (${MINE} and ${roles('removal')})));
create policy documents_delete on ${SCHEMA}.documents for delete to ${FRONT_ROLE}
  using (${TEAM} and starts_with(name, 'members/') and (${MANAGER} or (${MINE} and (${PEOPLE} or ${roles('removal')}))));
grant delete on ${SCHEMA}.documents to ${FRONT_ROLE};
`

export interface TeamMigration {
  readonly name: string
  readonly sql: string
}

/** Only grows: a shipped one is never edited. */
export const TEAM_MIGRATIONS: readonly TeamMigration[] = [
  { name: '0001-team', sql: FIRST },
  { name: '0002-member-documents', sql: MEMBER_DOCUMENTS },
]

/** Not for a team or a person: which migrations ran, and which store this is. */
export const UNPROTECTED_TABLES: readonly string[] = ['facts', 'schema_migrations']
