import * as z from 'zod'
import { HoldfastError } from '../../../kernel/errors.ts'
import { optionalText, project, projectRef, session } from '../../tool/arguments.ts'
import { sessionLabel } from '../../tool/caller.ts'
import { defineTool } from '../../tool/tool.ts'

export const completeSessionIntent = defineTool({
  name: 'complete_session_intent',
  description: "Closes the session's intents. Only after save_session_summary.",
  input: z.object({ ...project, ...session, outcome: optionalText }),
  hints: { isIdempotent: true },
  async run(input, context) {
    const label = sessionLabel(input.session_id, context).sessionLabel
    if (label === undefined) {
      throw new HoldfastError('invalid-input', "Missing required argument: 'session_id'.", {
        hint: 'Pass the session_id that record_session_intent gave back.',
      })
    }
    const { outcome } = input
    const done = await context.door.completeIntent({
      ...projectRef(input, context),
      sessionLabel: label,
      ...(outcome !== undefined && { outcome }),
    })
    return { ok: true, session_id: label, outcome: outcome ?? '', completed: done.completedNow }
  },
})
