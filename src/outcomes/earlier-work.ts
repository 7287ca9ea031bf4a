import type { StoredCheckpoint } from '../kernel/checkpoint.ts'
import { CheckpointId } from '../kernel/id.ts'
import type { Injection, Verdict } from '../kernel/injection.ts'
import type { Location } from '../kernel/location.ts'
import type { EarlierWork } from './compute-outcome.ts'
import type { StartOutcome, RereadState } from '../kernel/start-outcome.ts'
import { findRereads } from './compute-outcome.ts'
import type { StartTrace } from './start-trace.ts'
import { mergeCheckpoints } from '../recovery/merge/merge-checkpoints.ts'
import type { Session } from '../kernel/session.ts'
import { isScratch } from '../kernel/paths/paths.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'

/** The newest repeat what older ones of the same session contain. */
const SOURCES_READ = 12
const CANDIDATES = 50
const MAX_FILE_BYTES = 2_000_000

const REREAD_STATES: Readonly<Record<Verdict, RereadState>> = {
  holds: 'unchanged',
  changed: 'changed',
  gone: 'changed',
  'cannot-tell': 'cannot-tell',
}

interface StartContext {
  readonly session: Session
  readonly place: Location
  readonly trace: StartTrace
  readonly injections: readonly Injection[]
}

/** The work before a start, and whether its files are unchanged. */
export function createEarlierWork(deps: Pick<ContinuityPorts, 'store' | 'files'>) {
  async function loadSources({ sources }: Injection): Promise<readonly StoredCheckpoint[]> {
    const found: StoredCheckpoint[] = []
    for (const source of sources.slice(0, SOURCES_READ)) {
      const stored = await deps.store.findCheckpoint(CheckpointId(source))
      if (stored !== undefined) found.push(stored)
    }
    return found
  }

  /** For a start without recovery: the latest work in the worktree. */
  async function findLatest({ session, place, trace }: StartContext): Promise<readonly StoredCheckpoint[]> {
    // The log position of an imported session is not the time of its work.
    if (session.endReason === 'imported') return []
    const isContinued = trace.source === 'resume' || trace.source === 'compact' || trace.source === 'fork'
    const candidates = await deps.store.listCheckpoints({
      projectId: place.projectId,
      worktree: place.worktree,
      limit: CANDIDATES,
    })
    const newest = candidates.find(
      ({ checkpoint }) => checkpoint.eventSeq < trace.startSeq && (isContinued || checkpoint.sessionId !== session.id),
    )
    return newest === undefined ? [] : [newest]
  }

  return {
    /** Undefined without earlier work, or when its checkpoints are gone. */
    async before(start: StartContext): Promise<EarlierWork | undefined> {
      const recovery = start.injections.find(({ kind }) => kind === 'recovery')
      const stored = recovery === undefined ? await findLatest(start) : await loadSources(recovery)
      if (stored.length === 0) return undefined
      const checkpoints = stored.map(({ checkpoint }) => checkpoint)
      return {
        sessions: [...new Set(checkpoints.map(({ sessionId }) => sessionId))],
        work: mergeCheckpoints(checkpoints).work,
      }
    },

    /** Whether reread files were unchanged. A stored answer is not computed again. */
    async checkRereads({
      place,
      trace,
      injections,
      earlier,
      stored,
    }: Omit<StartContext, 'session'> & {
      readonly earlier: EarlierWork | undefined
      readonly stored: StartOutcome | undefined
    }): Promise<(path: string) => RereadState> {
      const states = new Map<string, RereadState>()
      for (const { path, isEditedAfter } of earlier === undefined ? [] : findRereads(trace, earlier.work)) {
        const known = stored?.rework?.filesReread.find((file) => file.path === path)?.standing
        const shown = injections.flatMap(({ reasons }) => reasons).find(({ line }) => line === path)?.verdict
        if (known !== undefined && known !== 'cannot-tell') states.set(path, known)
        else if (shown !== undefined && shown !== 'cannot-tell') states.set(path, REREAD_STATES[shown])
        else if (!isEditedAfter && !isScratch(path)) {
          const then = earlier?.work.files.find((file) => file.path === path)?.contentHash
          const now = await deps.files.contentHash(`${place.worktree}/${path}`, MAX_FILE_BYTES)
          // Different content now does not say whether it changed before or after the reread.
          if (then !== undefined && then === now) states.set(path, 'unchanged')
        }
      }
      return (path) => states.get(path) ?? 'cannot-tell'
    },
  }
}
