import { redactParsed } from '../../platform/redact-payload.ts'
import { createSpool } from '../../spool/spool.ts'
import type { SpoolEntry } from '../../spool/spool-entry.ts'
import type { ContinuityEngine } from '../../app/create-continuity.ts'
import { messageOf } from '../../kernel/errors.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'
import { connectorsAt } from '../../harness/registry.ts'
import { isDiskFull } from '../../platform/base/errno.ts'
import type { Home } from '../../platform/base/home.ts'
import { recordLostHook, sessionIn } from '../../platform/lost-hooks.ts'
import { createFullDisk, type FullDisk } from './full-disk.ts'
import type { Sightings } from './sightings.ts'
import { createSpoolDrain, type SpoolDrain } from './spool-drain.ts'

export interface Spooling {
  readonly drain: SpoolDrain
  readonly fullDisk: FullDisk
  /** Keeps a hook call for later, without secrets, the project's own included. False when the disk or the spool's limit refuses. */
  park(entry: SpoolEntry): Promise<boolean>
}

interface SpoolingDeps {
  readonly home: Home
  readonly continuity: Pick<ContinuityEngine, 'record' | 'readTranscript'>
  readonly sightings: Pick<Sightings, 'note'>
  readonly clock: Clock
  readonly log: Log
}

export function createSpooling(deps: SpoolingDeps): Spooling {
  const { home, clock, log } = deps
  const spool = createSpool({ home, log })

  function countLost({ at, harness, hook, payload }: SpoolEntry): void {
    const session = sessionIn(payload)
    try {
      recordLostHook(home, { at, harness, hook, ...(session !== undefined && { session }) })
    } catch (error) {
      log.error('lost event not counted', { harness, hook, error: messageOf(error) })
    }
  }

  return {
    fullDisk: createFullDisk(home, log),
    drain: createSpoolDrain({ ...deps, spool, spoolDir: home.spoolDir, getConnector: connectorsAt(home) }),
    async park(entry) {
      try {
        return spool.put({ ...entry, payload: await redactParsed(entry.payload, clock) })
      } catch (error) {
        log.error('hook call not spooled', { harness: entry.harness, hook: entry.hook, error: messageOf(error) })
        if (isDiskFull(error)) countLost(entry)
        return false
      }
    },
  }
}
