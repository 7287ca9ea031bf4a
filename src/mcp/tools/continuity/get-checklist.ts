import * as z from 'zod'
import { CHECKLIST_STATUSES, type ChecklistItem, type ChecklistStatus } from '../../../kernel/agent-records.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { project, projectRef } from '../../tool/arguments.ts'
import { defineTool } from '../../tool/tool.ts'

const shown = ({ id, section, text, status, note }: ChecklistItem) => ({
  id,
  section,
  text,
  status,
  ...(note !== undefined && { note }),
})

function byStatus(items: readonly ChecklistItem[]): Readonly<Record<ChecklistStatus, unknown[]>> {
  const groups: Record<ChecklistStatus, unknown[]> = {
    verified: [],
    done: [],
    in_progress: [],
    blocked: [],
    pending: [],
  }
  for (const status of CHECKLIST_STATUSES) groups[status] = items.filter((item) => item.status === status).map(shown)
  return groups
}

export const getChecklist = defineTool({
  name: 'get_checklist',
  description: 'The items of CHECKLIST.md with their status, and which ticked ones do not hold.',
  input: z.object(project),
  hints: { isReadOnly: true },
  async run(input, context) {
    const ref = projectRef(input, context)
    const { name, rootPath } = await context.door.resolveProject(ref)
    const view = await context.door.readChecklist(ref)
    if (view === undefined || view.items.length === 0) {
      throw new HoldfastError('not-found', `No CHECKLIST.md with checkbox items in ${rootPath}.`, {
        hint: `Write the tasks as "- [ ] …" lines into ${rootPath}/CHECKLIST.md; nothing else counts as the checklist.`,
      })
    }
    return {
      project: name,
      checklist_path: view.path,
      total: view.items.length,
      by_status: byStatus(view.items),
      items: view.items.map(shown),
      discrepancies: view.discrepancies.map(({ itemId, text, because }) => ({ item_id: itemId, text, because })),
    }
  },
})
