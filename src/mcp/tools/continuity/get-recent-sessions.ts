import * as z from 'zod'
import { count, project, projectRef } from '../../tool/arguments.ts'
import { defineTool } from '../../tool/tool.ts'
import { doubts } from '../../tool/refuted-claims.ts'

const USUAL = 5

export const getRecentSessions = defineTool({
  name: 'get_recent_sessions',
  description: 'Recent intents, summaries and Pieces history, newest first.',
  input: z.object({ ...project, n: count(50) }),
  aliases: { limit: 'n' },
  hints: { isReadOnly: true },
  async run(input, context) {
    const recent = await context.door.recentSessions({ ...projectRef(input, context), limit: input.n ?? USUAL })
    return {
      project: recent.project.name,
      pieces_sessions: recent.pieces.map(({ docid, title, source }) => ({
        docid,
        date: 'unknown',
        summary_name: title,
        source: source === 'summary' ? 'pieces_summary' : 'pieces_events',
      })),
      recorded_intents: recent.intents.map((intent) => ({
        session_id: intent.sessionLabel,
        intent: intent.intent,
        started_at: intent.startedAt,
        completed_at: intent.completedAt ?? null,
        outcome: intent.outcome ?? null,
        status: intent.completedAt === undefined ? 'incomplete' : 'completed',
        standing: intent.standing,
      })),
      summaries: recent.summaries.map((summary) => ({
        session_id: summary.sessionLabel ?? null,
        summary: summary.summary,
        saved_at: summary.savedAt,
        doubts: doubts(summary),
      })),
    }
  },
})
