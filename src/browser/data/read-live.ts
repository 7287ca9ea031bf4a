import type { StoredEvent } from '../../kernel/event.ts'
import { get } from './call.ts'
import type { LabelledSession, LiveRow } from './contract.ts'
import { describeEvent } from './read-events.ts'

/** How far back in the log the work of a live session is searched. */
const LOOK_BACK = 1_500
const PAGE_LIMIT = 1_000

const toAbsolute = (path: string, folder: string | undefined): string =>
  path.startsWith('/') || folder === undefined ? path : `${folder}/${path}`

/** Facts from the events of a session that were read so far; the next time only newer events are read. */
interface WorkSoFar {
  readonly seq: number
  readonly doing: string | undefined
  readonly request: string | undefined
  /** By absolute path, the latest edit last. */
  readonly files: ReadonlyMap<string, { readonly path: string; readonly edits: number; readonly lastAt: string }>
}

const NOTHING: WorkSoFar = { seq: 0, doing: undefined, request: undefined, files: new Map() }
const MAX_CHARS = 300
const MAX_FILES = 200
const known = new Map<string, WorkSoFar>()

function addEvents(before: WorkSoFar, events: readonly StoredEvent[], folder: string | undefined): WorkSoFar {
  const files = new Map(before.files)
  for (const { event } of events) {
    if (event.kind !== 'tool-finished' || !event.outcome.ok) continue
    for (const { path, action } of event.tool.files) {
      if (action === 'read') continue
      const full = toAbsolute(path, folder)
      const edits = (files.get(full)?.edits ?? 0) + 1
      files.delete(full)
      files.set(full, { path: full, edits, lastAt: event.at })
    }
  }
  const last = events.findLast(({ event }) => event.kind !== 'prompt-submitted')?.event
  const asked = events.findLast(({ event }) => event.kind === 'prompt-submitted')?.event
  return {
    seq: events.at(-1)?.seq ?? before.seq,
    doing: last === undefined ? before.doing : describeEvent(last).slice(0, MAX_CHARS),
    request: asked === undefined ? before.request : describeEvent(asked).slice(0, MAX_CHARS),
    files: new Map([...files].slice(-MAX_FILES)),
  }
}

async function readWork(session: LabelledSession, signal: AbortSignal): Promise<Omit<LiveRow, 'conflicts'>> {
  const folder = session.place?.worktree ?? session.cwd
  let work = known.get(session.id) ?? { ...NOTHING, seq: Math.max(0, session.lastEventSeq - LOOK_BACK) }
  while (work.seq < session.lastEventSeq) {
    const input = { sessionId: session.id, afterSeq: work.seq, limit: PAGE_LIMIT }
    const { events } = await get<{ events: readonly StoredEvent[] }>('/api/events', input, signal)
    work = addEvents(work, events, folder)
    known.set(session.id, work)
    if (events.length < PAGE_LIMIT) break
  }
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
    doing: work.doing,
    request: work.request,
    contextTokens: session.contextTokens,
    contextWindowTokens: session.contextWindowTokens,
    lastEventAt: session.lastEventAt,
    promptCount: session.promptCount,
    toolCount: session.toolCount,
    lastCheckpointAt: session.lastCheckpointAt,
    files: [...work.files.values()].toReversed(),
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
  return others.flatMap(({ sessionKey, harness, request, worktree, files }) =>
    files.flatMap(({ path }) => {
      const own = mine.get(toInner(path, worktree))
      return own === undefined
        ? []
        : [{ path: own, sessionKey, harness, request, isSameWorktree: worktree === row.worktree }]
    }),
  )
}

/** Sessions that may still be working, with what their latest events show. */
export async function readLive(signal: AbortSignal): Promise<readonly LiveRow[]> {
  const input = { isLive: true, limit: 30 }
  const { sessions } = await get<{ sessions: readonly LabelledSession[] }>('/api/sessions', input, signal)
  const rows = await Promise.all(sessions.map((session) => readWork(session, signal)))
  const isListed = new Set<string>(sessions.map(({ id }) => id))
  for (const id of known.keys()) if (!isListed.has(id)) known.delete(id)
  return rows.map((row) => ({ ...row, conflicts: findConflicts(row, rows) }))
}
