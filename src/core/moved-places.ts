import { messageOf } from './errors.ts'
import type { Files, Git, Log, Places, Store } from './ports.ts'
import type { Place } from './project.ts'
import { baseName } from './work/paths.ts'

const KNOWN_HERE = 20
const CANDIDATES = 500
/** A fresh clone may lack what was never pushed: then an earlier commit vouches for it. */
const COMMITS_OF_EACH = 3
/** A hook waits: whoever left many folders without an address behind is not asked about all of them. */
const COMMITS_ASKED = 12
const MAX_RESOLVED = 1_000

interface Deps {
  readonly places: Places
  readonly store: Pick<Store, 'listSessions'>
  readonly files: Pick<Files, 'isDirectory'>
  readonly git: Pick<Git, 'hasCommit'>
  readonly log: Pick<Log, 'info' | 'warn'>
}

type Resolved = Pick<Place, 'projectId' | 'formerWorktree'>

function toldBy({ projectId, formerWorktree }: Place): Resolved {
  return { projectId, ...(formerWorktree === undefined ? {} : { formerWorktree }) }
}

function isMain({ worktree, projectNormalized }: Place): boolean {
  return worktree === projectNormalized
}

/**
 * A repository that was moved, or cloned anew after its folder had gone, goes on as the project it was: known by a commit
 * that it had, and by the same address, or none. Where the former folder is still there, this is another repository.
 */
export function createMovedPlaces({ places, store, files, git, log }: Deps): Places {
  const resolved = new Map<string, Resolved>()

  async function isGone({ projectNormalized, worktree }: Place): Promise<boolean> {
    return !(await files.isDirectory(projectNormalized)) && !(await files.isDirectory(worktree))
  }

  async function movedFrom(here: Place, known: readonly Place[]): Promise<Resolved | undefined> {
    let asked = 0
    for (const projectId of new Set(known.map((place) => place.projectId))) {
      const there = known.filter((place) => place.projectId === projectId && place.head !== undefined)
      const [newest] = there
      if (newest === undefined || newest.remote !== here.remote || !(await isGone(newest))) continue
      const commits = [...new Set(there.map(({ head = '' }) => head))].slice(0, COMMITS_OF_EACH)
      for (const commit of commits) {
        if (asked === COMMITS_ASKED) return undefined
        asked += 1
        if ((await git.hasCommit(here.worktree, commit)) !== true) continue
        const former = there.find(
          (place) => (isMain(place) && isMain(here)) || baseName(place.worktree) === baseName(here.worktree),
        )
        return { projectId, ...(former === undefined ? {} : { formerWorktree: former.worktree }) }
      }
    }
    return undefined
  }

  async function resolve(here: Place): Promise<Resolved> {
    const own = { projectId: here.projectId }
    const isOf = (place: Place) => place.projectId === here.projectId || place.head !== undefined
    const before = await store.listSessions({ worktree: here.worktree, limit: KNOWN_HERE })
    const last = before.flatMap(({ place }) => place ?? []).find(isOf)
    // Once a session was kept here, its project is decided.
    if (last !== undefined) return toldBy(last)
    const sessions = await store.listSessions({ limit: CANDIDATES })
    const known = sessions.flatMap(({ place }) => place ?? [])
    const sibling = known.find((place) => place.projectNormalized === here.projectNormalized && isOf(place))
    if (sibling !== undefined) return { projectId: sibling.projectId }
    const moved = await movedFrom(here, known)
    if (moved === undefined) return own
    log.info('a moved repository was recognised', { worktree: here.worktree, project: moved.projectId })
    return moved
  }

  const keyOf = ({ projectId, worktree }: Place) => `${projectId} ${worktree}`

  async function resolvedFor(here: Place): Promise<Resolved> {
    const key = keyOf(here)
    const known = resolved.get(key)
    if (known !== undefined) return known
    const found = await resolve(here)
    if (resolved.size >= MAX_RESOLVED) resolved.clear()
    resolved.set(key, found)
    return found
  }

  return {
    async locate(cwd) {
      const here = await places.locate(cwd)
      // Without a commit there is nothing to know a repository by.
      if (here.head === undefined) return here
      try {
        const found = await resolvedFor(here)
        return found.projectId === here.projectId ? here : { ...here, ...found }
      } catch (thrown) {
        log.warn('not looked up whether a repository was moved', { worktree: here.worktree, error: messageOf(thrown) })
        return here
      }
    },
  }
}
