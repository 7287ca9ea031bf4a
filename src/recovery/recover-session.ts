import type { SectionScores } from './items/candidates.ts'
import { createInjection, type InjectionText } from '../kernel/injection.ts'
import type { RecoveryUseCases, RecoveryBlock } from './use-cases.ts'
import { type SessionEvent, sessionIdOfEvent } from '../kernel/event.ts'
import type { Place } from '../kernel/project.ts'
import { foldCheckpoints, type RecoveryOrigin } from './merge/merge-checkpoints.ts'
import { recheck } from './revalidate/revalidate.ts'
import { renderRecovery } from './render.ts'
import { advance, type Session } from '../kernel/session.ts'
import type { Composing } from '../checkpoint/take-checkpoint.ts'
import { besideCheckpoints } from './recovery-inputs.ts'
import type { ContinuityDeps } from '../kernel/ports/runtime.ts'
import { createResting } from './overflow-query.ts'
import { createSourceSelection } from './select-sources.ts'
import { createWhySilent, SAID_BEFORE, SWITCHED_OFF } from './no-recovery-reason.ts'

const NOTHING: RecoveryBlock = { text: '', sources: [], reasons: [], offered: [] }

const PREPARED_FOR_MS = 60_000
/** A start waits for it: what was not looked at by then says that it cannot tell. */
const RECHECK_MS = 200
const MAX_PREPARED = 100

export interface Recovering {
  readonly preview: RecoveryUseCases['previewRecovery']
  /** The recovery owed to this session; undefined when it has been served or nothing is known. */
  owed(session: Session, event: SessionEvent, maxChars: number): Promise<InjectionText | undefined>
  /** The text for a start that the store could not keep, from what it can still read. Writes nothing of its own; empty when nothing is known. */
  readonly unkept: (event: SessionEvent, maxChars: number) => Promise<string>
}

function originAsSeenFrom({ formerWorktree }: Place, origin: RecoveryOrigin | undefined): RecoveryOrigin | undefined {
  return origin === undefined || formerWorktree === undefined || origin.worktree !== formerWorktree
    ? origin
    : { ...origin, movedFrom: formerWorktree }
}

/** Chooses who speaks, re-checks what they say against this disk, and says it within the budget. */
export function createRecovering(
  deps: ContinuityDeps,
  composing: Pick<Composing, 'checkpoint'>,
  outcomes: SectionScores,
): Recovering {
  const selection = createSourceSelection(deps, composing)
  const whySilent = createWhySilent(deps)
  const prepared = new Map<string, { readonly text: Promise<InjectionText | undefined>; readonly atMs: number }>()

  async function blockFor(place: Place, session: Session | undefined, maxChars: number): Promise<RecoveryBlock> {
    const { continuity } = await deps.configFor(place.worktree)
    if (!continuity.enabled) return { ...NOTHING, reasons: SWITCHED_OFF }
    const offered = await selection.siblings(place)
    const sources = await selection.select({ place, session })
    if (sources === undefined) return { ...NOTHING, offered, reasons: await whySilent({ place, session }, offered) }
    const redactor = await deps.redactors.forWorktree(place.worktree, session?.cwd)
    const { checkpoints } = sources
    const { sessionState, ...beside } = await besideCheckpoints(deps, {
      worktree: place.worktree,
      session,
      checkpoints,
    })
    const folded = foldCheckpoints(checkpoints.map((stored) => stored.checkpoint))
    const view = { ...folded, origin: originAsSeenFrom(place, folded.origin), sessionState }
    const checked = await recheck(view, {
      files: deps.files,
      git: deps.git,
      worktree: place.worktree,
      deadline: { timers: deps.timers, withinMs: RECHECK_MS },
    })
    const budgetChars = Math.min(continuity.recoveryBudgetChars, maxChars)
    const adjust = await outcomes.adjustmentFor(place.projectId, place.worktree)
    const { text, reasons } = renderRecovery(checked, {
      ...beside,
      budgetChars,
      ...(adjust === undefined ? {} : { adjust }),
      sha256: deps.sha256,
      redact: (line) => redactor.redact(line),
    })
    return {
      text,
      sources: sources.checkpoints.map((stored) => stored.checkpoint.id),
      reasons: [{ line: '', origin: 'selection', reason: sources.reason }, ...reasons],
      offered,
    }
  }

  const rest = createResting(deps, selection, blockFor)

  /** A resumed conversation still holds what it was told before, unless it was compacted since. */
  async function wasTold(session: Session, textHash: string): Promise<boolean> {
    if (session.source !== 'resume' || deps.forgetsInjections?.(session.harness) === true) return false
    const [last] = await deps.store.listInjections({ sessionId: session.id, kind: 'recovery', limit: 1 })
    return last?.textHash === textHash
  }

  async function prepare(session: Session, place: Place, maxChars: number): Promise<InjectionText | undefined> {
    const block = await blockFor(place, session, maxChars)
    const injection = createInjection(deps, session, 'recovery', block)
    const isSilent = block.text === ''
    if (!isSilent && !(await wasTold(session, injection.injection.textHash))) return injection
    const reasons = isSilent ? block.reasons : [SAID_BEFORE, ...block.reasons]
    // Nothing to say is an answer too, given once, or another session's end would be told in the middle of this one.
    await deps.store.recordInjection({ ...injection.injection, reasons, chars: 0 })
    return undefined
  }

  /** What came too late for one hook is ready for the next: a slow machine must not begin anew at every prompt. */
  function preparedFor(session: Session, place: Place, maxChars: number): Promise<InjectionText | undefined> {
    const key = `${session.id}#${session.epoch}`
    const known = prepared.get(key)
    if (known !== undefined && deps.clock.monotonicMs() - known.atMs < PREPARED_FOR_MS) return known.text
    const text = prepare(session, place, maxChars)
    prepared.set(key, { text, atMs: deps.clock.monotonicMs() })
    text.catch(() => prepared.delete(key))
    for (const oldest of prepared.keys()) if (prepared.size > MAX_PREPARED) prepared.delete(oldest)
    return text
  }

  return {
    async preview({ cwd, harness, sessionKey, restChars, restOf }) {
      const place = await deps.places.locate(cwd)
      const known = sessionKey === undefined ? [] : await deps.store.findSessionsByKey(sessionKey)
      const session = known.find((candidate) => harness === undefined || candidate.harness === harness)
      if (restChars === undefined) return blockFor(place, session, Number.MAX_SAFE_INTEGER)
      return rest({ place, session, budgetChars: restChars, ...(restOf === undefined ? {} : { of: restOf }) })
    },

    async owed(session, event, maxChars) {
      const isOwed = session.epoch > session.recoveredEpoch
      if (!isOwed || session.place === undefined || event.subagent !== undefined) return undefined
      return preparedFor(session, session.place, maxChars)
    },

    async unkept(event, maxChars) {
      if (event.kind !== 'session-started' || event.cwd === undefined || event.subagent !== undefined) return ''
      const place = await deps.places.locate(event.cwd)
      const { continuity: cadence } = await deps.configFor(place.worktree)
      const known = await deps.store.findSession(sessionIdOfEvent(event))
      // The session as it would be had its start been kept: whether it was resumed or compacted decides who speaks.
      const { session } = advance(known, event, { seq: 0, place, cadence })
      return (await blockFor(place, session, maxChars)).text
    },
  }
}
