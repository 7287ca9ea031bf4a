import { composeBody, composeIndex, type IndexBody, type ProjectIndex } from './project-index.ts'
import { rankFiles } from './rank/rank.ts'
import { scanProject, type ScanRequest } from './scan.ts'
import { listProjectFiles, type ProjectFiles } from './project-files.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import * as z from 'zod'
import { ensurePrivateDir, writeFileAtomic } from '../platform/files/atomic-file.ts'
import { VERSION } from '../platform/base/version.ts'
import { FORMAT } from './cache.ts'
import { sha256 } from '../platform/base/crypto.ts'

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

/** A hash of everything that the index is made from; undefined when it cannot be determined. */
function computeFingerprint({ identity, head, branch, dirty }: ProjectFiles, maxChars: number): string | undefined {
  if (identity === undefined) return undefined
  const made = [VERSION, FORMAT, maxChars, head ?? null, branch ?? null, dirty, identity]
  return sha256(JSON.stringify(made))
}

function outcomeFile(folder: string, root: string): string {
  return join(folder, `${sha256(root).slice(0, 32)}.index`)
}

/** The last result, if none of its inputs changed. */
function readOutcome(path: string, fingerprint: string): IndexBody | undefined {
  try {
    const { data } = OutcomeSchema.safeParse(deserialize(readFileSync(path)))
    return data?.fingerprint === fingerprint ? data.body : undefined
  } catch {
    // Missing, damaged, or written by another version of V8: it is rebuilt.
    return undefined
  }
}

function writeOutcome(path: string, folder: string, outcome: z.infer<typeof OutcomeSchema>): void {
  ensurePrivateDir(folder)
  writeFileAtomic(path, serialize(outcome))
}

export interface IndexRequest extends ScanRequest {
  readonly maxChars: number
}

export interface BuiltIndex extends ProjectIndex {
  /** Its content without the timestamp. */
  readonly body: IndexBody
  /** Number of files that were read and parsed; the others were cached. */
  readonly parsed: number
  /** Number of files that are too large or over the limit. */
  readonly skipped: number
}

async function buildBody(request: IndexRequest): Promise<{ readonly body: IndexBody; readonly parsed: number }> {
  const { root, cacheDir, maxChars } = request
  const files = await listProjectFiles(request)
  const fingerprint = computeFingerprint(files, maxChars)
  const path = outcomeFile(cacheDir, root)
  const known = fingerprint === undefined || request.isFull === true ? undefined : readOutcome(path, fingerprint)
  if (known !== undefined) return { body: known, parsed: 0 }
  const scan = await scanProject(files, request)
  const { head, branch } = files
  const body = composeBody({
    ranked: rankFiles(scan),
    symbols: scan.files.reduce((sum, { definitions }) => sum + definitions.length, 0),
    skipped: scan.skipped,
    ...(head !== undefined && { head }),
    ...(branch !== undefined && { branch }),
    maxChars,
  })
  if (fingerprint !== undefined) writeOutcome(path, cacheDir, { fingerprint, body })
  return { body, parsed: scan.parsed }
}

/** The index of a project as it is now. Writes only the caches. */
export async function buildIndex(request: IndexRequest): Promise<BuiltIndex> {
  const { body, parsed } = await buildBody(request)
  return { ...composeIndex(body, request.clock.now()), body, parsed, skipped: body.skipped }
}
