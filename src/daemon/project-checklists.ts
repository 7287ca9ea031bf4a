import { join } from 'node:path'
import type { ChecklistItem, Checklists } from '../core/agent-door/ports.ts'
import { CHECKLIST_STATUSES } from '../core/agent-door/ports.ts'
import type { ChecklistEvidence, ChecklistItem as FileItem } from '../core/checklist.ts'
import { HoldfastError, messageOf } from '../core/errors.ts'
import type { Clock, Files, Log, Places, Redactors } from '../core/ports.ts'
import { findChecklist } from '../checklist/checklist-file.ts'
import { findDiscrepancies } from '../checklist/discrepancies.ts'
import { createEvidenceFile } from '../checklist/evidence-file.ts'
import { markChecklistItem } from '../checklist/mark-checklist-item.ts'
import { projectReader } from '../checklist/project-reader.ts'
import type { Home } from '../platform/home.ts'

const VERIFICATION_TIMEOUT_MS = 25_000

interface ProjectChecklistsDeps {
  readonly home: Home
  readonly places: Places
  readonly redactors: Redactors
  readonly files: Pick<Files, 'facts'>
  readonly clock: Clock
  readonly log: Log
}

/** An item whose marker has a meaning of its own is nobody's task, so the door does not speak of it. */
function itemOf({ id, section, text, status, line }: FileItem, note?: string): readonly ChecklistItem[] {
  const known = CHECKLIST_STATUSES.find((candidate) => candidate === status)
  return known === undefined ? [] : [{ id, section, text, status: known, line, ...(note !== undefined && { note }) }]
}

/** CHECKLIST.md of each project, with the evidence that is kept beside it. */
export function createProjectChecklists(deps: ProjectChecklistsDeps): Checklists {
  async function evidenceOf(root: string): Promise<ChecklistEvidence> {
    const { projectId, worktree } = await deps.places.locate(root)
    return createEvidenceFile({ home: deps.home, projectId, redactor: await deps.redactors.forWorktree(worktree) })
  }

  return {
    async read(root) {
      try {
        const found = findChecklist(root)
        if (found === undefined) return undefined
        const evidence = await (await evidenceOf(root)).list()
        const notes = new Map(evidence.map(({ itemId, note }) => [itemId, note]))
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
          `The verification did not hold, so the item stays ${outcome.item.status}.`,
          {
            hint: 'Its output is kept as evidence: `holdfast checklist show` tells it.',
          },
        )
      }
      const [marked] = itemOf(outcome.item, note)
      if (marked === undefined) throw new HoldfastError('internal', `Item ${outcome.item.id} has no status of ours.`)
      return marked
    },
  }
}
