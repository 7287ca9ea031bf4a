import { redactParsed } from '../../platform/redactors.ts'
import { createSpool, type Spool } from '../../spool/spool.ts'
import type { SpoolEntry } from '../../spool/spool-entry.ts'
import type { ContinuityApp } from '../../app/create-continuity.ts'
import { getErrorMessage } from '../../kernel/errors.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'
import { createConnectorLookup } from '../../harness/registry.ts'
import { isDiskFull } from '../../platform/base/errno.ts'
import type { Home } from '../../platform/base/home.ts'
import { recordLostHook, findSessionKey } from '../../platform/lost-hooks.ts'
import { createFullDisk, type FullDisk } from './full-disk.ts'
import type { HookSightings } from './hook-sightings.ts'
import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { EventId } from '../../kernel/id.ts'
import type { Connector } from '../../harness/contract/connector.ts'

const SLICE = { maxFiles: 500, maxMs: 1_000 }
/** A folder's timestamp has a resolution of a few milliseconds: a more recent one may hide a later file. */
const MTIME_STEP_MS = 50

export interface SpoolDrain {
  /** Resolves when everything spooled before now was replayed, or cannot be replayed at present. */
  settled(): Promise<void>
  /** As last counted. */
  readonly backlog: number
}

interface SpoolDrainPorts {
  readonly spool: Pick<Spool, 'drain' | 'backlog'>
  readonly spoolDir: string
  readonly continuity: Pick<ContinuityApp, 'record' | 'readTranscript'>
  readonly sightings: Pick<HookSightings, 'note'>
  readonly getConnector: (id: string) => Connector
  readonly clock: Clock
  readonly log: Log
}

/** Replays the calls that hooks spooled while no daemon ran, in slices, so that other requests are served in between. */
export function createSpoolDrain(ports: SpoolDrainPorts): SpoolDrain {
  let running: Promise<void> | undefined
  let emptyAtMtimeMs: number | undefined
  let backlog = 0

  function changedAtMs(): number | undefined {
    return statSync(ports.spoolDir, { throwIfNoEntry: false })?.mtimeMs
  }

  function isKnownEmpty(): boolean {
    const changed = changedAtMs()
    return changed === undefined || changed === emptyAtMtimeMs
  }

  async function replay(entry: SpoolEntry): Promise<void> {
    const { id, at, harness, hook, payload, pid, pidStartedAt, harnessVersion } = entry
    const arrival = { id: EventId(id), at, door: 'spool' as const, pid, pidStartedAt, harnessVersion }
    const connector = ports.getConnector(harness)
    const event = connector.readEvent(hook, payload, arrival)
    if (event !== undefined && connector.isTranscriptMoreComplete?.(hook, payload) === true)
      await ports.continuity.readTranscript(event)
    if (event !== undefined) await ports.continuity.record(event)
    const version = event?.harnessVersion ?? harnessVersion ?? 'unknown'
    ports.sightings.note({ harness, harnessVersion: version, hook, at })
  }

  function noteEmpty(): boolean {
    const changed = changedAtMs()
    backlog = ports.spool.backlog()
    if (backlog > 0) return false
    const isSettled = changed !== undefined && Date.parse(ports.clock.now()) - changed > MTIME_STEP_MS
    emptyAtMtimeMs = isSettled ? changed : undefined
    return true
  }

  async function drainAll(): Promise<void> {
    while (!noteEmpty()) {
      const report = await ports.spool.drain(replay, SLICE)
      backlog = report.left
      if (report.replayed + report.dead > 0) ports.log.info('spool replayed', { ...report })
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
        .catch((error: unknown) => ports.log.error('spool not replayed', { error: getErrorMessage(error) }))
        .finally(() => {
          running = undefined
        })
      return running
    },
  }
}

export interface DaemonSpool {
  readonly drain: SpoolDrain
  readonly fullDisk: FullDisk
  /** Spools a hook call, redacted with the project's secrets too. False when the disk or the limit of the spool refuses. */
  park(entry: SpoolEntry): Promise<boolean>
}

interface DaemonSpoolPorts {
  readonly home: Home
  readonly continuity: Pick<ContinuityApp, 'record' | 'readTranscript'>
  readonly sightings: Pick<HookSightings, 'note'>
  readonly clock: Clock
  readonly log: Log
}

export function createDaemonSpool(ports: DaemonSpoolPorts): DaemonSpool {
  const { home, clock, log } = ports
  const spool = createSpool({ home, log })

  function countLost({ at, harness, hook, payload }: SpoolEntry): void {
    const session = findSessionKey(payload)
    try {
      recordLostHook(home, { at, harness, hook, ...(session !== undefined && { session }) })
    } catch (error) {
      log.error('lost event not counted', { harness, hook, error: getErrorMessage(error) })
    }
  }

  return {
    fullDisk: createFullDisk(home, log),
    drain: createSpoolDrain({ ...ports, spool, spoolDir: home.spoolDir, getConnector: createConnectorLookup(home) }),
    async park(entry) {
      try {
        const payload = await redactParsed(entry.payload, clock, home)
        return payload === undefined || spool.put({ ...entry, payload })
      } catch (error) {
        log.error('hook call not spooled', { harness: entry.harness, hook: entry.hook, error: getErrorMessage(error) })
        if (isDiskFull(error)) countLost(entry)
        return false
      }
    },
  }
}
