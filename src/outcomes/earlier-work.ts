import type { StoredCheckpoint } from '../kernel/checkpoint.ts'
import { CheckpointId } from '../kernel/id.ts'
import type { Injection, Verdict } from '../kernel/injection.ts'
import type { Place } from '../kernel/project.ts'
import type { EarlierWork } from './compute-outcome.ts'
import type { Receipt, Standing } from '../kernel/start-outcome.ts'
import { rereadFiles } from './repeated-work.ts'
import type { EpochTrace } from './trace.ts'
import { foldCheckpoints } from '../recovery/merge/merge-checkpoints.ts'
import type { Session } from '../kernel/session.ts'
import { isScratch } from '../kernel/paths/paths.ts'
import type { ContinuityDeps } from '../kernel/ports/runtime.ts'

/** The newest hold what the older ones of the same session do. */
const SOURCES_READ = 12
const CANDIDATES = 50
const MAX_FILE_BYTES = 2_000_000

const STANDING_OF: Readonly<Record<Verdict, Standing>> = {
  holds: 'unchanged',
  changed: 'changed',
  gone: 'changed',
  'cannot-tell': 'cannot-tell',
}

interface Beginning {
  readonly session: Session
  readonly place: Place
  readonly trace: EpochTrace
  readonly injections: readonly Injection[]
}

/** What had been done before a start, and what of it still stood. */
export function createEarlierWork(deps: Pick<ContinuityDeps, 'store' | 'files'>) {
  async function toldFrom({ sources }: Injection): Promise<readonly StoredCheckpoint[]> {
    const found: StoredCheckpoint[] = []
    for (const source of sources.slice(0, SOURCES_READ)) {
      const stored = await deps.store.findCheckpoint(CheckpointId(source))
      if (stored !== undefined) found.push(stored)
    }
    return found
  }

  /** Nobody told it anything: what it would have been told is the latest work in the worktree. */
  async function latestIn({ session, place, trace }: Beginning): Promise<readonly StoredCheckpoint[]> {
    // An imported session stands in the log where it was imported, which says nothing about what came before it.
    if (session.endReason === 'imported') return []
    const isContinued = trace.source === 'resume' || trace.source === 'compact' || trace.source === 'fork'
    const kept = await deps.store.listCheckpoints({
      projectId: place.projectId,
      worktree: place.worktree,
      limit: CANDIDATES,
    })
    const newest = kept.find(
      ({ checkpoint }) => checkpoint.eventSeq < trace.startSeq && (isContinued || checkpoint.sessionId !== session.id),
    )
    return newest === undefined ? [] : [newest]
  }

  return {
    /** Undefined where there was nothing before, or nothing is left of it. */
    async before(beginning: Beginning): Promise<EarlierWork | undefined> {
      const recovery = beginning.injections.find(({ kind }) => kind === 'recovery')
      const stored = recovery === undefined ? await latestIn(beginning) : await toldFrom(recovery)
      if (stored.length === 0) return undefined
      const checkpoints = stored.map(({ checkpoint }) => checkpoint)
      return {
        sessions: [...new Set(checkpoints.map(({ sessionId }) => sessionId))],
        work: foldCheckpoints(checkpoints).work,
      }
    },

    /** Whether files that were read again were as the earlier work had left them. What was found out once is not asked again. */
    async standings({
      place,
      trace,
      injections,
      earlier,
      stored,
    }: Omit<Beginning, 'session'> & {
      readonly earlier: EarlierWork | undefined
      readonly stored: Receipt | undefined
    }): Promise<(path: string) => Standing> {
      const standings = new Map<string, Standing>()
      for (const { path, isEditedAfter } of earlier === undefined ? [] : rereadFiles(trace, earlier.work)) {
        const known = stored?.rework?.filesReread.find((file) => file.path === path)?.standing
        const shown = injections.flatMap(({ reasons }) => reasons).find(({ line }) => line === path)?.verdict
        if (known !== undefined && known !== 'cannot-tell') standings.set(path, known)
        else if (shown !== undefined && shown !== 'cannot-tell') standings.set(path, STANDING_OF[shown])
        else if (!isEditedAfter && !isScratch(path)) {
          const then = earlier?.work.files.find((file) => file.path === path)?.contentHash
          const now = await deps.files.contentHash(`${place.worktree}/${path}`, MAX_FILE_BYTES)
          // Another content now may have come before it was read again, or after.
          if (then !== undefined && then === now) standings.set(path, 'unchanged')
        }
      }
      return (path) => standings.get(path) ?? 'cannot-tell'
    },
  }
}
