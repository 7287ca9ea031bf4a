import type { LoopConfig } from '../../kernel/config.ts'
import type { InjectionText } from '../../kernel/injection.ts'
import type { Round } from './attempts.ts'
import { COMPACTED_AGAIN, compactedAgain, compactedAgainInShort } from './wording.ts'
import type { Session } from '../../kernel/session.ts'
import type { AttemptWatch } from './attempt-watch.ts'
import type { ContinuityDeps } from '../../kernel/ports/runtime.ts'

const MIN_RECOVERY_CHARS = 600
/** With less, the recovery itself comes first, and only the user is told. */
const MIN_BLOCK_CHARS = 250

export interface LoopBreak {
  /** How much the recovery may say. */
  readonly roomChars: number
  /** The recovery, with word of the loop before it; as it was where nothing goes round. Never longer together than what there is. */
  readonly withWord: (recovery: InjectionText | undefined) => InjectionText | undefined
}

interface Room {
  readonly totalChars: number
  /** Of the recovery, before the session went round. */
  readonly fullChars: number
}

export interface LoopBreaker {
  /** Half as much for every round that brought nothing new, and somebody is told why. */
  breakLoop(session: Session, maxChars: number): Promise<LoopBreak>
}

const ORIGIN = 'loop-breaker'
/** As many rounds as are looked back over for what was told before the first of them. */
const LOOKED_BACK = 20

const headed = (word: string) => `${COMPACTED_AGAIN}\n${word}\n\n`

/** Compact, read the same again, compact: what was told each time did not help, so less of it is, and somebody is told. */
export function createLoopBreaker(
  deps: Pick<ContinuityDeps, 'configFor' | 'sha256' | 'store'>,
  watch: Pick<AttemptWatch, 'stateOf'>,
): LoopBreaker {
  async function roundOf(session: Session, loops: LoopConfig): Promise<Round | undefined> {
    if (session.source !== 'compact' || !loops.warn) return undefined
    const { round } = await watch.stateOf(session)
    return round.idle === 0 ? undefined : round
  }

  /** How long the recovery was before the session went round; undefined where none was told. */
  async function charsBefore({ id }: Session): Promise<number | undefined> {
    const told = await deps.store.listInjections({ sessionId: id, kind: 'recovery', limit: LOOKED_BACK })
    return told.find(({ chars, reasons }) => chars > 0 && !reasons.some(({ origin }) => origin === ORIGIN))?.chars
  }

  function tell(round: Round, recovery: InjectionText, { totalChars, fullChars }: Room): InjectionText {
    const forUser = compactedAgain(round, recovery.text.length < fullChars)
    const word = [forUser, compactedAgainInShort(round)].find(
      (known) => headed(known).length + recovery.text.length <= totalChars,
    )
    if (word === undefined) return { ...recovery, forUser }
    const text = `${headed(word)}${recovery.text}`
    const reason = `${round.idle} rounds between compactions with nothing new`
    return {
      ...recovery,
      text,
      forUser,
      injection: {
        ...recovery.injection,
        chars: text.length,
        textHash: deps.sha256(text),
        reasons: [{ line: word, origin: ORIGIN, reason }, ...recovery.injection.reasons],
      },
    }
  }

  return {
    async breakLoop(session, maxChars) {
      const { continuity, loops } = await deps.configFor(session.place?.worktree)
      const round = await roundOf(session, loops)
      if (round === undefined) return { roomChars: maxChars, withWord: (recovery) => recovery }
      const { recoveryBudgetChars } = continuity
      const totalChars = Math.min(maxChars, recoveryBudgetChars)
      const beside = (word: string) => totalChars - headed(word).length
      const inFull = beside(compactedAgain(round, true))
      const inShort = beside(compactedAgainInShort(round))
      const left = inFull >= MIN_RECOVERY_CHARS ? inFull : inShort >= MIN_BLOCK_CHARS ? inShort : totalChars
      // Of a short recovery too: half of a budget that it did not use up would take nothing away.
      const fullChars = Math.min(recoveryBudgetChars, (await charsBefore(session)) ?? recoveryBudgetChars)
      return {
        roomChars: Math.min(left, Math.max(MIN_RECOVERY_CHARS, Math.floor(fullChars / 2 ** round.idle))),
        withWord: (recovery) =>
          recovery?.injection.kind === 'recovery' ? tell(round, recovery, { totalChars, fullChars }) : recovery,
      }
    },
  }
}
