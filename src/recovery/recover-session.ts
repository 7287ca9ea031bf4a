import { createInjection, type InjectionText } from '../kernel/injection.ts'
import type { RecoveryUseCases, RecoveryBlock } from './use-cases.ts'
import { type SessionEvent, getSessionId } from '../kernel/event.ts'
import type { Location } from '../kernel/location.ts'
import { mergeCheckpoints, type RecoveryOrigin } from './merge/merge-checkpoints.ts'
import { revalidate } from './revalidate/revalidate.ts'
import { renderRecovery } from './render.ts'
import { advance, type Session } from '../kernel/session.ts'
import type { Checkpointer } from '../checkpoint/take-checkpoint.ts'
import { readRecoveryInputs } from './recovery-inputs.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import { createOverflowQuery } from './overflow.ts'
import { createSourceSelection, type StartingPoint } from './select-sources.ts'
import { createNoRecoveryReason, INJECTED_BEFORE, SWITCHED_OFF } from './no-recovery-reason.ts'
import { BoundedMap } from '../kernel/structures/bounded-map.ts'

const NOTHING: RecoveryBlock = { text: '', sources: [], reasons: [], offered: [] }

const PREPARED_FOR_MS = 60_000
/** A start waits for it: what was not checked in time is `cannot-tell`. */
const RECHECK_MS = 200
const MAX_PREPARED = 100

export interface SessionRecovery {
  readonly preview: RecoveryUseCases['previewRecovery']
  /** The recovery owed to this session; undefined if it was injected already or nothing is known. */
  owed(session: Session, event: SessionEvent, maxChars: number): Promise<InjectionText | undefined>
  /** The text for a start that could not be stored, from what can still be read. Writes nothing; empty if nothing is known. */
  readonly recoverUnrecorded: (event: SessionEvent, maxChars: number) => Promise<string>
}

function originAsSeenFrom(
  { formerWorktree }: Location,
  origin: RecoveryOrigin | undefined,
): RecoveryOrigin | undefined {
  return origin === undefined || formerWorktree === undefined || origin.worktree !== formerWorktree
    ? origin
    : { ...origin, movedFrom: formerWorktree }
}

/** Selects the sources, merges them, checks them against this disk and renders them within the budget. */
export function createSessionRecovery(
  ports: ContinuityPorts,
  checkpointer: Pick<Checkpointer, 'checkpoint'>,
): SessionRecovery {
  const selection = createSourceSelection(ports, checkpointer)
  const whySilent = createNoRecoveryReason(ports)
  const prepared = new BoundedMap<string, { readonly text: Promise<InjectionText | undefined>; readonly atMs: number }>(
    MAX_PREPARED,
  )

  async function blockFor({ place, session }: StartingPoint, maxChars: number): Promise<RecoveryBlock> {
    const { continuity } = await ports.configFor(place.worktree)
    if (!continuity.enabled) return { ...NOTHING, reasons: SWITCHED_OFF }
    const offered = await selection.siblings(place)
    const sources = await selection.select({ place, session })
    if (sources === undefined) return { ...NOTHING, offered, reasons: await whySilent({ place, session }, offered) }
    const redactor = await ports.redactors.forWorktree(place.worktree, session?.cwd)
    const { checkpoints } = sources
    const { sessionState, ...beside } = await readRecoveryInputs(ports, {
      worktree: place.worktree,
      session,
      checkpoints,
    })
    const folded = mergeCheckpoints(checkpoints.map((stored) => stored.checkpoint))
    const view = { ...folded, origin: originAsSeenFrom(place, folded.origin), sessionState }
    const checked = await revalidate(view, {
      files: ports.files,
      git: ports.git,
      worktree: place.worktree,
      deadline: { timers: ports.timers, withinMs: RECHECK_MS },
    })
    const budgetChars = Math.min(continuity.recoveryBudgetChars, maxChars)
    const { text, reasons } = renderRecovery(checked, {
      ...beside,
      budgetChars,
      sha256: ports.sha256,
      redact: (line) => redactor.redact(line),
    })
    return {
      text,
      sources: sources.checkpoints.map((stored) => stored.checkpoint.id),
      reasons: [{ line: '', origin: 'selection', reason: sources.reason }, ...reasons],
      offered,
    }
  }

  const queryOverflow = createOverflowQuery(ports, selection, blockFor)

  /** A resumed conversation still has its earlier injections, unless it was compacted since. */
  async function wasInjected(session: Session, textHash: string): Promise<boolean> {
    if (session.source !== 'resume' || ports.forgetsInjections?.(session.harness) === true) return false
    const [last] = await ports.store.listInjections({ sessionId: session.id, kind: 'recovery', limit: 1 })
    return last?.textHash === textHash
  }

  async function prepare(session: Session, place: Location, maxChars: number): Promise<InjectionText | undefined> {
    const block = await blockFor({ place, session }, maxChars)
    const injection = createInjection(ports, session, 'recovery', block)
    const isSilent = block.text === ''
    if (!isSilent && !(await wasInjected(session, injection.injection.textHash))) return injection
    const reasons = isSilent ? block.reasons : [INJECTED_BEFORE, ...block.reasons]
    // An empty recovery is recorded too, or another session's end would be injected in the middle of this one.
    await ports.store.recordInjection({ ...injection.injection, reasons, chars: 0 })
    return undefined
  }

  /** A recovery that was too late for one hook is ready for the next: a slow machine must not start over at every prompt. */
  function preparedFor(session: Session, place: Location, maxChars: number): Promise<InjectionText | undefined> {
    const key = `${session.id}#${session.epoch}`
    const known = prepared.get(key)
    if (known !== undefined && ports.clock.monotonicMs() - known.atMs < PREPARED_FOR_MS) return known.text
    const text = prepare(session, place, maxChars)
    prepared.set(key, { text, atMs: ports.clock.monotonicMs() })
    text.catch(() => prepared.delete(key))
    return text
  }

  return {
    async preview({ cwd, harness, sessionKey, restChars, restOf }) {
      const place = await ports.locator.locate(cwd)
      const known = sessionKey === undefined ? [] : await ports.store.findSessionsByKey(sessionKey)
      const session = known.find((candidate) => harness === undefined || candidate.harness === harness)
      if (restChars === undefined) return blockFor({ place, session }, Number.MAX_SAFE_INTEGER)
      return queryOverflow({ place, session, budgetChars: restChars, of: restOf })
    },

    async owed(session, event, maxChars) {
      const isOwed = session.epoch > session.recoveredEpoch
      if (!isOwed || session.place === undefined || event.subagent !== undefined) return undefined
      return preparedFor(session, session.place, maxChars)
    },

    async recoverUnrecorded(event, maxChars) {
      if (event.kind !== 'session-started' || event.cwd === undefined || event.subagent !== undefined) return ''
      const place = await ports.locator.locate(event.cwd)
      const { continuity: cadence } = await ports.configFor(place.worktree)
      const known = await ports.store.findSession(getSessionId(event))
      // The session as if its start had been stored: a resume or a compaction decides on the sources.
      const { session } = advance(known, event, { seq: 0, location: place, cadence })
      return (await blockFor({ place, session }, maxChars)).text
    },
  }
}
