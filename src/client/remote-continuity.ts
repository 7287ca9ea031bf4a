import type { Continuity } from '../app/continuity.ts'
import type { Recorded } from '../capture/use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { SessionEvent } from '../kernel/event.ts'
import type { Home } from '../platform/base/home.ts'
import { ROUTES } from '../api/route-table.ts'
import { ensureDaemon } from './daemon-process.ts'
import { createCall } from './remote-call.ts'

export interface RemoteContinuityOptions {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  /** The daemon's bundle, started when nobody listens. */
  readonly script: string
  /** For each call; 30 seconds unless told. */
  readonly timeoutMs?: number
}

/** Below the daemon's limits of 500 events and 1 MB a request. */
const SLICE_EVENTS = 500
const SLICE_BYTES = 900_000

function slicesOf(events: readonly SessionEvent[]): readonly (readonly SessionEvent[])[] {
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

/** The use cases over the daemon's socket. */
export function createRemoteContinuity(options: RemoteContinuityOptions): Continuity {
  const { home, env, script } = options
  const call = createCall({
    home,
    ensure: () => ensureDaemon({ home, env, script }),
    timeoutMs: options.timeoutMs ?? 30_000,
  })

  async function recordAll(events: readonly SessionEvent[]): Promise<readonly Recorded[]> {
    const recorded: Recorded[] = []
    for (const slice of slicesOf(events)) {
      recorded.push(...(await call(ROUTES.recordEvents, { body: { events: slice } })).recorded)
    }
    return recorded
  }

  return {
    recordAll,
    async record(event) {
      const [recorded] = await recordAll([event])
      if (recorded === undefined)
        throw new HoldfastError('internal', 'The daemon kept the event and did not say where.')
      return recorded
    },
    inject: async (request) => (await call(ROUTES.inject, { body: request })).injection,
    async confirmInjection(injection) {
      await call(ROUTES.confirmInjection, { body: { injection } })
    },

    checkpoint: async (sessionId, trigger) =>
      (await call(ROUTES.checkpointNow, { body: { sessionId, trigger } })).checkpoint,
    async listCheckpoints(query) {
      const { checkpoints } = await call(ROUTES.listCheckpoints, { query: { ...query } })
      return checkpoints.map(({ checkpoint, seq, hash }) => ({ checkpoint, seq, hash }))
    },
    async deleteCheckpoint(id) {
      await call(ROUTES.deleteCheckpoint, { params: { id } })
    },
    previewRecovery: async (input) => (await call(ROUTES.previewRecovery, { query: { ...input } })).recovery,

    listSessions: async (input) => (await call(ROUTES.listSessions, { query: { ...input } })).sessions,
    getSession: async (sessionKey, harness) =>
      (await call(ROUTES.getSession, { params: { sessionKey }, query: { harness } })).session,
    explain: async (input) => (await call(ROUTES.explain, { query: { ...input } })).explanation,
    listEvents: async (query) => (await call(ROUTES.listEvents, { query: { ...query } })).events,

    stats: async (input) => (await call(ROUTES.stats, { query: { ...input } })).stats,
    sessionReceipts: async (sessionKey, harness) =>
      (await call(ROUTES.sessionReceipts, { params: { sessionKey }, query: { harness } })).receipts,
    ledger: async (input) => (await call(ROUTES.ledger, { query: { ...input } })).ledger,

    remember: async (input) => (await call(ROUTES.remember, { body: input })).memory,
    recall: async ({ text, ...rest }) => (await call(ROUTES.searchMemories, { query: { q: text, ...rest } })).hits,
    listMemories: async (input) => (await call(ROUTES.listMemories, { query: { ...input } })).memories,
    async forget(id, cwd) {
      await call(ROUTES.forget, { params: { id }, query: { cwd } })
    },

    importHistory: (batch) => call(ROUTES.importHistory, { body: batch }),
    receiveHandoff: async (handoff) => (await call(ROUTES.receiveHandoff, { body: handoff })).checkpoint,

    locate: async (cwd) => (await call(ROUTES.locate, { query: { cwd } })).place,
    sightings: async (harness) => (await call(ROUTES.sightings, { query: { harness } })).sightings,
    counts: async () => (await call(ROUTES.counts)).counts,
  }
}
