import * as z from 'zod'
import type { StoredCheckpoint } from '../../kernel/checkpoint.ts'
import { datedId, EventId } from '../../kernel/id.ts'
import { decisionList, directoryOf, lineList, optionalText, project, session, verbatim } from './arguments.ts'
import { sessionOf } from './caller.ts'
import { doubts } from './refuted-claims.ts'
import type { ToolAnswer, ToolContext } from './tool.ts'

/** What an agent tells about where it stands. */
export const digestFields = {
  ...project,
  summary: verbatim,
  next_action: optionalText,
  waiting_for: optionalText.describe('set when you stop for the user'),
  decisions: decisionList,
  blockers: lineList,
  ...session,
}
const Digest = z.object(digestFields)

/** Keeps the digest as an event, and waits for the checkpoint that follows from it. */
export async function keepDigest(input: z.output<typeof Digest>, context: ToolContext): Promise<ToolAnswer> {
  const { continuity, clock } = context
  const cwd = await directoryOf(input, context)
  const { harness, sessionKey, isMadeUp } = await sessionOf(input.session_id, context)
  const at = clock.now()
  const { session: kept } = await continuity.record({
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
  // Recording has asked for the checkpoint already; asking again waits for it, and composes nothing twice.
  const composed = await continuity.checkpoint(kept.id, 'agent')
  const [newest] =
    composed === undefined ? await continuity.listCheckpoints({ sessionId: kept.id, limit: 1 }) : [composed]
  // Where nothing is kept nothing was observed either, and there is nothing to hold it against.
  const doubted = newest === undefined ? [] : await context.door.doubt({ cwd, text: input.summary, sessionId: kept.id })
  return answer(newest, { at, sessionKey, isMadeUp, doubts: doubts({ doubts: doubted }) })
}

function answer(
  stored: StoredCheckpoint | undefined,
  said: { at: string; sessionKey: string; isMadeUp: boolean; doubts: readonly string[] },
): ToolAnswer {
  return {
    ok: true,
    session_id: said.sessionKey,
    checkpoint_id: stored?.checkpoint.id ?? null,
    saved_at: stored?.checkpoint.createdAt ?? said.at,
    doubts: said.doubts,
    ...(stored === undefined && { note: 'Kept as an event; checkpoints are switched off here.' }),
    ...(said.isMadeUp && { tip: `Pass session_id "${said.sessionKey}" from now on.` }),
  }
}
