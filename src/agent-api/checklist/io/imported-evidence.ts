import * as z from 'zod'
import { ITEM_STATUSES, type StoredItemRecord } from '../../../kernel/checklist.ts'
import type { ProjectId } from '../../../kernel/id.ts'
import type { Home } from '../../../platform/base/home.ts'
import { deleteProjectFile, readProjectFile } from '../../../platform/files/project-file.ts'
import { sha256 } from '../../../platform/base/crypto.ts'

const Run = z.object({
  command: z.string(),
  ok: z.boolean(),
  exitStatus: z.number().optional(),
  endedBy: z.enum(['signal', 'timeout', 'not-started']).optional(),
  expect: z.string().optional(),
  isMatched: z.boolean().optional(),
  output: z.string(),
  at: z.string(),
  durationMs: z.number(),
})

const Entry = z.object({
  itemId: z.string(),
  section: z.string(),
  text: z.string(),
  status: z.enum(ITEM_STATUSES),
  note: z.string().optional(),
  by: z.string(),
  at: z.string(),
  run: Run.optional(),
})

const EvidenceFile = z.object({ version: z.literal(1), records: z.array(Entry) })

const MAX_BYTES = 8_000_000

export interface EvidenceFile {
  /** With ids made from the content, so that reading twice adds nothing. */
  readonly records: readonly StoredItemRecord[]
  delete(): void
}

/** The evidence file of version 0.1 in the home, one for each project. Throws when it is damaged. */
export function findEvidenceFile(home: Pick<Home, 'root'>, projectId: ProjectId): EvidenceFile | undefined {
  const at = { root: home.root, path: `checklist/${projectId}.json` }
  const found = readProjectFile(at, MAX_BYTES)
  if (found === undefined) return undefined
  const { records } = EvidenceFile.parse(JSON.parse(found.bytes.toString('utf8')))
  return {
    records: records.map((record, index) => ({
      ...record,
      projectId,
      id: `file-${sha256(`${projectId}\n${index}\n${JSON.stringify(record)}`).slice(0, 32)}`,
    })),
    delete: () => void deleteProjectFile(at),
  }
}
