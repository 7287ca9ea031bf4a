import type { MemoryId, SessionId } from '../../kernel/id.ts'
import type { Origin } from '../../kernel/location.ts'
import type { KnownMachine, Tombstone } from '../../kernel/ports/record-store.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { digestErased, findTombstoneSigner } from '../../kernel/ports/tombstone.ts'

const MAX_LISTED = 100_000

export interface SkippedErasures {
  /** Of machines that were not known: applied with `acceptErasures`. */
  readonly unknown: number
  /** Not signed by the machine that they name: never applied. */
  readonly invalid: number
  /** The machines that the unknown ones name. */
  readonly machines: readonly string[]
  /** What the unknown ones would erase here. */
  readonly sessions: number
  readonly memories: number
  readonly rules: number
}

interface ErasedHere {
  readonly sessionIds: readonly SessionId[]
  readonly memoryIds: readonly MemoryId[]
  readonly ruleIds: readonly string[]
}

interface ReceivedErasures {
  /** Applies the tombstone, or notes why not. */
  add(tombstone: Tombstone): Promise<void>
  count(outcome: 'stored' | 'known'): number
  /** Undefined if none was. */
  readonly skipped: SkippedErasures | undefined
}

/** The tombstones of one request. `machines`: those that were known before it. */
export function createReceivedErasures(
  ports: ContinuityPorts,
  machines: readonly KnownMachine[],
  isAccepted: boolean,
): ReceivedErasures {
  const { store, sha256, person } = ports
  const counts = { stored: 0, known: 0, unknown: 0, invalid: 0 }
  const skipped = { machines: new Set<string>(), sessions: new Set(), memories: new Set(), rules: new Set() }

  /** What the author of the tombstone wrote, on whichever machine, and nothing of others. */
  async function listErasedHere(tombstone: Tombstone): Promise<ErasedHere> {
    const digests = new Set(tombstone.digests)
    const isErased = (kind: string, { id, origin }: { readonly id: string; readonly origin?: Origin }) =>
      (origin?.principal ?? person.id) === tombstone.principal && digests.has(digestErased(kind, id, sha256))
    const sessions = await store.listSessions({ limit: MAX_LISTED })
    const memories = await store.listMemories({ includeSuperseded: true, limit: MAX_LISTED })
    const drafts = (await store.listDrafts({})).map(({ memory }) => memory)
    const rules = await Promise.all((await store.listProjectIds()).map((projectId) => store.listRules({ projectId })))
    const erasedRules = rules.flat().filter((rule) => isErased('rule', rule))
    return {
      sessionIds: sessions.filter((session) => isErased('session', session)).map(({ id }) => id),
      memoryIds: [...memories, ...drafts].filter((memory) => isErased('memory', memory)).map(({ id }) => id),
      ruleIds: [...new Set(erasedRules.map(({ id }) => id))],
    }
  }

  return {
    async add(tombstone) {
      if ((await store.listTombstones()).some(({ id }) => id === tombstone.id)) {
        counts.known += 1
        return
      }
      const signer = await findTombstoneSigner(ports, machines, tombstone)
      if (signer === 'invalid') {
        counts.invalid += 1
        return
      }
      const erased = await listErasedHere(tombstone)
      if (signer === 'known' || isAccepted) {
        await store.erase({ ...erased, tombstone })
        counts.stored += 1
        return
      }
      counts.unknown += 1
      skipped.machines.add(tombstone.machine)
      for (const id of erased.sessionIds) skipped.sessions.add(id)
      for (const id of erased.memoryIds) skipped.memories.add(id)
      for (const id of erased.ruleIds) skipped.rules.add(id)
    },
    count: (outcome) => counts[outcome],
    get skipped() {
      const { unknown, invalid } = counts
      if (unknown + invalid === 0) return undefined
      return {
        unknown,
        invalid,
        machines: [...skipped.machines],
        sessions: skipped.sessions.size,
        memories: skipped.memories.size,
        rules: skipped.rules.size,
      }
    },
  }
}
