import * as z from 'zod'
import { CHECKLIST_STATUSES } from '../../../kernel/agent-records.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { optionalText, project, projectRef, session, text } from '../../tool/arguments.ts'
import { sessionLabel } from '../../tool/caller.ts'
import { defineTool } from '../../tool/tool.ts'

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
    const ref = projectRef(input, context)
    const { name } = await context.door.resolveProject(ref)
    const { verify_command: command, expect, note } = input
    const marking = {
      ...ref,
      ...sessionLabel(input.session_id, context),
      item: input.item_text,
      ...(note !== undefined && { note }),
    }
    if (command !== undefined && input.status !== 'verified')
      throw new HoldfastError('invalid-input', `verify_command goes with verified, and this is ${input.status}.`, {
        hint: 'Nothing was run or marked.',
      })
    const item =
      command === undefined
        ? await context.door.markItem({ ...marking, status: input.status })
        : await context.door.verifyItem({
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
