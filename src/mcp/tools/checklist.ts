import * as z from 'zod'
import { CHECKLIST_STATUSES, type ChecklistItem, type ChecklistStatus } from '../../kernel/agent-records.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { project, renderProject, toProjectRef, optionalText, session, text } from '../tool/arguments.ts'
import { defineTool } from '../tool/tool.ts'
import { toSessionLabel } from '../tool/caller.ts'

export const markChecklistItem = defineTool({
  name: 'mark_checklist_item',
  description:
    'Edits the item in CHECKLIST.md itself. verified runs verify_command, one that the user allowed, and needs exit 0, and expect in its output if given.',
  input: z.object({
    ...project,
    item_text: text.describe("the item's id or text"),
    status: z.enum(CHECKLIST_STATUSES),
    note: optionalText,
    verify_command: optionalText,
    expect: optionalText,
    ...session,
  }),
  aliases: { text: 'item_text', item: 'item_text', item_id: 'item_text', command: 'verify_command' },
  hints: { canRunCommand: true },
  withoutCommands: {
    description:
      'Edits the item in CHECKLIST.md itself. Runs nothing: verified is set in your own shell, by `holdfast checklist mark <item> verified --run "<command>"`.',
    omits: ['verify_command', 'expect'],
    hints: { isIdempotent: true },
  },
  redactedLater: ['verify_command', 'command', 'expect'],
  async run(input, context) {
    const ref = toProjectRef(input, context)
    const { name } = await context.agentApi.resolveProject(ref)
    const { verify_command: command, expect, note } = input
    const marking = {
      ...ref,
      ...toSessionLabel(input.session_id, context),
      item: input.item_text,
      ...(note !== undefined && { note }),
    }
    if (command !== undefined && input.status !== 'verified')
      throw new HoldfastError('invalid-input', `verify_command goes with verified, and this is ${input.status}.`, {
        hint: 'Nothing was run or marked.',
      })
    const item =
      command === undefined
        ? await context.agentApi.markItem({ ...marking, status: input.status })
        : await context.agentApi.verifyItem({
            ...marking,
            verification: { command, ...(expect !== undefined && { expect }) },
          })
    return {
      ok: true,
      project: name,
      item_id: item.id,
      item_text: item.text,
      status: item.status,
      note: item.note ?? note ?? '',
      line: item.line,
      updated_at: context.clock.now(),
    }
  },
})

const renderItem = ({ id, section, text, status, note }: ChecklistItem) => ({
  id,
  section,
  text,
  status,
  ...(note !== undefined && { note }),
})

function groupByStatus(items: readonly ChecklistItem[]): Readonly<Record<ChecklistStatus, unknown[]>> {
  const groups: Record<ChecklistStatus, unknown[]> = {
    verified: [],
    done: [],
    in_progress: [],
    blocked: [],
    pending: [],
  }
  for (const status of CHECKLIST_STATUSES)
    groups[status] = items.filter((item) => item.status === status).map(renderItem)
  return groups
}

export const getChecklist = defineTool({
  name: 'get_checklist',
  description: 'The items of CHECKLIST.md with their status, and which ticked ones do not hold.',
  input: z.object(project),
  hints: { isReadOnly: true },
  async run(input, context) {
    const ref = toProjectRef(input, context)
    const found = await context.agentApi.resolveProject(ref)
    const { rootPath } = found
    const view = await context.agentApi.readChecklist(ref)
    if (view === undefined || view.items.length === 0) {
      throw new HoldfastError('not-found', `No CHECKLIST.md with checkbox items in ${rootPath}.`, {
        hint: `Write the tasks as "- [ ] …" lines into ${rootPath}/CHECKLIST.md; nothing else counts as the checklist.`,
      })
    }
    return {
      ...renderProject(found, input),
      checklist_path: view.path,
      total: view.items.length,
      by_status: groupByStatus(view.items),
      items: view.items.map(renderItem),
      discrepancies: view.discrepancies.map(({ itemId, text, because }) => ({ item_id: itemId, text, because })),
      not_looked_at: view.notLookedAt.map(({ itemId, text, because }) => ({ item_id: itemId, text, because })),
    }
  },
})
