import * as z from 'zod'
import { HoldfastError } from '../../../kernel/errors.ts'
import { asObject, asText } from '../../../kernel/json-shape.ts'
import type { Clock, Log } from '../../../kernel/ports/ports.ts'
import { parse } from '../../../platform/base/parse.ts'
import { VERSION } from '../../../platform/base/version.ts'
import {
  decodeBatches,
  encodeBatches,
  isDocumentName,
  isMachineId,
  isPersonId,
  isRepositoryKey,
} from '../../batch-frame.ts'
import type { ServerMetrics } from '../../server-metrics.ts'
import { TEAM_ROLES, type TeamCaller } from '../../team-role.ts'
import {
  changeRole,
  createInvite,
  joinTeam,
  listMachines,
  listPeople,
  removePerson,
  revokeMachine,
} from '../store/team-people.ts'
import { TEAM_QUERIES } from '../store/team-queries.ts'
import { toPrincipal, type TeamStore } from '../store/team-store.ts'

export interface TeamRequest {
  readonly caller: TeamCaller
  readonly params: Readonly<Record<string, string>>
  query(name: string): string | undefined
  queries(name: string): readonly string[]
  json(): Promise<unknown>
  bytes(maxBytes: number): Promise<Uint8Array>
}

export interface TeamRouteDeps {
  readonly store: TeamStore
  readonly metrics: ServerMetrics
  readonly clock: Clock
  readonly log: Log
  readonly maxBatchBytes: number
}

/** An object becomes JSON; undefined becomes 204. */
export type TeamAnswer = object | Uint8Array | undefined

export interface TeamRoute {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  /** Without it the request needs a key. */
  readonly isOpen?: boolean
  run(request: TeamRequest, deps: TeamRouteDeps): Promise<TeamAnswer>
}

const NAME_CHARS = 128
const id = (isValid: (text: string) => boolean, what: string) => z.string().refine(isValid, `It must be ${what}`)
const personId = id(isPersonId, 'the id of a person')
const machineId = id(isMachineId, 'the id of a machine')
const personName = z.string().min(1).max(NAME_CHARS)
const role = z.enum(TEAM_ROLES)

const MINUTE = 60
const DAY = 86_400
const InviteBody = z.object({
  role,
  expiresSeconds: z
    .int()
    .min(MINUTE)
    .max(90 * DAY),
  isForOwnMachine: z.boolean(),
})
const JoinBody = z.object({
  code: z.string().min(20).max(100),
  person: personId,
  name: personName,
  machine: machineId,
  machineName: personName,
})
const MachineBody = z.object({ machine: machineId })
const PersonBody = z.object({ person: personId })
const RoleBody = z.object({ person: personId, role })

const MAX_DOCUMENT_BYTES = 1_048_576
const MAX_REPOSITORIES = 500
const MAX_READS = 1_000
const DEFAULT_READ_BYTES = 4_194_304

function checkName(name: string): string {
  if (isDocumentName(name)) return name
  throw new HoldfastError('invalid-input', 'This is not a valid name of a document.')
}

/** Public keys and wrapped keys end with the machine that wrote them: no other one may write them. */
function checkAuthor(name: string, { machine }: TeamCaller): string {
  const isSigned = name.startsWith('members/') || name.startsWith('keys/')
  if (!isSigned || name.split('/').at(-1) === machine) return name
  throw new HoldfastError('forbidden', 'A machine writes its own keys only.')
}

/** What a machine says of itself: whose it is, the server knows. */
function checkMember(name: string, bytes: Uint8Array, { person }: TeamCaller): Uint8Array {
  const claimed = name.startsWith('members/') ? findPrincipal(bytes) : undefined
  if (claimed === undefined || claimed === person) return bytes
  throw new HoldfastError('forbidden', `This key belongs to ${person}, not to ${claimed}.`)
}

function findPrincipal(bytes: Uint8Array): string | undefined {
  try {
    const { document } = asObject(JSON.parse(new TextDecoder().decode(bytes)))
    return asText(asObject(document)['principal'])
  } catch {
    // Not a member's document: no reader takes it for one.
    return undefined
  }
}

function checkRepository(repository: string): string {
  if (isRepositoryKey(repository)) return repository
  throw new HoldfastError('invalid-input', 'This is not a repository key.')
}

function readWholeNumber(request: TeamRequest, name: string, fallback: number): number {
  const text = request.query(name)
  const value = text === undefined ? fallback : Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new HoldfastError('invalid-input', `${name} must be a whole number.`)
}

const findStanding: TeamRoute['run'] = async ({ caller }, { store }) => {
  const [team] = await store.directory.transact(toPrincipal(caller), (transaction) =>
    transaction.run<{ name: string; quota_bytes: number; key_generation: number }>(TEAM_QUERIES.readTeam, {
      team: caller.team,
    }),
  )
  return {
    team: caller.team,
    teamName: team?.name ?? '',
    person: caller.person,
    machine: caller.machine,
    role: caller.role,
    keyGeneration: team?.key_generation ?? 0,
    quotaBytes: team?.quota_bytes ?? 0,
    usedBytes: await store.sumUsage(caller),
    serverVersion: VERSION,
  }
}

/** Every route that reads or changes the store. */
export const TEAM_ROUTES: readonly TeamRoute[] = [
  {
    method: 'POST',
    path: '/v1/join',
    isOpen: true,
    async run(request, { store, log }) {
      const admission = await joinTeam(store, parse(JoinBody, await request.json()))
      log.info('a machine joined', { person: admission.person, machine: admission.machine, role: admission.role })
      return admission
    },
  },
  { method: 'GET', path: '/v1/standing', run: findStanding },
  {
    method: 'GET',
    path: '/v1/people',
    run: async ({ caller }, { store }) => ({ people: await listPeople(store, caller) }),
  },
  {
    method: 'GET',
    path: '/v1/machines',
    run: async ({ caller }, { store }) => ({ machines: await listMachines(store, caller) }),
  },
  {
    method: 'POST',
    path: '/v1/invites',
    run: async (request, { store }) => ({
      code: await createInvite(store, request.caller, parse(InviteBody, await request.json())),
    }),
  },
  {
    method: 'POST',
    path: '/v1/people/role',
    async run(request, { store, log }) {
      const change = parse(RoleBody, await request.json())
      await changeRole(store, request.caller, change)
      log.info('a role was changed', { by: request.caller.person, ...change })
      return change
    },
  },
  {
    method: 'POST',
    path: '/v1/people/remove',
    async run(request, { store, log }) {
      const { person } = parse(PersonBody, await request.json())
      const departure = await removePerson(store, request.caller, person)
      log.info('a person was removed', { by: request.caller.person, ...departure })
      return departure
    },
  },
  {
    method: 'POST',
    path: '/v1/machines/revoke',
    async run(request, { store, log }) {
      const { machine } = parse(MachineBody, await request.json())
      const revoked = await revokeMachine(store, request.caller, machine)
      log.info('a key was revoked', { by: request.caller.person, machine, ...revoked })
      return { machine, ...revoked }
    },
  },
  {
    method: 'GET',
    path: '/v1/reads',
    run: async ({ caller }, { store }) => ({ reads: await store.listReads(caller, MAX_READS) }),
  },
  {
    method: 'GET',
    path: '/v1/logs',
    async run(request, { store }) {
      const repositories = request.queries('repository').map(checkRepository)
      if (repositories.length > MAX_REPOSITORIES)
        throw new HoldfastError('too-large', `At most ${MAX_REPOSITORIES} repositories can be listed at once.`)
      return { logs: await store.listLogs(request.caller, repositories.length === 0 ? undefined : repositories) }
    },
  },
  {
    method: 'GET',
    path: '/v1/logs/:repository/:machine',
    async run(request, { store, metrics, maxBatchBytes }) {
      const { repository = '', machine = '' } = request.params
      const maxBytes = Math.min(readWholeNumber(request, 'maxBytes', DEFAULT_READ_BYTES), 2 * maxBatchBytes)
      const after = readWholeNumber(request, 'after', 0)
      const range = { repository: checkRepository(repository), machine, after, maxBytes }
      const batches = await store.readBatches(request.caller, range)
      metrics.count('read_batches', batches.length)
      metrics.count(
        'read_bytes',
        batches.reduce((sum, { bytes }) => sum + bytes.length, 0),
      )
      return encodeBatches(batches)
    },
  },
  {
    method: 'POST',
    path: '/v1/batches',
    async run(request, { store, metrics, maxBatchBytes }) {
      const batches = decodeBatches(await request.bytes(maxBatchBytes))
      if (batches.length === 0) throw new HoldfastError('invalid-input', 'The request contains no batch.')
      let added = 0
      for (const batch of batches) {
        if (!(await store.appendBatch(request.caller, batch))) continue
        added += 1
        metrics.count('appended_batches')
        metrics.count('appended_bytes', batch.bytes.length)
      }
      return { added }
    },
  },
  {
    method: 'GET',
    path: '/v1/documents',
    async run(request, { store }) {
      const listed = await store.listDocuments(request.caller, request.query('prefix') ?? '')
      return { names: listed.map(({ name }) => name), digests: listed.map(({ digest }) => digest) }
    },
  },
  {
    method: 'GET',
    path: '/v1/documents/:name{.+}',
    async run(request, { store }) {
      const bytes = await store.readDocument(request.caller, checkName(request.params.name ?? ''))
      if (bytes === undefined) throw new HoldfastError('not-found', 'There is no such document.')
      return bytes
    },
  },
  {
    method: 'PUT',
    path: '/v1/documents/:name{.+}',
    async run(request, { store }) {
      const name = checkAuthor(checkName(request.params.name ?? ''), request.caller)
      const bytes = checkMember(name, await request.bytes(MAX_DOCUMENT_BYTES), request.caller)
      await store.writeDocument(request.caller, name, bytes)
      return undefined
    },
  },
]
