import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import { defineTool, type ToolReply, type ToolContext } from '../tool/tool.ts'
import type { StoredCheckpoint } from '../../kernel/checkpoint.ts'
import { datedId, EventId } from '../../kernel/id.ts'
import {
  decisionList,
  resolveDirectory,
  lineList,
  nullToUndefined,
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
  summary: z.preprocess(nullToUndefined, verbatim.optional()),
  goal: optionalText,
  rules: lineList.describe("the user's, in their words"),
  done: lineList,
  in_progress: optionalText,
  next_action: optionalText,
  fails: lineList.describe('what was tried and does not work'),
  waiting_for: optionalText.describe('set when you stop for the user'),
  decisions: decisionList.describe('with reasons'),
  blockers: lineList,
  ...session,
}
const Digest = z.object(digestFields)
type DigestArguments = z.output<typeof Digest>

/** The fields as one text, each value byte for byte below its label: a reader of the note needs no schema. */
function renderFields({ summary, goal, rules, done, in_progress: inProgress, fails }: DigestArguments): string {
  const text = (label: string, value: string | undefined) =>
    value === undefined || value.trim() === '' ? [] : [`${label}: ${value}`]
  const list = (label: string, values: readonly string[] | undefined) =>
    values === undefined || values.length === 0 ? [] : [`${label}:`, ...values.map((value) => `- ${value}`)]
  return [
    ...(summary === undefined ? [] : [summary]),
    ...text('Goal', goal),
    ...list('Rules', rules),
    ...list('Done', done),
    ...text('In progress', inProgress),
    ...list('Does not work', fails),
  ].join('\n')
}

/** An answer that has only a next action or decisions is a digest too. */
function summarizeDigest(input: DigestArguments): string {
  const said = renderFields(input)
  if (said !== '') return said
  const [first] = input.decisions ?? []
  const other = input.next_action ?? input.waiting_for ?? first?.decision ?? input.blockers?.[0]
  if (other !== undefined) return other
  throw new HoldfastError('invalid-input', 'The digest is empty.', {
    hint: 'Pass goal, rules, done, in_progress, next_action, fails and decisions, or a summary in your own words.',
  })
}

/** Records the digest as an event, and waits for the checkpoint that follows. */
async function saveDigest(input: DigestArguments, context: ToolContext): Promise<ToolReply> {
  const { continuity, clock } = context
  const summary = summarizeDigest(input)
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
    summary,
    ...(input.next_action !== undefined && { nextAction: input.next_action }),
    ...(input.waiting_for !== undefined && { waitingFor: input.waiting_for }),
    ...(input.decisions !== undefined && { decisions: input.decisions }),
    ...(input.blockers !== undefined && { blockers: input.blockers }),
  })
  // Recording has requested the checkpoint already; this call waits for it, and nothing is composed twice.
  const composed = await continuity.checkpoint(recorded.id, 'agent').catch((error: unknown) => {
    // The event was just recorded: only a project that is switched off has no session for it.
    if (!(error instanceof HoldfastError) || error.code !== 'not-found') throw error
    throw new HoldfastError('unsupported', 'Holdfast is switched off in this project: the digest was not stored.', {
      hint: 'The setting is continuity.enabled. `checkpoint_save` still writes a file.',
      cause: error,
    })
  })
  const [newest] =
    composed === undefined ? await continuity.listCheckpoints({ sessionId: recorded.id, limit: 1 }) : [composed]
  // Without a checkpoint nothing was observed, so there is no evidence to check against.
  const refuted =
    newest === undefined ? [] : await context.agentApi.checkClaims({ cwd, text: summary, sessionId: recorded.id })
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
    'A handoff in your own words, given to the next session: goal, rules, done, in progress, next action, fails, decisions. Call when asked, when context runs short or when the work turns.',
  input: z.object(digestFields),
  aliases: { digest: 'summary', next: 'next_action', failed: 'fails', inProgress: 'in_progress' },
  run: (input, context) => saveDigest(input, context),
})
