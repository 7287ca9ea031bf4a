import * as z from 'zod'
import type { IntentConflict } from '../../../kernel/agent-records.ts'
import { project, projectRef, session, text, textList } from '../../tool/arguments.ts'
import { labelHarness, sessionLabel } from '../../tool/caller.ts'
import { defineTool } from '../../tool/tool.ts'

const SHOWN_CHARS = 60

function warning({ intent, files, isSameWorktree }: IntentConflict): string {
  const what = intent.intent.slice(0, SHOWN_CHARS).toWellFormed()
  const where = isSameWorktree ? '' : ' in another checkout of the same repository'
  return `⚠️ File conflict with session '${intent.sessionLabel}'${where} (${intent.standing}; intent: ${what}): ${JSON.stringify(files)}`
}

export const recordSessionIntent = defineTool({
  name: 'record_session_intent',
  description:
    'Call before editing: what you will do and which files (globs allowed). warnings name other sessions at the same files: stop and ask the user.',
  input: z.object({ ...project, intent: text, files_to_touch: textList, ...session }),
  aliases: { files: 'files_to_touch' },
  hints: { isAlwaysLoaded: true },
  async run(input, context) {
    const recorded = await context.door.recordIntent({
      ...projectRef(input, context),
      ...sessionLabel(input.session_id, context),
      ...labelHarness(input.session_id, context),
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
      warnings: recorded.conflicts.map(warning),
      tip: `Pass session_id "${label}" to save_session_summary, then to complete_session_intent.`,
    }
  },
})
