import { join } from 'node:path'
import { z } from 'zod'
import { type ChecklistEvidence, type ItemRecord, ITEM_STATUSES } from '../core/checklist.ts'
import { HoldfastError } from '../core/errors.ts'
import type { ProjectId } from '../core/id.ts'
import type { Redactor } from '../core/ports.ts'
import { ensurePrivateDir } from '../platform/atomic-file.ts'
import type { Home } from '../platform/home.ts'
import { readProjectFile, writeProjectFile } from '../platform/project-file.ts'
import { withProjectLock } from '../platform/project-lock.ts'

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

const MAX_RECORDS = 500
const MAX_BYTES = 8_000_000
const MAX_TEXT_CHARS = 2_000

export interface EvidenceOptions {
  readonly home: Pick<Home, 'root'>
  readonly projectId: ProjectId
  readonly redactor: Redactor
}

function bounded(text: string, redactor: Redactor): string {
  return redactor.redact(text).slice(0, MAX_TEXT_CHARS)
}

function redacted({ note, run, ...entry }: ItemRecord, redactor: Redactor): ItemRecord {
  return {
    ...entry,
    section: bounded(entry.section, redactor),
    text: bounded(entry.text, redactor),
    ...(note !== undefined && { note: bounded(note, redactor) }),
    ...(run !== undefined && {
      run: {
        ...run,
        command: bounded(run.command, redactor),
        output: bounded(run.output, redactor),
        ...(run.expect !== undefined && { expect: bounded(run.expect, redactor) }),
      },
    }),
  }
}

function parseRecords(text: string, path: string): readonly ItemRecord[] {
  try {
    return EvidenceFile.parse(JSON.parse(text)).records
  } catch (cause) {
    throw new HoldfastError('store-corrupt', `${path} is damaged.`, {
      hint: 'Move it away; then run `holdfast checklist verify` to gather the evidence again.',
      cause,
    })
  }
}

/** One file for each project, in the Holdfast home: what a repository holds cannot pose as evidence. */
export function createEvidenceFile({ home, projectId, redactor }: EvidenceOptions): ChecklistEvidence {
  const at = { root: home.root, path: `checklist/${projectId}.json` }
  const read = (): readonly ItemRecord[] => {
    const found = readProjectFile(at, MAX_BYTES)
    return found === undefined ? [] : parseRecords(found.bytes.toString('utf8'), join(at.root, at.path))
  }
  return {
    async record(entry) {
      ensurePrivateDir(join(home.root, 'checklist'), home.root)
      await withProjectLock(at, () => {
        const records = [...read(), redacted(entry, redactor)].slice(-MAX_RECORDS)
        writeProjectFile(at, `${JSON.stringify({ version: 1, records }, undefined, 2)}\n`, { mode: 0o600 })
      })
    },
    async list() {
      ensurePrivateDir(home.root)
      return read()
    },
  }
}
