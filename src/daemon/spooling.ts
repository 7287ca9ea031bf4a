import { createSpool } from '../client/spool.ts'
import type { SpoolEntry } from '../client/spool-entry.ts'
import { messageOf } from '../core/errors.ts'
import type { Clock, Log, Redactor } from '../core/ports.ts'
import { redactDeep } from '../core/redaction/redact-deep.ts'
import { getConnector } from '../harness/registry.ts'
import type { Home } from '../platform/home.ts'
import type { Backend } from './backend.ts'
import { createSpoolDrain, type SpoolDrain } from './spool-drain.ts'

export interface Spooling {
  readonly drain: SpoolDrain
  /** Keeps a hook call for later, redacted. False when the disk or the spool's limit refuses. */
  park(entry: SpoolEntry): boolean
}

interface SpoolingDeps {
  readonly home: Home
  readonly backend: Backend
  readonly redactor: Redactor
  readonly clock: Clock
  readonly log: Log
}

export function createSpooling({ home, backend, redactor, clock, log }: SpoolingDeps): Spooling {
  const spool = createSpool({ home, log })
  const { engine: continuity, store } = backend
  return {
    drain: createSpoolDrain({ spool, spoolDir: home.spoolDir, continuity, store, getConnector, clock, log }),
    park(entry) {
      try {
        return spool.put({ ...entry, payload: redactDeep(entry.payload, redactor) })
      } catch (error) {
        log.error('hook call not spooled', { harness: entry.harness, hook: entry.hook, error: messageOf(error) })
        return false
      }
    },
  }
}
