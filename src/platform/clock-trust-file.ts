import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as z from 'zod'
import type { ClockTrust, ClockTrustRecord } from '../kernel/ports/runtime.ts'
import { ensurePrivateDir, writeFileAtomic } from './files/atomic-file.ts'
import type { Home } from './base/home.ts'

const Trust: z.ZodType<ClockTrust> = z.object({
  trustedAtMs: z.number().optional(),
  seenAtMs: z.number(),
  observedMs: z.number().nonnegative(),
  neededMs: z.number().positive(),
})

export function createClockTrustFile({
  clockTrustFile,
  root,
}: Pick<Home, 'clockTrustFile' | 'root'>): ClockTrustRecord {
  return {
    read() {
      try {
        return Trust.parse(JSON.parse(readFileSync(clockTrustFile, 'utf8')))
      } catch {
        // Missing or damaged: the clock is observed from the start again, and nothing is deleted meanwhile.
        return undefined
      }
    },
    write(trust) {
      const folder = dirname(clockTrustFile)
      // A home that was deleted or moved away under the daemon must not come back because of this file.
      if (!existsSync(folder) && existsSync(root)) ensurePrivateDir(folder, root)
      writeFileAtomic(clockTrustFile, `${JSON.stringify(trust)}\n`)
    },
  }
}
