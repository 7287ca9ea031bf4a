import * as z from 'zod'
import type { IntentConflict } from '../../kernel/agent-records.ts'
import { project, toProjectRef, session, text, textList, optionalText } from '../tool/arguments.ts'
import { toLabelHarness, toSessionLabel } from '../tool/caller.ts'
import { defineTool } from '../tool/tool.ts'
import { HoldfastError } from '../../kernel/errors.ts'

export const completeSessionIntent = defineTool({
  name: 'complete_session_intent',
  description: "Closes the session's intents. Only after save_session_summary.",
  input: z.object({ ...project, ...session, outcome: optionalText }),
  hints: { isIdempotent: true },
  async run(input, context) {
    const label = toSessionLabel(input.session_id, context).sessionLabel
    if (label === undefined) {
      throw new HoldfastError('invalid-input', "Missing required argument: 'session_id'.", {
        hint: 'Pass the session_id that record_session_intent gave back.',
      })
    }
    const { outcome } = input
    const done = await context.agentApi.completeIntent({
      ...toProjectRef(input, context),
      sessionLabel: label,
      ...(outcome !== undefined && { outcome }),
    })
    return { ok: true, session_id: label, outcome: outcome ?? '', completed: done.completedNow }
  },
})

const SHOWN_CHARS = 60

function renderConflict({ intent, files, isSameWorktree }: IntentConflict): string {
  const { sessionLabel, standing: liveness } = intent
  const what = intent.intent.slice(0, SHOWN_CHARS).toWellFormed()
  const where = isSameWorktree ? '' : ' in another checkout of the same repository'
  return `⚠️ File conflict with session '${sessionLabel}'${where} (${liveness}; intent: ${what}): ${JSON.stringify(files)}`
}

export const recordSessionIntent = defineTool({
  name: 'record_session_intent',
  description:
    'Call before editing: what you will do and which files (globs allowed). warnings name other sessions at the same files: stop and ask the user.',
  input: z.object({ ...project, intent: text, files_to_touch: textList, ...session }),
  aliases: { files: 'files_to_touch' },
  async run(input, context) {
    const recorded = await context.agentApi.recordIntent({
      ...toProjectRef(input, context),
      ...toSessionLabel(input.session_id, context),
      ...toLabelHarness(input.session_id, context),
      intent: input.intent,
      ...(input.files_to_touch !== undefined && { files: input.files_to_touch }),
    })
    const { sessionLabel: label, intent, files } = recorded.intent
    return {
      ok: true,
      session_id: label,
      project: recorded.project.name,
      intent,
      files_to_touch: files,
      warnings: recorded.conflicts.map(renderConflict),
      tip: `Pass session_id "${label}" to save_session_summary, then to complete_session_intent.`,
    }
  },
})
