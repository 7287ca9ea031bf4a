import { randomFillSync } from 'node:crypto'
import type { Entropy } from '../../kernel/ports/ports.ts'

/** Asking the system takes longer than all that an id is made of otherwise, so it is asked for many at once. */
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
