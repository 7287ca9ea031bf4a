import { join } from 'node:path'
import type { Checklists } from '../../ports.ts'
import type { AgentStore } from '../../../kernel/ports/agent-store.ts'
import type { CodeInspector } from '../../../kernel/code-facts.ts'
import { CHECKLIST_STATUSES, type ChecklistItem } from '../../../kernel/agent-records.ts'
import type {
  ChecklistEvidence,
  ItemRecord,
  ParsedChecklistItem as FileItem,
  VerificationRun,
} from '../../../kernel/checklist.ts'
import { HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'
import { datedId, SessionId, type ProjectId } from '../../../kernel/id.ts'
import type { Clock, Entropy, Files, Log, Locator, Redactors, Store } from '../../../kernel/ports/ports.ts'
import { findChecklist } from './checklist-file.ts'
import { findDiscrepancies, type WordCache } from './discrepancies.ts'
import { markChecklistItem } from './mark-checklist-item.ts'
import { redactRecord } from '../redact-record.ts'
import type { Home } from '../../../platform/base/home.ts'
import type { VerificationGate } from './verification-gate.ts'
import { findEvidenceFile } from './imported-evidence.ts'

const VERIFICATION_TIMEOUT_MS = 25_000
const RECORDS_READ = 2_000
const ENTITIES_READ = 5_000
const SESSIONS_READ = 20
const FILES_PER_SESSION = 20
const SHOWN_OUTPUT_CHARS = 600

interface ProjectChecklistPorts {
  readonly home: Home
  readonly store: Pick<AgentStore, 'saveChecklistRecords' | 'listChecklistRecords' | 'listEntities'> &
    Pick<Store, 'listCheckpoints'>
  readonly inspector: CodeInspector
  readonly entropy: Entropy
  readonly locator: Locator
  readonly redactors: Redactors
  readonly files: Pick<Files, 'facts'>
  readonly clock: Clock
  readonly log: Log
  /** Asked before any command runs. */
  readonly allowVerification: VerificationGate
}

/** Empty for an item whose marker has no status of ours. */
function toItem({ id, section, text, status, line }: FileItem, note?: string): readonly ChecklistItem[] {
  const known = CHECKLIST_STATUSES.find((candidate) => candidate === status)
  return known === undefined ? [] : [{ id, section, text, status: known, line, ...(note !== undefined && { note }) }]
}

function describeFailedRun({ command, isMatched, expect, exitStatus, endedBy }: VerificationRun): string {
  const what = `\`${command}\``
  if (endedBy === 'timeout') return `${what} did not finish within ${VERIFICATION_TIMEOUT_MS / 1_000} seconds`
  if (exitStatus !== 0) return `${what} ended with ${exitStatus ?? endedBy}`
  return isMatched === false ? `${what} did not print ${JSON.stringify(expect)}` : `${what} failed`
}

/** CHECKLIST.md of each project, with the evidence in the store. */
export function createProjectChecklists(ports: ProjectChecklistPorts): Checklists {
  const imported = new Map<ProjectId, Promise<void>>()
  const words: WordCache = new WeakMap()

  /** Moves the evidence file of version 0.1 into the store once. */
  async function importFile(projectId: ProjectId): Promise<void> {
    try {
      const file = findEvidenceFile(ports.home, projectId)
      if (file === undefined) return
      await ports.store.saveChecklistRecords(file.records)
      file.delete()
      ports.log.info('checklist evidence imported', { project: projectId, records: file.records.length })
    } catch (thrown) {
      // The file stays; new marks are still stored.
      ports.log.warn('checklist evidence not imported', { project: projectId, error: getErrorMessage(thrown) })
    }
  }

  async function openEvidence(root: string): Promise<ChecklistEvidence> {
    const { projectId, worktree } = await ports.locator.locate(root)
    const importing = imported.get(projectId) ?? importFile(projectId)
    imported.set(projectId, importing)
    await importing
    const redactor = await ports.redactors.forWorktree(worktree)
    return {
      async record(entry) {
        const id = datedId('mark', entry.at, ports.entropy.bytes(10))
        await ports.store.saveChecklistRecords([{ ...redactRecord(entry, redactor), id, projectId }])
      },
      async list() {
        const stored = await ports.store.listChecklistRecords({ projectId, limit: RECORDS_READ })
        return stored.map(({ id: _id, projectId: _projectId, ...record }) => record)
      },
    }
  }

  /** The files that the session edited which ticked an item, by the item's id. */
  async function findEdited(evidence: readonly ItemRecord[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const doneBy = new Map(
      evidence.flatMap(({ itemId, status, by }) =>
        (status === 'done' || status === 'verified') && by.includes('/') ? [[itemId, by] as const] : [],
      ),
    )
    const files = new Map<string, readonly string[]>()
    for (const session of [...new Set(doneBy.values())].slice(-SESSIONS_READ)) {
      const [latest] = await ports.store.listCheckpoints({ sessionId: SessionId(session), limit: 1 })
      const edited = latest?.checkpoint.work.files.filter(({ edits }) => edits > 0) ?? []
      files.set(session, edited.map(({ path }) => path).slice(0, FILES_PER_SESSION))
    }
    return new Map([...doneBy].map(([itemId, session]) => [itemId, files.get(session) ?? []]))
  }

  return {
    evidence: openEvidence,

    async read(root) {
      try {
        const found = findChecklist(root)
        if (found === undefined) return undefined
        const evidence = await (await openEvidence(root)).list()
        const notes = new Map(
          evidence.flatMap(({ itemId, note }) => (note === undefined ? [] : [[itemId, note] as const])),
        )
        const { projectId } = await ports.locator.locate(root)
        const edited = await findEdited(evidence)
        const { discrepancies, notLookedAt } = await findDiscrepancies({
          root,
          items: found.items,
          evidence,
          inspector: ports.inspector,
          words,
          entities: await ports.store.listEntities({ projectId, limit: ENTITIES_READ }),
          editedFor: (itemId) => edited.get(itemId) ?? [],
        })
        const path = join(root, found.path)
        const facts = await ports.files.facts(path)
        return {
          path,
          modifiedAt: facts?.modifiedAt ?? ports.clock.now(),
          items: found.items.flatMap((item) => toItem(item, notes.get(item.id))),
          discrepancies: discrepancies.map(({ itemId, text, where, detail }) => ({
            itemId,
            text,
            because: `${where}: ${detail}`,
          })),
          notLookedAt,
        }
      } catch (thrown) {
        // An unreadable checklist must not fail the briefing.
        ports.log.warn('checklist not read', { error: getErrorMessage(thrown) })
        return undefined
      }
    },

    async mark(root, { item, status, note, by = 'api', verification }) {
      if (verification !== undefined) {
        if (status !== 'verified')
          throw new HoldfastError('invalid-input', `A verification command needs the status verified, not ${status}.`, {
            hint: 'Nothing was run or marked.',
          })
        await ports.allowVerification(verification.command)
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
        { evidence: await openEvidence(root), clock: ports.clock },
      )
      if (outcome.isRefused) {
        throw new HoldfastError(
          'conflict',
          `The item stays ${outcome.item.status}: ${outcome.run === undefined ? 'nothing was run' : describeFailedRun(outcome.run)}.`,
          {
            hint: `Fix that, then mark it again. Output: ${outcome.run?.output.trim().slice(-SHOWN_OUTPUT_CHARS) || 'none'}`,
          },
        )
      }
      const [marked] = toItem(outcome.item, note)
      if (marked === undefined) throw new HoldfastError('internal', `Item ${outcome.item.id} has an unknown status.`)
      return marked
    },
  }
}
