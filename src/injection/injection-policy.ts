import type { InjectionUseCases } from './use-cases.ts'
import type { InjectionText } from '../kernel/injection.ts'
import type { Recorded } from '../capture/use-cases.ts'
import { messageOf } from '../kernel/errors.ts'
import { type EventKind, type SessionEvent, sessionIdOfEvent } from '../kernel/event.ts'
import type { Session } from '../kernel/session.ts'
import { createAdvising } from '../recovery/request-compaction-hint.ts'
import type { Composing } from '../checkpoint/take-checkpoint.ts'
import type { ContinuityDeps } from '../kernel/ports/runtime.ts'
import type { Recovering } from '../recovery/recover-session.ts'
import type { Remembering } from '../memory/memory-use-cases.ts'

/** A tool's end is for what a compaction in the middle of a turn made owing, where the harness lets it be told there. */
const INJECTING: ReadonlySet<EventKind> = new Set<EventKind>([
  'session-started',
  'prompt-submitted',
  'tool-started',
  'tool-finished',
  'compaction-started',
])

/** Calls that a harness makes at once ask at once: one of them is told. */
const OFFERED_FOR_MS = 2_000
const MAX_OFFERED = 100

export interface Injecting {
  readonly inject: InjectionUseCases['inject']
  /** A start that was spooled has nobody waiting for its answer any more, but a prompt will be: has it ready. */
  prepareRecovery(event: SessionEvent, recorded: Recorded): void
}

export interface Speakers extends Pick<Remembering, 'memories' | 'negative'> {
  readonly composing: Composing
  readonly recovering: Recovering
}

/** Who has something to say at an event, in the order of what matters. */
export function createInjecting(
  deps: ContinuityDeps,
  { composing, recovering, memories, negative }: Speakers,
): Injecting {
  const advise = createAdvising(deps, composing)

  async function recover(session: Session, event: SessionEvent, maxChars: number): Promise<InjectionText | undefined> {
    const { roomChars, withWord } = await negative.breakLoop(session, maxChars)
    return withWord(await recovering.owed(session, event, roomChars))
  }

  const offeredAtMs = new Map<string, number>()

  /**
   * The start came before the daemon was up, and so may have the prompt: in a session of one prompt there is no other. A tool that
   * it is about to use is the next that its agent listens at.
   */
  async function recoverLate(session: Session, event: SessionEvent, maxChars: number) {
    if (session.epoch <= session.recoveredEpoch || event.subagent !== undefined) return undefined
    const to = `${session.id}#${session.epoch}`
    const nowMs = deps.clock.monotonicMs()
    if (nowMs - (offeredAtMs.get(to) ?? Number.NEGATIVE_INFINITY) < OFFERED_FOR_MS) return undefined
    offeredAtMs.set(to, nowMs)
    for (const oldest of offeredAtMs.keys()) if (offeredAtMs.size > MAX_OFFERED) offeredAtMs.delete(oldest)
    const { continuity } = await deps.configFor(session.place?.worktree)
    return continuity.enabled ? recover(session, event, maxChars) : undefined
  }

  return {
    prepareRecovery(event, { isNew, session }) {
      if (!isNew || event.kind !== 'session-started') return
      recover(session, event, Number.MAX_SAFE_INTEGER).catch((error: unknown) => {
        deps.log.warn('recovery not prepared', { session: session.id, error: messageOf(error) })
      })
    },

    async inject({ event, maxChars, session: recorded }) {
      if (!INJECTING.has(event.kind)) return undefined
      const session = recorded ?? (await deps.store.findSession(sessionIdOfEvent(event)))
      if (session === undefined) return undefined
      // Every tool of every session comes by here: what is looked up is in memory.
      if (event.kind === 'tool-started')
        return (await negative.beforeTool(session, event, maxChars)) ?? recoverLate(session, event, maxChars)
      const { continuity } = await deps.configFor(session.place?.worktree)
      if (!continuity.enabled) return undefined
      if (event.kind === 'compaction-started')
        return event.subagent === undefined ? advise(session, maxChars) : undefined
      const recovery = await recover(session, event, maxChars)
      if (recovery !== undefined) return recovery
      if (event.kind === 'tool-finished') return negative.beforeTool(session, event, maxChars)
      return event.kind === 'prompt-submitted' ? memories.forPrompt(session, event, maxChars) : undefined
    },
  }
}
