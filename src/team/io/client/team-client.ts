import * as z from 'zod'
import { ERROR_CODES, HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'
import { getErrorCode } from '../../../platform/base/errno.ts'
import { isObject } from '../../../kernel/json-shape.ts'
import type {
  TeamAdmission,
  TeamDeparture,
  TeamMachine,
  TeamPerson,
  TeamRead,
  TeamStanding,
} from '../../team-records.ts'
import { TEAM_ROLES, type TeamRole } from '../../team-role.ts'

const CallerRoleReply = z.enum([...TEAM_ROLES, 'operator'])
const Standing = z.object({
  team: z.string(),
  teamName: z.string(),
  person: z.string(),
  machine: z.string(),
  role: CallerRoleReply,
  keyGeneration: z.number(),
  usedBytes: z.number(),
  quotaBytes: z.number(),
  serverVersion: z.string(),
})
const Admission = z.object({
  team: z.string(),
  teamName: z.string(),
  person: z.string(),
  machine: z.string(),
  role: z.enum(TEAM_ROLES),
  key: z.string(),
})
const People = z.object({
  people: z.array(z.object({ person: z.string(), name: z.string(), role: z.enum(TEAM_ROLES), joinedAt: z.string() })),
})
const Machines = z.object({
  machines: z.array(
    z.object({
      machine: z.string(),
      person: z.string(),
      name: z.string(),
      joinedAt: z.string(),
      leftAt: z.string().optional(),
      seenOn: z.string().optional(),
    }),
  ),
})
const Departure = z.object({
  person: z.string(),
  machines: z.number(),
  keys: z.number(),
  privateLogs: z.number(),
  privateBatches: z.number(),
  privateBytes: z.number(),
  sharedBatches: z.number(),
  keyGeneration: z.number(),
})
const Revoked = z.object({ machine: z.string(), keys: z.number(), keyGeneration: z.number() })
const Reads = z.object({
  reads: z.array(
    z.object({
      repository: z.string(),
      machine: z.string(),
      owner: z.string(),
      reader: z.string(),
      day: z.string(),
      times: z.number(),
      first: z.number(),
      last: z.number(),
    }),
  ),
})
const Code = z.object({ code: z.string() })

const TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 67_108_864

export interface TeamAddress {
  /** As `parseServerAddress` gives it. */
  readonly server: string
  /** Absent for joining. */
  readonly key?: string
  readonly timeoutMs?: number
}

export interface TeamRequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly json?: unknown
  readonly bytes?: Uint8Array
}

/** Sends one request. An answer that is an error becomes the same error here. */
export async function callTeam(
  address: TeamAddress,
  path: string,
  options: TeamRequestOptions = {},
): Promise<Uint8Array> {
  const { server, key, timeoutMs = TIMEOUT_MS } = address
  const { method = 'GET', json, bytes } = options
  const body = bytes === undefined ? (json === undefined ? undefined : JSON.stringify(json)) : Uint8Array.from(bytes)
  const type = bytes === undefined ? 'application/json' : 'application/octet-stream'
  let status: number
  let answer: Uint8Array
  try {
    const response = await fetch(`${server}${path}`, {
      method,
      // The key is sent to the server that it was made by, and to no other.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && { body }),
    })
    status = response.status
    answer = await readAnswer(response)
  } catch (thrown) {
    if (thrown instanceof HoldfastError) throw thrown
    throw explainAway(server, thrown)
  }
  if (status >= 200 && status < 300) return answer
  throw toTeamError(server, status, answer)
}

async function readAnswer(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of response.body ?? []) {
    total += chunk.length
    if (total > MAX_ANSWER_BYTES) throw new HoldfastError('too-large', 'The answer of the team server is too large.')
    chunks.push(chunk)
  }
  return Uint8Array.from(Buffer.concat(chunks))
}

const LOST: ReadonlySet<string | undefined> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** The connection was there and broke, so that a new one may succeed. */
export function isLostConnection(thrown: unknown): boolean {
  const failed = thrown instanceof HoldfastError ? thrown.cause : undefined
  return failed instanceof Error && LOST.has(getErrorCode(failed.cause))
}

/** `fetch` says "fetch failed"; what happened is in its cause. */
function explainAway(server: string, thrown: unknown): HoldfastError {
  const reason = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  return new HoldfastError(
    'store-unavailable',
    `The team server ${server} cannot be reached: ${getErrorMessage(reason)}.`,
    {
      hint: 'Everything is stored on this machine; the next exchange sends the waiting records. `holdfast team status` checks again.',
      cause: thrown,
    },
  )
}

function toTeamError(server: string, status: number, answer: Uint8Array): HoldfastError {
  let parsed: unknown
  try {
    parsed = JSON.parse(new TextDecoder().decode(answer))
  } catch {
    // A proxy's page.
    parsed = undefined
  }
  const error = isObject(parsed) && isObject(parsed.error) ? parsed.error : {}
  const code = ERROR_CODES.find((known) => known === error.code)
  if (code === undefined) {
    return new HoldfastError(
      'store-unavailable',
      `${server} answered with status ${status}, not as a team server does.`,
      {
        hint: 'Check the address, and the proxy before the server.',
      },
    )
  }
  const hint = typeof error.hint === 'string' ? error.hint : undefined
  const message = typeof error.message === 'string' ? error.message : `The team server refused (${status}).`
  return new HoldfastError(code, message, { ...(hint !== undefined && { hint }) })
}

export interface NewInvite {
  readonly role: TeamRole
  readonly expiresSeconds: number
  readonly isForOwnMachine: boolean
}

export interface TeamCandidate {
  readonly code: string
  readonly person: string
  readonly name: string
  readonly machine: string
  readonly machineName: string
}

/** What commands call; batches are in `http-transport.ts`. */
export interface TeamClient {
  join(candidate: TeamCandidate): Promise<TeamAdmission>
  readStanding(): Promise<TeamStanding>
  listPeople(): Promise<readonly TeamPerson[]>
  listMachines(): Promise<readonly TeamMachine[]>
  listReads(): Promise<readonly TeamRead[]>
  createInvite(invite: NewInvite): Promise<string>
  changeRole(person: string, role: TeamRole): Promise<void>
  removePerson(person: string): Promise<TeamDeparture>
  revokeMachine(machine: string): Promise<z.output<typeof Revoked>>
}

export function createTeamClient(address: TeamAddress): TeamClient {
  async function call<Schema extends z.ZodType>(
    schema: Schema,
    path: string,
    json?: unknown,
  ): Promise<z.output<Schema>> {
    const answer = await callTeam(address, path, json === undefined ? {} : { method: 'POST', json })
    const result = schema.safeParse(JSON.parse(new TextDecoder().decode(answer)))
    if (result.success) return result.data
    throw new HoldfastError('unsupported', `The answer of ${address.server} is not in a known format.`, {
      hint: 'The team server is probably of another version: compare `holdfast version` with `holdfast team status`.',
      cause: result.error,
    })
  }
  return {
    join: (candidate) => call(Admission, '/v1/join', candidate),
    readStanding: () => call(Standing, '/v1/standing'),
    listPeople: async () => (await call(People, '/v1/people')).people,
    listMachines: async () => (await call(Machines, '/v1/machines')).machines,
    listReads: async () => (await call(Reads, '/v1/reads')).reads,
    createInvite: async (invite) => (await call(Code, '/v1/invites', invite)).code,
    async changeRole(person, role) {
      await call(z.object({}), '/v1/people/role', { person, role })
    },
    removePerson: (person) => call(Departure, '/v1/people/remove', { person }),
    revokeMachine: (machine) => call(Revoked, '/v1/machines/revoke', { machine }),
  }
}
