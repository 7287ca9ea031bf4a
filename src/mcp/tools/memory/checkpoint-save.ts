import * as z from 'zod'
import { describeFinding } from '../../../named-checkpoint/format/lint.ts'
import { decisionList, flag, lineList, optionalText, project, projectRef, session, text } from '../../tool/arguments.ts'
import { doubts } from '../../tool/refuted-claims.ts'
import { defineTool } from '../../tool/tool.ts'

export const checkpointSave = defineTool({
  name: 'checkpoint_save',
  description:
    'Saves memory/checkpoints/<name>.md, kept until deleted. kebab-case name; real paths and a next action that can be run.',
  input: z.object({
    name: text,
    task: optionalText.describe('one line'),
    progress: lineList,
    next_action: optionalText,
    waiting_for: optionalText,
    decisions: decisionList,
    blockers: lineList,
    context: lineList,
    replace: flag.describe('also a file edited by hand'),
    ...project,
    ...session,
  }),
  aliases: { summary: 'task', next: 'next_action' },
  async run(input, context) {
    const { caller } = context
    const { task, progress, next_action: nextAction, waiting_for: waitingFor, decisions, blockers } = input
    const sessionKey = input.session_id ?? caller.sessionKey
    const isOwn = sessionKey !== undefined && sessionKey === caller.sessionKey
    const saved = await context.door.saveNamed({
      ...projectRef(input, context),
      name: input.name,
      door: 'mcp',
      ...(task !== undefined && { task }),
      ...(progress !== undefined && { progress }),
      ...(nextAction !== undefined && { nextAction }),
      ...(waitingFor !== undefined && { waitingFor }),
      ...(decisions !== undefined && { decisions }),
      ...(blockers !== undefined && { blockers }),
      ...(input.context !== undefined && { context: input.context }),
      ...(input.replace !== undefined && { canReplace: input.replace }),
      ...(sessionKey !== undefined && { sessionKey }),
      ...(isOwn && caller.harness !== undefined && { harness: caller.harness }),
    })
    return {
      ok: true,
      name: saved.name,
      path: saved.path,
      session_id: saved.sessionKey,
      checkpoint_id: saved.checkpointId ?? null,
      saved_at: saved.savedAt,
      replaced: saved.isReplaced,
      score: saved.lint.score,
      lacks: saved.lint.findings.map(describeFinding),
      doubts: doubts(saved),
      ...(saved.checkpointId === undefined && {
        note: 'Only the file is saved: checkpoints are switched off here, or the store could not take it.',
      }),
      ...(saved.isSessionMadeUp && { tip: `Pass session_id "${saved.sessionKey}" from now on.` }),
    }
  },
})
