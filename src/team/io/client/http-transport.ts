import { setTimeout } from 'node:timers/promises'
import * as z from 'zod'
import { HoldfastError } from '../../../kernel/errors.ts'
import type { SyncTransport } from '../../../kernel/ports/sync-transport.ts'
import { sha256 } from '../../../platform/base/crypto.ts'
import { parse } from '../../../platform/base/parse.ts'
import type { Home } from '../../../platform/base/home.ts'
import { decodeBatches, encodeBatches } from '../../batch-frame.ts'
import { readMembership } from './membership-file.ts'
import { mayDo } from '../../team-role.ts'
import {
  callTeam,
  createTeamClient,
  isLostConnection,
  type TeamAddress,
  type TeamRequestOptions,
} from './team-client.ts'

const Logs = z.object({
  logs: z.array(z.object({ repository: z.string(), machine: z.string(), head: z.int().min(0) })),
})
const Names = z.object({ names: z.array(z.string()), digests: z.array(z.string()).optional() })

function parseJson<Schema extends z.ZodType>(schema: Schema, bytes: Uint8Array): z.output<Schema> {
  return parse(schema, JSON.parse(new TextDecoder().decode(bytes)))
}

/** The characters of a document's name, except the slashes between its parts. */
function encodeName(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/')
}

export interface TeamTransportOptions extends TeamAddress {
  /** Lists the logs of these repositories only: what a large team needs. Absent: of all. */
  readonly repositories?: () => Promise<readonly string[]>
  /** What was read before; it outlives this transport. */
  readonly documents?: DocumentCache
}

/** Documents by name: of the hundreds in a large team, an exchange reads those that have changed. */
export type DocumentCache = Map<string, { readonly digest: string; readonly bytes: Uint8Array }>

const REPOSITORIES_AT_ONCE = 100
const ATTEMPTS = 4
const RATE_PAUSE_MS = 1_000

/**
 * Repeats a request that the server had no time for, and one whose connection broke: a server closes idle connections
 * at any moment. Every request here may be repeated, because a known batch is a no-op.
 */
async function callPatiently(address: TeamAddress, path: string, options?: TeamRequestOptions): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await callTeam(address, path, options)
    } catch (thrown) {
      const isLimited = thrown instanceof HoldfastError && thrown.code === 'rate-limited'
      const mayRepeat = isLimited || (isLostConnection(thrown) && attempt === 1)
      if (!mayRepeat || attempt === ATTEMPTS) throw thrown
      if (isLimited) await setTimeout(RATE_PAUSE_MS * attempt)
    }
  }
}

/** Exchanges logs with a team server. Every call is one request; nothing is stored here. */
export function createTeamTransport(options: TeamTransportOptions): SyncTransport {
  const { repositories, documents = new Map(), ...address } = options
  const listed = new Map<string, string>()

  async function listSome(some: readonly string[] | undefined) {
    const query = some === undefined ? '' : `?${some.map((key) => `repository=${encodeURIComponent(key)}`).join('&')}`
    return parseJson(Logs, await callPatiently(address, `/v1/logs${query}`)).logs
  }

  return {
    async listLogs() {
      const wanted = await repositories?.()
      if (wanted === undefined) return listSome(undefined)
      const logs: z.output<typeof Logs>['logs'] = []
      for (let from = 0; from < wanted.length; from += REPOSITORIES_AT_ONCE)
        logs.push(...(await listSome(wanted.slice(from, from + REPOSITORIES_AT_ONCE))))
      return logs
    },
    async readBatches({ repository, machine, after, maxBytes }) {
      const path = `/v1/logs/${encodeURIComponent(repository)}/${encodeURIComponent(machine)}`
      return decodeBatches(await callPatiently(address, `${path}?after=${after}&maxBytes=${maxBytes}`))
    },
    async appendBatch(batch) {
      await callPatiently(address, '/v1/batches', { method: 'POST', bytes: encodeBatches([batch]) })
    },
    async listDocuments(prefix) {
      const answer = await callPatiently(address, `/v1/documents?prefix=${encodeURIComponent(prefix)}`)
      const { names, digests = [] } = parseJson(Names, answer)
      for (const [at, name] of names.entries()) listed.set(name, digests[at] ?? '')
      const known = new Set(names)
      for (const name of documents.keys()) if (name.startsWith(prefix) && !known.has(name)) documents.delete(name)
      return names
    },
    async readDocument(name) {
      const digest = listed.get(name) ?? ''
      const before = documents.get(name)
      if (digest !== '' && before?.digest === digest) return before.bytes
      try {
        const bytes = await callPatiently(address, `/v1/documents/${encodeName(name)}`)
        if (digest === sha256(bytes)) documents.set(name, { digest, bytes })
        return bytes
      } catch (thrown) {
        if (thrown instanceof HoldfastError && thrown.code === 'not-found') return undefined
        throw thrown
      }
    },
    async writeDocument(name, bytes) {
      await callPatiently(address, `/v1/documents/${encodeName(name)}`, { method: 'PUT', bytes })
      listed.delete(name)
    },
    async [Symbol.asyncDispose]() {},
  }
}

/** The transport of the team that this home has joined; undefined when it has not. */
export function openTeamTransport(
  home: Pick<Home, 'root'>,
  options: Pick<TeamTransportOptions, 'repositories' | 'documents'> = {},
): SyncTransport | undefined {
  const membership = readMembership(home)
  return membership === undefined
    ? undefined
    : createTeamTransport({ server: membership.server, key: membership.key, ...options })
}

/** The team as a space: what this machine may do there is asked at each exchange, because an admin may change it. */
export function openTeamSpace(home: Pick<Home, 'root'>, documents: DocumentCache) {
  const membership = readMembership(home)
  const transport = openTeamTransport(home, { documents })
  if (membership === undefined || transport === undefined)
    throw new HoldfastError('not-found', 'This machine has not joined a team.', {
      hint: 'Run `holdfast team join <link>` with a link of `holdfast team invite`.',
    })
  const { server, key } = membership
  return {
    ...transport,
    mayShare: async () => mayDo((await createTeamClient({ server, key }).readStanding()).role, 'share'),
    // `holdfast team leave` does it, on the server.
    forgetMachine: async () => 0,
  }
}
