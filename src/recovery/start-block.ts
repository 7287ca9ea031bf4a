import type { RecoveryBlock } from './use-cases.ts'
import type { Location } from '../kernel/location.ts'
import { mergeCheckpoints, type RecoveryOrigin } from './merge/merge-checkpoints.ts'
import { revalidate } from './revalidate/revalidate.ts'
import { composeRecovery, NOTICE, RECOVERY_HEADING, type SectionLine } from './compose.ts'
import { getStarter, readRecoveryInputs } from './recovery-inputs.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { createSourceSelection, SourceSelection, StartingPoint } from './select-sources.ts'
import { fence } from '../kernel/text/fence.ts'
import { describeElsewhere, isElsewhere, renderOfferedWork } from './choice/elsewhere.ts'
import type { WorkChoice } from './choice/work-choice.ts'
import {
  describeForUser,
  explainChoice,
  findChangedSince,
  getFolder,
  isFinishedWork,
  isFolderOf,
  listPassedOver,
  renderLiveSession,
} from './describe-choice.ts'
import { createNoRecoveryReason, SWITCHED_OFF } from './no-recovery-reason.ts'

const NOTHING: RecoveryBlock = { text: '', sources: [], reasons: [], offered: [] }

export interface StartBlock extends RecoveryBlock {
  readonly sections?: readonly SectionLine[]
  readonly budgetChars?: number
  /** One line for the user. */
  readonly forUser?: string
}

/** A start waits for it: what was not checked in time is `cannot-tell`. */
const RECHECK_MS = 200

function originAsSeenFrom(
  { formerWorktree }: Location,
  origin: RecoveryOrigin | undefined,
): RecoveryOrigin | undefined {
  return origin === undefined || formerWorktree === undefined || origin.worktree !== formerWorktree
    ? origin
    : { ...origin, movedFrom: formerWorktree }
}

/** Selects the sources, merges them, checks them against this disk and renders them within the budget. */
export function createStartBlock(ports: ContinuityPorts, selection: ReturnType<typeof createSourceSelection>) {
  const whySilent = createNoRecoveryReason(ports)

  /** Nothing is handed over, but the session must know that it is not alone in its worktree. */
  function renderAlone({ liveSessions, offeredWork }: SourceSelection, budgetChars: number): string {
    if (liveSessions.length + offeredWork.length === 0) return ''
    return fence({
      heading: RECOVERY_HEADING,
      notice: NOTICE,
      lines: [...liveSessions.map(renderLiveSession), ...offeredWork.map(renderOfferedWork)],
      budgetChars,
      sha256: ports.sha256,
    }).text
  }

  return async function blockFor({ place, cwd, session }: StartingPoint, maxChars: number): Promise<StartBlock> {
    const { continuity } = await ports.configFor(place.worktree)
    if (!continuity.enabled) return { ...NOTHING, reasons: SWITCHED_OFF }
    // Git takes as long as the selection, so both run at once.
    const gitState = ports.git.state(place.worktree, 'now')
    gitState.catch(() => undefined)
    const [offered, selected] = await Promise.all([
      selection.siblings(place),
      selection.select({ place, cwd, session }),
    ])
    const { sources, liveSessions, passedOver, offeredWork } = selected
    const budgetChars = Math.min(continuity.recoveryBudgetChars, maxChars)
    const now = ports.clock.now()
    if (sources === undefined) {
      const reasons = [...(await whySilent({ place, session }, offered)), ...listPassedOver(passedOver, now)]
      return { ...NOTHING, text: renderAlone(selected, budgetChars), offered, reasons, budgetChars }
    }
    const redactor = await ports.redactors.forWorktree(place.worktree, session?.cwd)
    const { checkpoints, main } = sources
    const { sessionState, ...beside } = await readRecoveryInputs(ports, {
      worktree: place.worktree,
      projectId: place.projectId,
      session,
      checkpoints,
    })
    const folded = mergeCheckpoints(checkpoints.map((stored) => stored.checkpoint))
    // A file of this worktree was not written by a session of another machine.
    const isHere = !isElsewhere(main)
    const view = {
      ...folded,
      origin: originAsSeenFrom(place, folded.origin),
      ...(isHere && { sessionState }),
    }
    // A session that has done nothing yet is given the work of the one before it.
    const owner = checkpoints[0]?.checkpoint.sessionId ?? main.id
    const starter = owner === main.id ? main : ((await ports.store.findSession(owner)) ?? main)
    const [changedSince, elsewhere, checked] = await Promise.all([
      findChangedSince(view, place, ports.git),
      describeElsewhere(ports, {
        main,
        checkpoints: checkpoints.map(({ checkpoint }) => checkpoint),
        worktree: place.worktree,
        git: ports.git,
      }),
      revalidate(view, {
        files: ports.files,
        git: { ...ports.git, state: () => gitState },
        worktree: place.worktree,
        deadline: { timers: ports.timers, withinMs: RECHECK_MS },
        // Process ids and ports of another machine mean nothing here.
        ...(isHere && { loopback: ports.loopback, processes: ports.processes, startedBy: getStarter(starter) }),
      }),
    ])
    const folder = getFolder(main.cwd, main.place?.worktree)
    const choice: WorkChoice = {
      reason: sources.reason,
      key: main.key,
      harness: main.harness,
      stoppedAt: main.lastEventAt,
      now,
      isUnderWay: sources.isUnderWay,
      isFinished: sources.reason !== 'lineage' && isFinishedWork(view, checked.git),
      ...(isFolderOf(folder, getFolder(session?.cwd ?? cwd, place.worktree)) ? {} : { otherFolder: folder }),
      liveSessions,
      passedOver,
      ...(elsewhere !== undefined && { elsewhere }),
      offeredWork,
      changedSince,
    }
    const { text, reasons, sections } = composeRecovery(
      { ...checked, view: { ...view, choice } },
      { ...beside, budgetChars, sha256: ports.sha256, redact: (line) => redactor.redact(line) },
    )
    return {
      text,
      sources: sources.checkpoints.map((stored) => stored.checkpoint.id),
      reasons: [...explainChoice(choice), ...reasons],
      offered,
      sections,
      budgetChars,
      // After a compaction, the user never left.
      ...(continuity.notifyUser && session?.source !== 'compact' && { forUser: describeForUser(choice, view) }),
    }
  }
}
