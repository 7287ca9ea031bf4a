import * as z from 'zod'
import { SESSION_PHASES } from '../../kernel/agent-records.ts'
import { count, flag, project, toProjectRef, session } from '../tool/arguments.ts'
import { toSessionLabel } from '../tool/caller.ts'
import { defineTool } from '../tool/tool.ts'

const MAX_TOKENS = 20_000

export const sessionBriefing = defineTool({
  name: 'session_briefing',
  description:
    'Call first in every session: index, git, checklist, open intents, saved summaries, history, entities. After a compaction pass after_compaction=true: while coding only the current checklist task comes back.',
  input: z.object({
    ...project,
    ...session,
    after_compaction: flag,
    phase: z.enum(SESSION_PHASES).optional().describe('phase of the session'),
    budget_tokens: count(MAX_TOKENS),
  }),
  hints: { isIdempotent: true },
  async run(input, context) {
    const label = toSessionLabel(input.session_id, context)
    const { phase } = input
    if (phase !== undefined && label.sessionLabel !== undefined) {
      await context.agentApi.setPhase({ sessionLabel: label.sessionLabel, phase })
    }
    const briefing = await context.agentApi.briefing({
      ...toProjectRef(input, context),
      ...label,
      ...(phase !== undefined && { phase }),
      ...(input.after_compaction !== undefined && { afterCompaction: input.after_compaction }),
      ...(input.budget_tokens !== undefined && { budgetTokens: input.budget_tokens }),
    })
    return briefing.text
  },
})
