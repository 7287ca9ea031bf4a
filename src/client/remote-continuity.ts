import type { AgentApi } from '../app/agent-api.ts'
import type { Continuity } from '../app/continuity.ts'
import type { RecordResult } from '../capture/use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { SessionEvent } from '../kernel/event.ts'
import type { Home } from '../platform/base/home.ts'
import type { SyncUseCases } from '../sync/use-cases.ts'
import { ensureDaemon } from './daemon-process.ts'
import { toInput, toResult, type Route, type UseCases } from '../api/route.ts'
import { ROUTES } from '../api/route-table.ts'
import { type Call, type CallInput, createCall } from './remote-call.ts'

export interface RemoteOptions {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  /** The daemon's bundle, started when none is running. */
  readonly script: string
  /** For each call; default: 30 seconds. */
  readonly timeoutMs?: number
}

/** Below the daemon's limits of 500 events and 1 MB a request. */
const SLICE_EVENTS = 500
const SLICE_BYTES = 900_000

function sliceEvents(events: readonly SessionEvent[]): readonly (readonly SessionEvent[])[] {
  const slices: SessionEvent[][] = []
  let bytes = SLICE_BYTES
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event)) + 1
    if (bytes + size > SLICE_BYTES || (slices.at(-1)?.length ?? 0) >= SLICE_EVENTS) {
      slices.push([])
      bytes = 0
    }
    slices.at(-1)?.push(event)
    bytes += size
  }
  return slices
}

/** The methods of a group of use cases that have a route. */
type RoutedMethod<Group extends keyof UseCases> = {
  [Name in keyof typeof ROUTES]: (typeof ROUTES)[Name] extends { readonly useCase: `${Group}.${infer Method}` }
    ? Method
    : never
}[keyof typeof ROUTES]
type RemoteUseCases<Group extends keyof UseCases> = Pick<UseCases[Group], RoutedMethod<Group> & keyof UseCases[Group]>

function toCallInput(route: Route, args: readonly unknown[]): CallInput {
  const params: Record<string, string> = {}
  const others: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(toInput(route, args))) {
    if (route.path.includes(`:${name}`)) params[name] = String(value)
    else others[name] = value
  }
  return route.body === undefined ? { params, query: others } : { params, body: others }
}

/** Each use case of the group as one call of its route. */
function createRemoteUseCases<Group extends keyof UseCases>(group: Group, call: Call): RemoteUseCases<Group> {
  const methods: Record<string, unknown> = {}
  for (const route of Object.values<Route>(ROUTES)) {
    const [owner, method = ''] = route.useCase?.split('.') ?? []
    if (owner !== group || route.reply === undefined) continue
    const { reply } = route
    methods[method] = async (...args: readonly unknown[]) =>
      toResult(route, await call({ ...route, reply }, toCallInput(route, args)))
  }
  if (!isComplete(group, methods)) throw new Error('unreachable: every route of the group has a method')
  return methods
}

// The table's own check (`MismatchedRoutes`) holds arguments and results to those of the use case.
function isComplete<Group extends keyof UseCases>(group: Group, methods: object): methods is RemoteUseCases<Group> {
  return Object.values<Route>(ROUTES).every(
    ({ useCase }) => useCase?.startsWith(`${group}.`) !== true || useCase.slice(group.length + 1) in methods,
  )
}

function createDaemonCall({ home, env, script, timeoutMs = 30_000 }: RemoteOptions): Call {
  return createCall({ home, ensure: () => ensureDaemon({ home, env, script }), timeoutMs })
}

/** The use cases over the daemon's socket. */
export function createRemoteContinuity(options: RemoteOptions): Continuity {
  const call = createDaemonCall(options)
  const remote = createRemoteUseCases('continuity', call)

  async function recordAll(events: readonly SessionEvent[]): Promise<readonly RecordResult[]> {
    const results: RecordResult[] = []
    for (const slice of sliceEvents(events)) results.push(...(await remote.recordAll(slice)))
    return results
  }

  return {
    ...remote,
    async listCheckpoints(query) {
      const { checkpoints } = await call(ROUTES.listCheckpoints, { query: { ...query } })
      return checkpoints.map(({ checkpoint, seq, hash }) => ({ checkpoint, seq, hash }))
    },
    recordAll,
    async record(event) {
      const [result] = await recordAll([event])
      if (result === undefined)
        throw new HoldfastError('internal', 'The daemon stored the event without returning its position.')
      return result
    },
  }
}

/** Exchanges with other machines over the daemon's socket. */
export function createRemoteSync(options: RemoteOptions): SyncUseCases {
  return createRemoteUseCases('sync', createDaemonCall(options))
}

/** The use cases of an agent over the daemon's socket. */
export function createRemoteAgentApi(options: RemoteOptions): AgentApi {
  return createRemoteUseCases('agent', createDaemonCall(options))
}
