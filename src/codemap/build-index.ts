import type { Clock } from '../core/ports.ts'
import { composeIndex, composeMarkdown, type ProjectIndex } from './project-index.ts'
import { rankFiles } from './rank.ts'
import { type Scan, scanProject, type ScanRequest } from './scan.ts'
import { writePair } from './write-pair.ts'

export interface IndexRequest extends ScanRequest {
  readonly clock: Pick<Clock, 'now'>
  readonly maxChars: number
}

export interface Indexed {
  readonly index: ProjectIndex
  readonly scan: Scan
}

async function scanAndRank(request: IndexRequest) {
  const scan = await scanProject(request)
  return { scan, ranked: rankFiles(scan), generated: request.clock.now(), maxChars: request.maxChars }
}

/** The map as text; nothing is written into the project. */
export async function printIndex(request: IndexRequest): Promise<string> {
  return composeMarkdown(await scanAndRank(request))
}

/** Writes the pair into the project's folder. */
export async function buildIndex(request: IndexRequest): Promise<Indexed> {
  const composed = await scanAndRank(request)
  const index = composeIndex(composed)
  writePair(request.root, index)
  return { index, scan: composed.scan }
}
