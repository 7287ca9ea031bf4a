import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Spool } from '../../spool/spool.ts'
import type { SpoolEntry } from '../../spool/spool-entry.ts'
import type { ContinuityEngine } from '../../app/create-continuity.ts'
import { messageOf } from '../../kernel/errors.ts'
import { EventId } from '../../kernel/id.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'
import type { Connector } from '../../harness/contract/connector.ts'
import type { Sightings } from './sightings.ts'

const SLICE = { maxFiles: 500, maxMs: 1_000 }
/** A folder's time stamp moves in steps of a few milliseconds: one this young may hide a later file. */
const MTIME_STEP_MS = 50

export interface SpoolDrain {
  /** Resolves when nothing that was spooled before now waits any more, or can be taken at present. */
  settled(): Promise<void>
  /** As last counted. */
  readonly backlog: number
}

interface SpoolDrainDeps {
  readonly spool: Pick<Spool, 'drain' | 'backlog'>
  readonly spoolDir: string
  readonly continuity: Pick<ContinuityEngine, 'record' | 'readTranscript'>
  readonly sightings: Pick<Sightings, 'note'>
  readonly getConnector: (id: string) => Connector
  readonly clock: Clock
  readonly log: Log
}

/** Replays what hooks left while the daemon was away, in slices between which other requests get their turn. */
export function createSpoolDrain(deps: SpoolDrainDeps): SpoolDrain {
  let running: Promise<void> | undefined
  let emptyAtMtimeMs: number | undefined
  let backlog = 0

  function changedAtMs(): number | undefined {
    return statSync(deps.spoolDir, { throwIfNoEntry: false })?.mtimeMs
  }

  function isKnownEmpty(): boolean {
    const changed = changedAtMs()
    return changed === undefined || changed === emptyAtMtimeMs
  }

  async function replay(entry: SpoolEntry): Promise<void> {
    const { id, at, harness, hook, payload, pid, pidStartedAt, harnessVersion } = entry
    const receipt = { id: EventId(id), at, door: 'spool' as const, pid, pidStartedAt, harnessVersion }
    const connector = deps.getConnector(harness)
    const event = connector.readEvent(hook, payload, receipt)
    if (event !== undefined && connector.isToldBetterByTranscript?.(hook, payload) === true)
      await deps.continuity.readTranscript(event)
    if (event !== undefined) await deps.continuity.record(event)
    const version = event?.harnessVersion ?? harnessVersion ?? 'unknown'
    deps.sightings.note({ harness, harnessVersion: version, hook, at })
  }

  function noteEmpty(): boolean {
    const changed = changedAtMs()
    backlog = deps.spool.backlog()
    if (backlog > 0) return false
    const isSettled = changed !== undefined && Date.parse(deps.clock.now()) - changed > MTIME_STEP_MS
    emptyAtMtimeMs = isSettled ? changed : undefined
    return true
  }

  async function drainAll(): Promise<void> {
    while (!noteEmpty()) {
      const report = await deps.spool.drain(replay, SLICE)
      backlog = report.left
      if (report.replayed + report.dead > 0) deps.log.info('spool replayed', { ...report })
      if (report.replayed + report.dead === 0) return
      await setImmediate()
    }
  }

  return {
    get backlog() {
      return backlog
    },
    settled() {
      if (running !== undefined) return running
      if (isKnownEmpty()) return Promise.resolve()
      running = drainAll()
        .catch((error: unknown) => deps.log.error('spool not replayed', { error: messageOf(error) }))
        .finally(() => {
          running = undefined
        })
      return running
    },
  }
}
