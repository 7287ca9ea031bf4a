import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { z } from 'zod'
import { ensurePrivateDir, writeFileAtomic } from '../platform/files/atomic-file.ts'
import { VERSION } from '../platform/base/version.ts'
import { FORMAT } from './cache.ts'
import type { IndexBody } from './project-index.ts'
import type { Survey } from './survey.ts'

const OutcomeSchema = z.object({
  fingerprint: z.string(),
  body: z.object({
    head: z.string().optional(),
    branch: z.string().optional(),
    files: z.number(),
    symbols: z.number(),
    skipped: z.number(),
    maxChars: z.number(),
    map: z.string(),
    fileLines: z.string(),
  }),
})

/** Of everything that the index is made from; undefined when that cannot be told by looking. */
export function fingerprintOf({ identity, head, branch, dirty }: Survey, maxChars: number): string | undefined {
  if (identity === undefined) return undefined
  const made = [VERSION, FORMAT, maxChars, head ?? null, branch ?? null, dirty, identity]
  return createHash('sha256').update(JSON.stringify(made)).digest('hex')
}

export function outcomeFile(folder: string, root: string): string {
  return join(folder, `${createHash('sha256').update(root).digest('hex').slice(0, 32)}.index`)
}

/** What came out last time, when nothing that it was made from has changed. */
export function readOutcome(path: string, fingerprint: string): IndexBody | undefined {
  try {
    const { data } = OutcomeSchema.safeParse(deserialize(readFileSync(path)))
    return data?.fingerprint === fingerprint ? data.body : undefined
  } catch {
    // Missing, damaged, or of another version of V8: it is made again.
    return undefined
  }
}

export function writeOutcome(path: string, folder: string, outcome: z.infer<typeof OutcomeSchema>): void {
  ensurePrivateDir(folder)
  writeFileAtomic(path, serialize(outcome))
}
