import type { Continuity } from '../../../app/continuity.ts'
import type { StoredCheckpoint } from '../../../kernel/checkpoint.ts'
import type { StartOutcome } from '../../../kernel/start-outcome.ts'

const MAX_CHECKPOINTS = 500

/** The agent's digests, each once: what the session was about, in its own words. */
function listDigests(checkpoints: readonly StoredCheckpoint[]): readonly Readonly<Record<string, unknown>>[] {
  const notes = new Map(
    checkpoints
      .toReversed()
      .flatMap(({ checkpoint: { written, createdAt } }) =>
        written === undefined ? [] : [[written.order, { at: createdAt, ...written }] as const],
      ),
  )
  return [...notes.values()].map(({ order: _order, ...note }) => note)
}

/** One start as a training example for a scorer, with the names of the session continuity protocol. */
export async function describeSignals(
  continuity: Pick<Continuity, 'listCheckpoints'>,
  outcome: StartOutcome,
): Promise<Readonly<Record<string, unknown>>> {
  const { sessionId, rework } = outcome
  const checkpoints = await continuity.listCheckpoints({ sessionId, limit: MAX_CHECKPOINTS })
  const newest = checkpoints[0]?.checkpoint
  return {
    session_key: outcome.sessionKey,
    harness: outcome.harness,
    project_id: outcome.projectId,
    epoch: outcome.epoch,
    source: outcome.source,
    started_at: outcome.startedAt,
    is_recovery: outcome.isWarm,
    memory_queries: newest?.recentQueries ?? [],
    recent_remembers: newest?.recentRemembers ?? [],
    novel_context_count: rework?.novel_context_count,
    rework_ratio: rework?.ratio,
    calls_to_first_edit: outcome.callsToFirstEdit,
    sections: outcome.labels,
    lines: outcome.uses,
    digests: listDigests(checkpoints),
  }
}
