import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { z } from 'zod'
import { ensurePrivateDir, writeFileAtomic } from '../platform/atomic-file.ts'
import { VERSION } from '../platform/version.ts'
import { isWorthReading } from './discover.ts'
import type { IndexBody } from './project-index.ts'
import { FRESH_MS, type Survey } from './scan.ts'

const OutcomeSchema = z.object({
  fingerprint: z.string(),
  body: z.object({
    head: z.string().optional(),
    branch: z.string().optional(),
    files: z.number(),
    symbols: z.number(),
    skipped: z.number(),
    map: z.string(),
    fileLines: z.string(),
  }),
})

/** Of everything that the index is made from. Undefined while a file is so fresh that its time proves nothing. */
export function fingerprintOf({ files, git, skipped, atMs }: Survey, maxChars: number): string | undefined {
  if (files.some(({ modifiedMs }) => modifiedMs >= atMs - FRESH_MS)) return undefined
  // Not every dirty path: the pair itself is one as soon as it is written.
  const dirty = git?.dirty?.paths.filter(isWorthReading) ?? []
  const made = [VERSION, maxChars, git?.head ?? null, git?.branch ?? null, dirty, skipped]
  const hash = createHash('sha256').update(JSON.stringify(made))
  for (const { path, sizeBytes, modifiedMs } of files) hash.update(`${path}\0${sizeBytes}\0${modifiedMs}\0`)
  return hash.digest('hex')
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
