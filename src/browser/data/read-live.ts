import type { StoredEvent } from '../../kernel/event.ts'
import { get } from './call.ts'
import type { LabelledSession, LiveRow } from './contract.ts'
import { describeEvent } from './read-events.ts'

/** How far back in the log a live session's work is looked for. */
const LOOK_BACK = 1_500

const toAbsolute = (path: string, folder: string | undefined): string =>
  path.startsWith('/') || folder === undefined ? path : `${folder}/${path}`

function countEdits(events: readonly StoredEvent[], folder: string | undefined): LiveRow['files'] {
  const files = new Map<string, { path: string; edits: number; lastAt: string }>()
  for (const { event } of events) {
    if (event.kind !== 'tool-finished' || !event.outcome.ok) continue
    for (const { path, action } of event.tool.files) {
      if (action === 'read') continue
      const full = toAbsolute(path, folder)
      files.delete(full)
      files.set(full, { path: full, edits: (files.get(full)?.edits ?? 0) + 1, lastAt: event.at })
    }
  }
  return [...files.values()].toReversed()
}

async function readWork(session: LabelledSession, signal: AbortSignal): Promise<Omit<LiveRow, 'conflicts'>> {
  const afterSeq = Math.max(0, session.lastEventSeq - LOOK_BACK)
  const input = { sessionId: session.id, afterSeq, limit: 1_000 }
  const { events } = await get<{ events: readonly StoredEvent[] }>('/api/events', input, signal)
  const folder = session.place?.worktree ?? session.cwd
  const last = events.findLast(({ event }) => event.kind !== 'prompt-submitted')?.event
  const request = events.findLast(({ event }) => event.kind === 'prompt-submitted')?.event
  return {
    sessionId: session.id,
    sessionKey: session.key,
    harness: session.harness,
    harnessVersion: session.harnessVersion,
    model: session.model,
    project: session.place?.project,
    worktree: folder,
    branch: session.place?.branch,
    state: session.phase === 'idle' ? 'waiting' : session.phase === 'compacting' ? 'compacting' : 'working',
    doing: last === undefined ? undefined : describeEvent(last),
    request: request?.kind === 'prompt-submitted' ? request.prompt : undefined,
    contextTokens: session.contextTokens,
    contextWindowTokens: session.contextWindowTokens,
    lastEventAt: session.lastEventAt,
    promptCount: session.promptCount,
    toolCount: session.toolCount,
    lastCheckpointAt: session.lastCheckpointAt,
    files: countEdits(events, folder),
  }
}

/** A path relative to its worktree: two worktrees of a project edit the same file if these are equal. */
const toInner = (path: string, folder: string | undefined): string =>
  folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path

function findConflicts(
  row: Omit<LiveRow, 'conflicts'>,
  all: readonly Omit<LiveRow, 'conflicts'>[],
): LiveRow['conflicts'] {
  const others = all.filter(({ sessionId, project }) => sessionId !== row.sessionId && project === row.project)
  const mine = new Map(row.files.map(({ path }) => [toInner(path, row.worktree), path]))
  return others.flatMap(({ sessionKey, harness, worktree, files }) =>
    files.flatMap(({ path }) => {
      const own = mine.get(toInner(path, worktree))
      return own === undefined ? [] : [{ path: own, sessionKey, harness, isSameWorktree: worktree === row.worktree }]
    }),
  )
}

/** Sessions that may still be working, with what their latest events show. */
export async function readLive(signal: AbortSignal): Promise<readonly LiveRow[]> {
  const input = { isLive: true, limit: 30 }
  const { sessions } = await get<{ sessions: readonly LabelledSession[] }>('/api/sessions', input, signal)
  const rows = await Promise.all(sessions.map((session) => readWork(session, signal)))
  return rows.map((row) => ({ ...row, conflicts: findConflicts(row, rows) }))
}
