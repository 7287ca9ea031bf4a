import type { FileWork } from '../../kernel/checkpoint.ts'
import type { FileRole, Item } from '../items/item.ts'
import { ROOMS } from '../passages/scoring.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { hasCommitted } from './done.ts'

const MAX_PARTS = 2
/** An edit counts half after so many events. */
const RECENCY = 80

const NOT_THE_WORK =
  /(?:^|\/)\.claude\/(?:projects|plans|todos)|\/tasks\/|^\/tmp|^\/private\/tmp|\.output$|\/var\/folders|scratchpad|node_modules\//

export function isOfTheWork(path: string): boolean {
  return !NOT_THE_WORK.test(path)
}

/** A path by its last two parts, or by as many as tell it from the others. */
export function createShortPath(paths: readonly string[]): (path: string) => string {
  const ends = new Map<string, number>()
  for (const path of new Set(paths)) {
    const parts = path.split('/')
    for (let count = 1; count <= parts.length; count += 1) {
      const end = parts.slice(-count).join('/')
      ends.set(end, (ends.get(end) ?? 0) + 1)
    }
  }
  return (path) => {
    const parts = path.split('/')
    for (let count = Math.min(MAX_PARTS, parts.length); count < parts.length; count += 1) {
      const end = parts.slice(-count).join('/')
      if (ends.get(end) === 1) return end
    }
    return path
  }
}

interface LastCommit {
  /** The last commit that the session made, if git does not say what is uncommitted. */
  readonly at: number
  /** A commit was made in this session: a file that is edited since may be in it. */
  readonly hasCommitted: boolean
}

function roleOf({ action, edits, lastEditOrder }: FileWork, { at, hasCommitted }: LastCommit): FileRole {
  if (action === 'deleted') return 'deleted'
  if (edits === 0) return 'read'
  if (lastEditOrder !== undefined && lastEditOrder < at) return 'committed'
  const isNew = action === 'created' && !(hasCommitted && edits > 1)
  return isNew ? 'created' : 'changed'
}

interface FileCandidate {
  readonly path: string
  readonly role: FileRole
  readonly reason: string
}

export function fileItems(
  { view, git, moved, files: verdicts, uncommitted: found }: CheckedView,
  room: number = ROOMS.files,
): readonly Item[] {
  const { work } = view
  const committing = {
    // Work of earlier sessions has negative orders.
    at: (git?.dirty === undefined ? work.commits?.at(-1)?.order : undefined) ?? Number.NEGATIVE_INFINITY,
    hasCommitted: hasCommitted(work),
  }
  const own = work.files.filter(({ path, reads, edits }) => reads + edits > 0 && !NOT_THE_WORK.test(path))
  const { changed = [], untracked = [] } = work.gitStatus ?? {}
  const seen = [...untracked, ...changed]
  const uncommitted = (git?.dirty?.paths ?? seen).filter(
    (path) => !own.some((file) => file.path === path && file.edits > 0),
  )
  const short = createShortPath([...work.files.map(({ path }) => path), ...uncommitted])
  const weigh = ({ edits, lastEditOrder, lastOrder }: FileWork) =>
    Math.log2(1 + edits) + 2 * Math.exp(-(work.lastOrder - (lastEditOrder ?? lastOrder)) / RECENCY)
  const edited = own.filter(({ edits }) => edits > 0).toSorted((a, b) => weigh(b) - weigh(a))
  const read = own
    .filter(({ edits, path }) => edits === 0 && !uncommitted.includes(path))
    .toSorted((a, b) => b.lastOrder - a.lastOrder)
  const toItem = ({ path, role, reason }: FileCandidate, total: number): Item => {
    const movedTo = moved.get(path)
    const verdict = role === 'read' ? undefined : (verdicts.get(path) ?? found.get(path))
    return {
      section: 'files',
      content: { kind: 'file', path, shown: short(path), role, total, ...(movedTo === undefined ? {} : { movedTo }) },
      origin: role === 'uncommitted' ? 'git' : 'files',
      reason,
      ...(verdict === undefined ? {} : { verdict }),
    }
  }
  const items: Item[] = []
  let left = room
  const take = (candidates: readonly FileCandidate[], until: number) => {
    for (const candidate of candidates) {
      const cost = short(candidate.path).length + 2
      if (left - cost < until) return
      left -= cost
      items.push(toItem(candidate, candidates.filter(({ role }) => role === candidate.role).length))
    }
  }
  take(
    edited.map((file) => ({
      path: file.path,
      role: roleOf(file, committing),
      reason: `${file.action}, ${file.edits} edits`,
    })),
    read.length > 0 ? room * ROOMS.readShare : 0,
  )
  take(
    uncommitted.map((path) => ({
      path,
      role: git === undefined && untracked.includes(path) ? 'untracked' : 'uncommitted',
      reason: 'changed in the worktree, edited by no tool that was seen',
    })),
    room * ROOMS.readShare,
  )
  take(
    read.map((file) => ({ path: file.path, role: 'read', reason: `read ${file.reads} times` })),
    0,
  )
  return items
}
