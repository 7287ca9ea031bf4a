import type { StoredCheckpoint } from '../kernel/checkpoint.ts'
import type { RecoveryBlock } from './use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { SessionKey } from '../kernel/id.ts'
import type { Place } from '../kernel/project.ts'
import { foldCheckpoints } from './merge/merge-checkpoints.ts'
import { recheck } from './revalidate/revalidate.ts'
import { renderRest } from './overflow.ts'
import type { Session } from '../kernel/session.ts'
import { besideCheckpoints } from './recovery-inputs.ts'
import type { ContinuityDeps } from '../kernel/ports/runtime.ts'
import type { Sources, StartingPoint } from './select-sources.ts'

const CHECKPOINTS_PER_SESSION = 50

export interface RestRequest {
  readonly place: Place
  /** Who asks; absent when nobody knows. */
  readonly session: Session | undefined
  /** Whose rest; absent: of whoever speaks to the one who asks. */
  readonly of?: SessionKey
  readonly budgetChars: number
}

/** What a recovery had no room for, within the budget that its reader chose. */
export function createResting(
  deps: ContinuityDeps,
  selection: { select(start: StartingPoint): Promise<Sources | undefined> },
  blockFor: (place: Place, session: Session | undefined, maxChars: number) => Promise<RecoveryBlock>,
) {
  async function ofSession(key: SessionKey, { projectId }: Place): Promise<readonly StoredCheckpoint[]> {
    for (const { id } of await deps.store.findSessionsByKey(key)) {
      const kept = await deps.store.listCheckpoints({ sessionId: id, limit: CHECKPOINTS_PER_SESSION })
      // Another project's text is never shown, by its name neither.
      const here = kept.filter(({ checkpoint }) => checkpoint.place.projectId === projectId)
      if (here.length > 0) return here
    }
    throw new HoldfastError('not-found', `No checkpoint of session ${JSON.stringify(key)} is kept for this project.`, {
      hint: 'The last line of the recovery names the session; `holdfast sessions list` shows the others.',
    })
  }

  /** As the ledger has it; where nothing was told, what would be. */
  async function shownTo(place: Place, session: Session | undefined): Promise<readonly string[]> {
    const [last] =
      session === undefined
        ? []
        : await deps.store.listInjections({ sessionId: session.id, kind: 'recovery', limit: 1 })
    const reasons = last !== undefined && last.chars > 0 ? last.reasons : undefined
    return (reasons ?? (await blockFor(place, session, Number.MAX_SAFE_INTEGER)).reasons).map(({ line }) => line)
  }

  return async ({ place, session, of, budgetChars }: RestRequest): Promise<RecoveryBlock> => {
    const { continuity } = await deps.configFor(place.worktree)
    const nothing: RecoveryBlock = { text: '', sources: [], reasons: [], offered: [], leftOut: 0 }
    if (!continuity.enabled) return nothing
    const checkpoints =
      of === undefined ? ((await selection.select({ place, session }))?.checkpoints ?? []) : await ofSession(of, place)
    if (checkpoints.length === 0) return nothing
    const { worktree } = place
    const { sessionState } = await besideCheckpoints(deps, { worktree, session, checkpoints })
    const view = { ...foldCheckpoints(checkpoints.map(({ checkpoint }) => checkpoint)), sessionState }
    const checked = await recheck(view, { files: deps.files, git: deps.git, worktree })
    const redactor = await deps.redactors.forWorktree(worktree, session?.cwd)
    const { text, leftCount } = renderRest(checked, {
      budgetChars,
      sha256: deps.sha256,
      redact: (line) => redactor.redact(line),
      shown: await shownTo(place, session),
    })
    return { ...nothing, text, sources: checkpoints.map(({ checkpoint }) => checkpoint.id), leftOut: leftCount }
  }
}
