import type { ObservedEdit } from '../kernel/agent-records.ts'
import type { StoredEvent } from '../kernel/event.ts'
import type { SessionId } from '../kernel/id.ts'
import { relativePath } from '../kernel/paths/paths.ts'
import { isLive } from '../kernel/ports/liveness.ts'
import type { Session } from '../kernel/session.ts'
import { BoundedMap } from '../kernel/structures/bounded-map.ts'
import type { AgentApiPorts } from './ports.ts'
import type { Projects } from './projects.ts'
import type { AgentUseCases } from './use-cases.ts'

const MAX_SESSIONS = 50
/** Of the tool calls of one session, so many of the newest are read. */
const MAX_CALLS = 500

interface EditedFile {
  readonly edits: number
  readonly lastEditAt: string
}

interface SeenEdits {
  /** The last event that was read. */
  readonly seq: number
  readonly files: ReadonlyMap<string, EditedFile>
}

function addEdits(
  known: ReadonlyMap<string, EditedFile>,
  events: readonly StoredEvent[],
  worktree: string,
): ReadonlyMap<string, EditedFile> {
  const files = new Map(known)
  for (const { event } of events) {
    if (event.kind !== 'tool-finished' || !event.outcome.ok) continue
    const cwd = event.tool.cwd ?? event.cwd
    for (const { path, action } of event.tool.files) {
      const file = action === 'read' ? undefined : relativePath(path, { worktree, ...(cwd !== undefined && { cwd }) })
      if (file !== undefined) files.set(file, { edits: (files.get(file)?.edits ?? 0) + 1, lastEditAt: event.at })
    }
  }
  return files
}

/** Files that live sessions were observed to change; sessions need not declare them. */
export function createObservedEdits(
  ports: Pick<AgentApiPorts, 'store' | 'clock' | 'processes' | 'machine' | 'configFor'>,
  projects: Pick<Projects, 'resolveProject'>,
): AgentUseCases['listObservedEdits'] {
  // A hook asks before every edit: only what happened since the last time is read.
  const seen = new BoundedMap<SessionId, SeenEdits>(MAX_SESSIONS)

  async function readEdits(session: Session, worktree: string): Promise<SeenEdits['files']> {
    const known = seen.get(session.id)
    if (known !== undefined && known.seq >= session.lastEventSeq) return known.files
    const events = await ports.store.listEvents({
      sessionId: session.id,
      kinds: ['tool-finished'],
      isNewestFirst: true,
      limit: MAX_CALLS,
      ...(known !== undefined && { afterSeq: known.seq }),
    })
    const files = addEdits(known?.files ?? new Map(), events.toReversed(), worktree)
    seen.set(session.id, { seq: Math.max(session.lastEventSeq, events[0]?.seq ?? 0), files })
    return files
  }

  return async (ref) => {
    const { projectId } = await projects.resolveProject(ref)
    const open = await ports.store.listSessions({
      projectId,
      phases: ['idle', 'working', 'compacting'],
      limit: MAX_SESSIONS,
    })
    const edits: ObservedEdit[] = []
    for (const session of open) {
      const worktree = session.place?.worktree ?? session.cwd
      if (worktree === undefined) continue
      const { daemon } = await ports.configFor(worktree)
      if (!isLive(session, ports, daemon.assumeLiveMs)) continue
      for (const [file, edited] of await readEdits(session, worktree)) {
        edits.push({
          file,
          sessionId: session.id,
          sessionKey: session.key,
          harness: session.harness,
          ...(session.labels?.title !== undefined && { title: session.labels.title }),
          worktree,
          ...(session.place?.branch !== undefined && { branch: session.place.branch }),
          ...edited,
        })
      }
    }
    return edits.toSorted((a, b) => b.lastEditAt.localeCompare(a.lastEditAt))
  }
}
