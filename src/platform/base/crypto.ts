import { randomFillSync, hash } from 'node:crypto'
import type { Entropy } from '../../kernel/ports/ports.ts'

/** In lower-case hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content)
}

/** Requesting random bytes takes longer than the rest of making an id, so they are requested in bulk. */
const POOL_BYTES = 4_096

function createEntropy(): Entropy {
  const pool = new Uint8Array(POOL_BYTES)
  let used = POOL_BYTES
  return {
    bytes(count) {
      if (count > POOL_BYTES) return randomFillSync(new Uint8Array(count))
      if (used + count > POOL_BYTES) {
        randomFillSync(pool)
        used = 0
      }
      used += count
      return pool.slice(used - count, used)
    },
  }
}

export const systemEntropy: Entropy = createEntropy()
