import * as z from 'zod'
import { SESSION_PHASES } from '../../../kernel/agent-records.ts'
import { count, flag, project, projectRef, session } from '../../tool/arguments.ts'
import { sessionLabel } from '../../tool/caller.ts'
import { defineTool } from '../../tool/tool.ts'

const MOST_TOKENS = 20_000

export const sessionBriefing = defineTool({
  name: 'session_briefing',
  description:
    'Call first in every session: index, git, checklist, open intents, saved summaries, history, entities. After a compaction pass after_compaction=true: while coding only the current checklist task comes back.',
  input: z.object({
    ...project,
    ...session,
    after_compaction: flag,
    phase: z.enum(SESSION_PHASES).optional().describe('kept for the session'),
    budget_tokens: count(MOST_TOKENS),
  }),
  hints: { isIdempotent: true, isAlwaysLoaded: true },
  async run(input, context) {
    const label = sessionLabel(input.session_id, context)
    const { phase } = input
    if (phase !== undefined && label.sessionLabel !== undefined) {
      await context.door.setPhase({ sessionLabel: label.sessionLabel, phase })
    }
    const briefing = await context.door.briefing({
      ...projectRef(input, context),
      ...label,
      ...(phase !== undefined && { phase }),
      ...(input.after_compaction !== undefined && { afterCompaction: input.after_compaction }),
      ...(input.budget_tokens !== undefined && { budgetTokens: input.budget_tokens }),
    })
    return briefing.text
  },
})
