import { renderOverflow } from './render-overflow.ts'
import { revalidate } from './revalidate/revalidate.ts'
import type { StoredCheckpoint } from '../kernel/checkpoint.ts'
import type { RecoveryBlock } from './use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { SessionKey } from '../kernel/id.ts'
import { mergeCheckpoints } from './merge/merge-checkpoints.ts'
import { readRecoveryInputs } from './recovery-inputs.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { SourceSelection, StartingPoint } from './select-sources.ts'

const CHECKPOINTS_PER_SESSION = 50

export interface OverflowRequest extends StartingPoint {
  /** The session whose overflow is wanted; default: the recovery's main session. */
  readonly of?: SessionKey
  readonly budgetChars: number
}

/** What a recovery had no room for, within the requested budget. */
export function createOverflowQuery(
  ports: ContinuityPorts,
  selection: { select(start: StartingPoint): Promise<SourceSelection> },
  blockFor: (start: StartingPoint, maxChars: number) => Promise<RecoveryBlock>,
) {
  async function ofSession(
    key: SessionKey,
    { projectId }: StartingPoint['place'],
  ): Promise<readonly StoredCheckpoint[]> {
    for (const { id } of await ports.store.findSessionsByKey(key)) {
      const stored = await ports.store.listCheckpoints({ sessionId: id, limit: CHECKPOINTS_PER_SESSION })
      // Text of another project is never shown.
      const here = stored.filter(({ checkpoint }) => checkpoint.place.projectId === projectId)
      if (here.length > 0) return here
    }
    throw new HoldfastError(
      'not-found',
      `No checkpoint of session ${JSON.stringify(key)} is stored for this project.`,
      {
        hint: 'The last line of the recovery names the session; `holdfast sessions list` shows the others.',
      },
    )
  }

  /** From the ledger, or from a new block if nothing was injected. */
  async function shownTo(start: StartingPoint): Promise<readonly string[]> {
    const { session } = start
    const [last] =
      session === undefined
        ? []
        : await ports.store.listInjections({ sessionId: session.id, kind: 'recovery', limit: 1 })
    const reasons = last !== undefined && last.chars > 0 ? last.reasons : undefined
    return (reasons ?? (await blockFor(start, Number.MAX_SAFE_INTEGER)).reasons).map(({ line }) => line)
  }

  return async ({ place, session, of, budgetChars }: OverflowRequest): Promise<RecoveryBlock> => {
    const { continuity } = await ports.configFor(place.worktree)
    const nothing: RecoveryBlock = { text: '', sources: [], reasons: [], offered: [], leftOut: 0 }
    if (!continuity.enabled) return nothing
    const checkpoints =
      of === undefined
        ? ((await selection.select({ place, session })).sources?.checkpoints ?? [])
        : await ofSession(of, place)
    if (checkpoints.length === 0) return nothing
    const { worktree, projectId } = place
    const { sessionState } = await readRecoveryInputs(ports, { worktree, projectId, session, checkpoints })
    const view = { ...mergeCheckpoints(checkpoints.map(({ checkpoint }) => checkpoint)), sessionState }
    const checked = await revalidate(view, { files: ports.files, git: ports.git, worktree })
    const redactor = await ports.redactors.forWorktree(worktree, session?.cwd)
    const { text, leftCount } = renderOverflow(checked, {
      budgetChars,
      sha256: ports.sha256,
      redact: (line) => redactor.redact(line),
      shown: await shownTo({ place, session }),
    })
    return { ...nothing, text, sources: checkpoints.map(({ checkpoint }) => checkpoint.id), leftOut: leftCount }
  }
}
