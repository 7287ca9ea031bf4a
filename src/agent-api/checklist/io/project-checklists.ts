import { join } from 'node:path'
import type { Checklists } from '../../ports.ts'
import type { DoorStore } from '../../../kernel/ports/agent-store.ts'
import { CHECKLIST_STATUSES, type ChecklistItem } from '../../../kernel/agent-records.ts'
import type { ChecklistEvidence, ChecklistItem as FileItem, VerificationRun } from '../../../kernel/checklist.ts'
import { HoldfastError, messageOf } from '../../../kernel/errors.ts'
import { datedId, type ProjectId } from '../../../kernel/id.ts'
import type { Clock, Entropy, Files, Log, Places, Redactors } from '../../../kernel/ports/ports.ts'
import { findChecklist } from './checklist-file.ts'
import { findDiscrepancies } from './discrepancies.ts'
import { findEvidenceFile } from './imported-evidence.ts'
import { markChecklistItem } from './mark-checklist-item.ts'
import { projectReader } from './project-reader.ts'
import { redactRecord } from '../redact-record.ts'
import type { Home } from '../../../platform/base/home.ts'
import type { VerificationGate } from './verification-gate.ts'

const VERIFICATION_TIMEOUT_MS = 25_000
const RECORDS_READ = 2_000
const SHOWN_OUTPUT_CHARS = 600

interface ProjectChecklistsDeps {
  readonly home: Home
  readonly store: Pick<DoorStore, 'keepChecklistRecords' | 'listChecklistRecords'>
  readonly entropy: Entropy
  readonly places: Places
  readonly redactors: Redactors
  readonly files: Pick<Files, 'facts'>
  readonly clock: Clock
  readonly log: Log
  /** Asked before any command runs. */
  readonly allowVerification: VerificationGate
}

/** An item whose marker has a meaning of its own is nobody's task, so the door does not speak of it. */
function itemOf({ id, section, text, status, line }: FileItem, note?: string): readonly ChecklistItem[] {
  const known = CHECKLIST_STATUSES.find((candidate) => candidate === status)
  return known === undefined ? [] : [{ id, section, text, status: known, line, ...(note !== undefined && { note }) }]
}

function whyNot({ command, isMatched, expect, exitStatus, endedBy }: VerificationRun): string {
  const what = `\`${command}\``
  if (endedBy === 'timeout') return `${what} did not end within ${VERIFICATION_TIMEOUT_MS / 1_000} seconds`
  if (exitStatus !== 0) return `${what} ended with ${exitStatus ?? endedBy}`
  return isMatched === false ? `${what} did not print ${JSON.stringify(expect)}` : `${what} failed`
}

/** CHECKLIST.md of each project, with the evidence that the store keeps beside it. */
export function createProjectChecklists(deps: ProjectChecklistsDeps): Checklists {
  const imported = new Map<ProjectId, Promise<void>>()

  /** What an earlier version kept in a file goes into the store once; the file goes when it is durable there. */
  async function importFile(projectId: ProjectId): Promise<void> {
    try {
      const file = findEvidenceFile(deps.home, projectId)
      if (file === undefined) return
      await deps.store.keepChecklistRecords(file.records)
      file.delete()
      deps.log.info('checklist evidence imported', { project: projectId, records: file.records.length })
    } catch (thrown) {
      // It stays where it is; what is marked from now on is kept all the same.
      deps.log.warn('checklist evidence not imported', { project: projectId, error: messageOf(thrown) })
    }
  }

  async function evidenceOf(root: string): Promise<ChecklistEvidence> {
    const { projectId, worktree } = await deps.places.locate(root)
    const importing = imported.get(projectId) ?? importFile(projectId)
    imported.set(projectId, importing)
    await importing
    const redactor = await deps.redactors.forWorktree(worktree)
    return {
      async record(entry) {
        const id = datedId('mark', entry.at, deps.entropy.bytes(10))
        await deps.store.keepChecklistRecords([{ ...redactRecord(entry, redactor), id, projectId }])
      },
      async list() {
        const kept = await deps.store.listChecklistRecords({ projectId, limit: RECORDS_READ })
        return kept.map(({ id: _id, projectId: _projectId, ...record }) => record)
      },
    }
  }

  return {
    evidence: evidenceOf,

    async read(root) {
      try {
        const found = findChecklist(root)
        if (found === undefined) return undefined
        const evidence = await (await evidenceOf(root)).list()
        const notes = new Map(
          evidence.flatMap(({ itemId, note }) => (note === undefined ? [] : [[itemId, note] as const])),
        )
        const discrepancies = await findDiscrepancies({
          root,
          items: found.items,
          evidence,
          files: projectReader(root),
        })
        const path = join(root, found.path)
        const facts = await deps.files.facts(path)
        return {
          path,
          modifiedAt: facts?.modifiedAt ?? deps.clock.now(),
          items: found.items.flatMap((item) => itemOf(item, notes.get(item.id))),
          discrepancies: discrepancies.map(({ itemId, text, where, detail }) => ({
            itemId,
            text,
            because: `${where}: ${detail}`,
          })),
        }
      } catch (thrown) {
        // A list that cannot be read must not cost the rest of a briefing.
        deps.log.warn('checklist not read', { error: messageOf(thrown) })
        return undefined
      }
    },

    async mark(root, { item, status, note, by = 'api', verification }) {
      if (verification !== undefined) {
        if (status !== 'verified')
          throw new HoldfastError('invalid-input', `A command goes with the status verified, and this is ${status}.`, {
            hint: 'Nothing was run or marked.',
          })
        await deps.allowVerification(verification.command)
      }
      const outcome = await markChecklistItem(
        {
          root,
          wanted: item,
          status,
          by,
          ...(note !== undefined && { note }),
          ...(verification !== undefined && { verification: { ...verification, timeoutMs: VERIFICATION_TIMEOUT_MS } }),
        },
        { evidence: await evidenceOf(root), clock: deps.clock },
      )
      if (outcome.isRefused) {
        throw new HoldfastError(
          'conflict',
          `The item stays ${outcome.item.status}: ${outcome.run === undefined ? 'nothing was run' : whyNot(outcome.run)}.`,
          {
            hint: `Mend that, then mark it again. It printed: ${outcome.run?.output.trim().slice(-SHOWN_OUTPUT_CHARS) || 'nothing'}`,
          },
        )
      }
      const [marked] = itemOf(outcome.item, note)
      if (marked === undefined) throw new HoldfastError('internal', `Item ${outcome.item.id} has no status of ours.`)
      return marked
    },
  }
}
