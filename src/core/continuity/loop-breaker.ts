import type { InjectionText } from '../continuity.ts'
import { COMPACTED_AGAIN, compactedAgain } from '../negative/wording.ts'
import type { Session } from '../session.ts'
import type { AttemptWatch } from './attempt-watch.ts'
import type { ContinuityDeps } from './deps.ts'

const MIN_RECOVERY_CHARS = 600

export interface LoopBreaker {
  /** How much a recovery may say: half as much for every round that brought nothing new. */
  roomFor(session: Session, maxChars: number): Promise<number>
  /** The recovery, with word of the loop before it; as it was when there is none. */
  withWord(session: Session, recovery: InjectionText | undefined): Promise<InjectionText | undefined>
}

/** Compact, read the same again, compact: what was told each time did not help, so less of it is, and somebody is told. */
export function createLoopBreaker(
  deps: Pick<ContinuityDeps, 'configFor' | 'sha256'>,
  watch: Pick<AttemptWatch, 'stateOf'>,
): LoopBreaker {
  async function roundOf(session: Session) {
    if (session.source !== 'compact') return undefined
    const { loops } = await deps.configFor(session.place?.worktree)
    if (!loops.warn) return undefined
    const { round } = await watch.stateOf(session)
    return round.idle === 0 ? undefined : round
  }

  return {
    async roomFor(session, maxChars) {
      const round = await roundOf(session)
      if (round === undefined) return maxChars
      const { continuity } = await deps.configFor(session.place?.worktree)
      const room = Math.max(MIN_RECOVERY_CHARS, Math.floor(continuity.recoveryBudgetChars / 2 ** round.idle))
      return Math.min(maxChars, room)
    },
    async withWord(session, recovery) {
      const round = recovery === undefined ? undefined : await roundOf(session)
      if (recovery === undefined || round === undefined || recovery.injection.kind !== 'recovery') return recovery
      const word = compactedAgain(round)
      const text = `${COMPACTED_AGAIN}\n${word}\n\n${recovery.text}`
      const reason = `${round.idle} rounds between compactions with nothing new`
      return {
        ...recovery,
        text,
        forUser: word,
        injection: {
          ...recovery.injection,
          chars: text.length,
          textHash: deps.sha256(text),
          reasons: [{ line: word, origin: 'loop-breaker', reason }, ...recovery.injection.reasons],
        },
      }
    },
  }
}
