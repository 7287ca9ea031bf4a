import type { Continuity, InjectionText, Recorded } from '../continuity.ts'
import { messageOf } from '../errors.ts'
import { type EventKind, type SessionEvent, sessionIdOfEvent } from '../event.ts'
import type { Session } from '../session.ts'
import { createAdvising } from './advising.ts'
import type { Composing } from './composing.ts'
import type { ContinuityDeps } from './deps.ts'
import type { Recovering } from './recovering.ts'
import type { Remembering } from './remembering.ts'

/** A tool's end is for what a compaction in the middle of a turn made owing, where the harness lets it be told there. */
const INJECTING: ReadonlySet<EventKind> = new Set<EventKind>([
  'session-started',
  'prompt-submitted',
  'tool-started',
  'tool-finished',
  'compaction-started',
])

export interface Injecting {
  readonly inject: Continuity['inject']
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
      if (event.kind === 'tool-started') return negative.beforeTool(session, event, maxChars)
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
