import * as z from 'zod'
import {
  optionalText,
  project,
  renderProject,
  toProjectRef,
  session,
  textList,
  textRecord,
  verbatim,
  count,
  flag,
  text,
} from '../tool/arguments.ts'
import { toLabelHarness, toSessionLabel } from '../tool/caller.ts'
import { renderRefutedClaims } from '../tool/tool.ts'
import { defineTool } from '../tool/tool.ts'
import type { HistoryHit } from '../../kernel/agent-records.ts'

const DEFAULT_HITS = 10
const NOTHING = 'Nothing matches. Try fewer or other words.'
const OWN_LEFT_OUT = "include_own also finds the caller's own statements."

function renderHit(hit: HistoryHit) {
  const isPieces = hit.kind === 'pieces'
  return {
    docid: isPieces ? Number(hit.id) : hit.id,
    kind: hit.kind,
    summary_text: hit.excerpt === '' || hit.excerpt === hit.title ? hit.title : `${hit.title}: ${hit.excerpt}`,
    relevance: isPieces ? 'title_match' : 'text_match',
    ...(hit.at !== undefined && { at: hit.at }),
  }
}

export const searchHistory = defineTool({
  name: 'search_history',
  description: 'Searches saved summaries, checkpoints, memories and Pieces titles of the project.',
  input: z.object({
    ...project,
    query: text,
    limit: count(50),
    include_own: flag.describe("include the session's own statements; by default only after a compaction"),
  }),
  aliases: { text: 'query' },
  hints: { isReadOnly: true },
  async run(input, context) {
    const ref = toProjectRef(input, context)
    const found = await context.agentApi.resolveProject(ref)
    const { sessionKey, harness } = input.include_own === true ? {} : context.caller
    const hits = await context.agentApi.searchHistory({
      ...ref,
      text: input.query,
      limit: input.limit ?? DEFAULT_HITS,
      ...(sessionKey !== undefined && { sessionKey }),
      ...(harness !== undefined && { harness }),
    })
    return {
      ...renderProject(found, input),
      query: input.query,
      count: hits.length,
      results: hits.map(renderHit),
      ...(hits.length === 0 && { note: sessionKey === undefined ? NOTHING : `${NOTHING} ${OWN_LEFT_OUT}` }),
    }
  },
})

const DEFAULT_SESSIONS = 5

export const getRecentSessions = defineTool({
  name: 'get_recent_sessions',
  description: 'Recent intents, summaries and Pieces history, newest first.',
  input: z.object({ ...project, n: count(50) }),
  aliases: { limit: 'n' },
  hints: { isReadOnly: true },
  async run(input, context) {
    const recent = await context.agentApi.recentSessions({
      ...toProjectRef(input, context),
      limit: input.n ?? DEFAULT_SESSIONS,
    })
    return {
      ...renderProject(recent.project, input),
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
        doubts: renderRefutedClaims(summary),
      })),
      checkpoints: recent.checkpoints.map(({ sessionKey, at, summary, nextAction, evidence }) => ({
        session_id: sessionKey,
        summary,
        saved_at: at,
        evidence,
        ...(nextAction !== undefined && { next_action: nextAction }),
      })),
    }
  },
})

export const saveSessionSummary = defineTool({
  name: 'save_session_summary',
  description:
    'Saves what the next session needs: title line, done, decisions and why, in progress, blockers. Save at milestones, before risky steps and before the end; outcome also completes your intents.',
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
  async run(input, context) {
    const { files_changed: files, entities_registered: entities, checklist_progress: progress, outcome } = input
    const saved = await context.agentApi.saveSummary({
      ...toProjectRef(input, context),
      ...toSessionLabel(input.session_id, context),
      ...toLabelHarness(input.session_id, context),
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
      doubts: renderRefutedClaims(saved.summary),
      completed_intents: saved.completedIntents,
    }
  },
})
