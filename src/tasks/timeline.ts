import { listLinks } from './chain/checkpoint-index.ts'
import type { TaskCheckpoint } from './model/task-checkpoint.ts'
import type { TaskSession } from './model/task-session.ts'
import type { Incident, TimelineEntry } from './tasks.ts'

export interface TimelineSources {
  readonly sessions: readonly TaskSession[]
  /** In chain order. */
  readonly checkpoints: readonly TaskCheckpoint[]
  readonly incidents: readonly Incident[]
}

function sessionEntries(session: TaskSession): readonly TimelineEntry[] {
  const { session_id, started_at, parent_session, resumed_from, goal, transitions, outcome } = session
  const links = [
    ...(parent_session === null ? [] : [`after ${parent_session}`]),
    ...(resumed_from === null ? [] : [`from ${resumed_from}`]),
    ...(goal === null ? [] : [`goal: ${goal}`]),
  ]
  const init = { at: started_at, kind: 'session' as const, session_id, change: ['init', ...links].join(', ') }
  const steps = transitions.map(({ at, from, to, reason }) => ({
    at,
    kind: 'session' as const,
    session_id,
    change: `${from} → ${to}: ${reason}${to === 'complete' && outcome !== null ? ` (${outcome})` : ''}`,
  }))
  return [init, ...steps]
}

function checkpointEntries(checkpoints: readonly TaskCheckpoint[]): readonly TimelineEntry[] {
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.checkpoint_id, checkpoint]))
  return checkpoints.flatMap((checkpoint): TimelineEntry[] => {
    const { checkpoint_id, session_id, timestamp: at, type, gate, summary } = checkpoint
    const follows = listLinks(checkpoint).map((link) => link.checkpoint_id)
    const from = follows[0] === undefined ? null : (byId.get(follows[0])?.gate ?? null)
    return [
      { at, kind: 'checkpoint', checkpoint_id, session_id, type, gate, summary, follows },
      ...(type === 'gate_transition' ? [{ at, kind: 'gate' as const, gate, from, checkpoint_id, session_id }] : []),
    ]
  })
}

/** Sorted by time; the sort is stable. */
export function buildTimeline({ sessions, checkpoints, incidents }: TimelineSources): readonly TimelineEntry[] {
  const entries: readonly TimelineEntry[] = [
    ...sessions.flatMap(sessionEntries),
    ...checkpointEntries(checkpoints),
    ...incidents.map(({ at, kind: incident, session_id, checkpoint_id, detail }) => ({
      at,
      kind: 'incident' as const,
      incident,
      session_id,
      checkpoint_id,
      detail,
    })),
  ]
  return entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}
