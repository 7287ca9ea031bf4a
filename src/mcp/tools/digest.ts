import * as z from 'zod'
import { defineTool, type ToolReply, type ToolContext } from '../tool/tool.ts'
import type { StoredCheckpoint } from '../../kernel/checkpoint.ts'
import { datedId, EventId } from '../../kernel/id.ts'
import {
  decisionList,
  resolveDirectory,
  lineList,
  optionalText,
  project,
  session,
  verbatim,
} from '../tool/arguments.ts'
import { getOrCreateSession } from '../tool/caller.ts'
import { renderRefutedClaims } from '../tool/tool.ts'

/** What an agent reports about the state of its work. */
const digestFields = {
  ...project,
  summary: verbatim,
  next_action: optionalText,
  waiting_for: optionalText.describe('set when you stop for the user'),
  decisions: decisionList,
  blockers: lineList,
  ...session,
}
const Digest = z.object(digestFields)

/** Records the digest as an event, and waits for the checkpoint that follows. */
async function saveDigest(input: z.output<typeof Digest>, context: ToolContext): Promise<ToolReply> {
  const { continuity, clock } = context
  const cwd = await resolveDirectory(input, context)
  const { harness, sessionKey, isGenerated: isMadeUp } = await getOrCreateSession(input.session_id, context)
  const at = clock.now()
  const { session: recorded } = await continuity.record({
    kind: 'digest-written',
    id: EventId(datedId('mcp', at, context.randomBytes(10))),
    harness,
    sessionKey,
    at,
    door: 'mcp',
    cwd,
    summary: input.summary,
    ...(input.next_action !== undefined && { nextAction: input.next_action }),
    ...(input.waiting_for !== undefined && { waitingFor: input.waiting_for }),
    ...(input.decisions !== undefined && { decisions: input.decisions }),
    ...(input.blockers !== undefined && { blockers: input.blockers }),
  })
  // Recording has requested the checkpoint already; this call waits for it, and nothing is composed twice.
  const composed = await continuity.checkpoint(recorded.id, 'agent')
  const [newest] =
    composed === undefined ? await continuity.listCheckpoints({ sessionId: recorded.id, limit: 1 }) : [composed]
  // Without a checkpoint nothing was observed, so there is no evidence to check against.
  const refuted =
    newest === undefined ? [] : await context.agentApi.checkClaims({ cwd, text: input.summary, sessionId: recorded.id })
  return renderDigestReply(newest, { at, sessionKey, isMadeUp, doubts: renderRefutedClaims({ doubts: refuted }) })
}

function renderDigestReply(
  stored: StoredCheckpoint | undefined,
  saved: { at: string; sessionKey: string; isMadeUp: boolean; doubts: readonly string[] },
): ToolReply {
  return {
    ok: true,
    session_id: saved.sessionKey,
    checkpoint_id: stored?.checkpoint.id ?? null,
    saved_at: stored?.checkpoint.createdAt ?? saved.at,
    doubts: saved.doubts,
    ...(stored === undefined && { note: 'Stored as an event; checkpoints are disabled here.' }),
    ...(saved.isMadeUp && { tip: `Pass session_id "${saved.sessionKey}" from now on.` }),
  }
}

export const sessionDigest = defineTool({
  name: 'session_digest',
  description:
    'A checkpoint in your own words: where the work stands and the one next action. Call when context runs short or the work turns.',
  input: z.object(digestFields),
  aliases: { digest: 'summary', next: 'next_action' },
  run: (input, context) => saveDigest(input, context),
})
