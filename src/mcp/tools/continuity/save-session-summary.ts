import * as z from 'zod'
import { optionalText, project, projectRef, session, textList, textRecord, verbatim } from '../../tool/arguments.ts'
import { labelHarness, sessionLabel } from '../../tool/caller.ts'
import { doubts } from '../../tool/refuted-claims.ts'
import { defineTool } from '../../tool/tool.ts'

export const saveSessionSummary = defineTool({
  name: 'save_session_summary',
  description:
    'Keeps what the next session needs: title line, done, decisions and why, in progress, blockers. Save at milestones, before risky steps and before the end; outcome also completes your intents.',
  input: z.object({
    ...project,
    summary: verbatim,
    files_changed: textList,
    entities_registered: textList,
    checklist_progress: textRecord,
    outcome: optionalText,
    ...session,
  }),
  aliases: { files: 'files_changed', entities: 'entities_registered', progress: 'checklist_progress' },
  hints: { isAlwaysLoaded: true },
  async run(input, context) {
    const { files_changed: files, entities_registered: entities, checklist_progress: progress, outcome } = input
    const saved = await context.door.saveSummary({
      ...projectRef(input, context),
      ...sessionLabel(input.session_id, context),
      ...labelHarness(input.session_id, context),
      summary: input.summary,
      ...(files !== undefined && { filesChanged: files }),
      ...(entities !== undefined && { entitiesRegistered: entities }),
      ...(progress !== undefined && { checklistProgress: progress }),
      ...(outcome !== undefined && { outcome }),
    })
    return {
      ok: true,
      project: saved.project.name,
      session_id: saved.summary.sessionLabel ?? null,
      summary_length: saved.summary.summary.length,
      saved_at: saved.summary.savedAt,
      doubts: doubts(saved.summary),
      completed_intents: saved.completedIntents,
    }
  },
})
