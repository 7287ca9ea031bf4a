import type { Config } from '../kernel/config.ts'
import { didWork, hasContent, isNoteOnly } from '../checkpoint/did-work.ts'
import type { Checkpoint } from '../kernel/checkpoint.ts'
import type { Location } from '../kernel/location.ts'
import { isImported } from '../kernel/ports/newest-first.ts'
import type { Session } from '../kernel/session.ts'
import type { SourceReason } from './choice/work-choice.ts'
import { getFolder, isFolderOf } from './describe-choice.ts'

const DAY_MS = 86_400_000

/** How old the work of another session may be. A longer window for work under way extends it. */
export function findWindowMs({ recoveryWindowMs, recoveryWindowDays }: Config['continuity']): number {
  return Math.max(recoveryWindowMs, recoveryWindowDays * DAY_MS)
}

/** The transcripts of some harnesses do not say which branch a session was on: it may have been this one. */
function mayBeOnBranch(session: Session, branch: string | undefined): boolean {
  return session.place?.branch === branch || (session.place?.branch === undefined && isImported(session))
}

/** Opened and never used: it has no work to continue and no events to read. */
export function isUnused({ promptCount, hasNewWork, lastCheckpointAt }: Session): boolean {
  return promptCount === 0 && !hasNewWork && lastCheckpointAt === undefined
}

interface RankedSession {
  readonly reason: SourceReason
  readonly session: Session
}

/** Sessions of a worktree in the order in which their work is chosen: this branch first, and of each branch this folder first. */
export function rankByPlace(
  newestFirst: readonly Session[],
  { branch }: Pick<Location, 'branch'>,
  startFolder: string,
  /** On other machines, on this branch: by their times among those of this branch here. */
  elsewhere: readonly Session[] = [],
): readonly RankedSession[] {
  const rankOf = (session: Session) =>
    (mayBeOnBranch(session, branch) ? 0 : 2) +
    (isFolderOf(getFolder(session.cwd, session.place?.worktree), startFolder) ? 0 : 1)
  const here = newestFirst
    .map((session) => ({ session, rank: rankOf(session) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ session, rank }) => ({
      session,
      rank,
      reason: rank < 2 ? ('same-worktree-and-branch' as const) : ('same-worktree' as const),
    }))
  const ranked: RankedSession[] = []
  const waiting = [...elsewhere]
  for (const { session, rank, reason } of here) {
    const firstOlder = waiting.findIndex(({ lastEventAt }) => rank < 2 && lastEventAt <= session.lastEventAt)
    const newer = waiting.splice(0, firstOlder === -1 ? waiting.length : firstOlder)
    ranked.push(...newer.map((other) => ({ session: other, reason: 'other-machine' as const })), { session, reason })
  }
  return [...ranked, ...waiting.map((other) => ({ session: other, reason: 'other-machine' as const }))]
}

export interface WorkListing {
  /** Of this worktree, newest first. */
  readonly sessions: readonly Session[]
  /** The newest checkpoint of a session, brought up to date; undefined without one. */
  readonly findNewest: (session: Session) => Promise<Checkpoint | undefined>
}

/** The work, with a note that was saved about it later. */
function withNote(checkpoint: Checkpoint, { written, nextAction, createdAt }: Checkpoint): Checkpoint {
  if (written === undefined || createdAt < checkpoint.createdAt) return checkpoint
  return {
    ...checkpoint,
    written: { ...written, order: checkpoint.work.lastOrder },
    ...(nextAction !== undefined && { nextAction }),
  }
}

/**
 * The work that a command without a session refers to: chosen as for a starting session, except that it may still be
 * under way in a live one.
 */
export async function findWork(
  { sessions, findNewest }: WorkListing,
  { place, cwd }: { readonly place: Location; readonly cwd: string },
): Promise<Checkpoint | undefined> {
  let note: Checkpoint | undefined
  let newest: Checkpoint | undefined
  const used = sessions.filter((session) => !isUnused(session))
  for (const { session } of rankByPlace(used, place, getFolder(cwd, place.worktree))) {
    const checkpoint = await findNewest(session)
    if (checkpoint === undefined || !hasContent(checkpoint)) continue
    newest ??= checkpoint
    if (isNoteOnly(checkpoint)) note ??= checkpoint
    else if (didWork(checkpoint)) return note === undefined ? checkpoint : withNote(checkpoint, note)
  }
  return newest
}
