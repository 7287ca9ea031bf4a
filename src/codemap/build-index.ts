import { fingerprintOf, outcomeFile, readOutcome, writeOutcome } from './index-outcome.ts'
import { composeBody, composeIndex, type IndexBody, type ProjectIndex } from './project-index.ts'
import { rankFiles } from './rank/rank.ts'
import { scanProject, type ScanRequest } from './scan.ts'
import { surveyProject } from './survey.ts'

export interface IndexRequest extends ScanRequest {
  readonly maxChars: number
}

export interface BuiltIndex extends ProjectIndex {
  /** What it is made of, apart from when. */
  readonly body: IndexBody
  /** Files that were read and parsed; the others were known. */
  readonly parsed: number
  /** Too large, or past the limit. */
  readonly skipped: number
}

async function bodyOf(request: IndexRequest): Promise<{ readonly body: IndexBody; readonly parsed: number }> {
  const { root, cacheDir, maxChars } = request
  const survey = await surveyProject(request)
  const fingerprint = fingerprintOf(survey, maxChars)
  const path = outcomeFile(cacheDir, root)
  const known = fingerprint === undefined || request.isFull === true ? undefined : readOutcome(path, fingerprint)
  if (known !== undefined) return { body: known, parsed: 0 }
  const scan = await scanProject(survey, request)
  const { head, branch } = survey
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

/** The index of a project as it is now. Writes nothing but the caches. */
export async function buildIndex(request: IndexRequest): Promise<BuiltIndex> {
  const { body, parsed } = await bodyOf(request)
  return { ...composeIndex(body, request.clock.now()), body, parsed, skipped: body.skipped }
}
