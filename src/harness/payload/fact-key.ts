import { createHash } from 'node:crypto'
import { createRedactor } from '../../redaction/redactor.ts'

const redactor = createRedactor()

/**
 * A word that stands for these texts: the key of a fact for which the harness itself has no id, or none that is its own.
 * Without their secrets, which the spool keeps from a replayed hook: it must arrive at the same key.
 */
export function factKey(...texts: readonly string[]): string {
  return createHash('sha256')
    .update(redactor.redact(JSON.stringify(texts)))
    .digest('base64url')
    .slice(0, 22)
}
