// The loop breaker for compactions. Loops of commands: command-loop.ts.
import type { LoopConfig } from '../../kernel/config.ts'
import type { InjectionText } from '../../kernel/injection.ts'
import type { CompactionCycle } from './attempts.ts'
import { COMPACTION_LOOP_HEADING, describeCompactionLoop, describeCompactionLoopShort } from './wording.ts'
import type { Session } from '../../kernel/session.ts'
import type { AttemptWatch } from './attempt-watch.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'

const MIN_RECOVERY_CHARS = 600
/** With less room, the recovery goes first and only the user is warned. */
const MIN_BLOCK_CHARS = 250

export interface LoopBreak {
  /** Budget of the recovery. */
  readonly roomChars: number
  /** Prepends the loop warning when a loop was detected. The result never exceeds the budget. */
  readonly prependWarning: (recovery: InjectionText | undefined) => InjectionText | undefined
}

interface Room {
  readonly totalChars: number
  /** Length of the recovery before the loop. */
  readonly fullChars: number
}

export interface LoopBreaker {
  /** Halves the recovery for every compaction cycle without progress, and warns about it. */
  breakLoop(session: Session, maxChars: number): Promise<LoopBreak>
}

const ORIGIN = 'loop-breaker'
const MAX_INJECTIONS = 20

const withHeading = (warning: string) => `${COMPACTION_LOOP_HEADING}\n${warning}\n\n`

/** Detects compactions with nothing new in between: the recovery did not help, so it gets shorter and a warning is added. */
export function createLoopBreaker(
  deps: Pick<ContinuityPorts, 'configFor' | 'sha256' | 'store'>,
  watch: Pick<AttemptWatch, 'getState'>,
): LoopBreaker {
  async function findIdleCycle(session: Session, loops: LoopConfig): Promise<CompactionCycle | undefined> {
    if (session.source !== 'compact' || !loops.warn) return undefined
    const { cycle } = await watch.getState(session)
    return cycle.idle === 0 ? undefined : cycle
  }

  /** Length of the last recovery before the loop; undefined when none was injected. */
  async function findFullChars({ id }: Session): Promise<number | undefined> {
    const told = await deps.store.listInjections({ sessionId: id, kind: 'recovery', limit: MAX_INJECTIONS })
    return told.find(({ chars, reasons }) => chars > 0 && !reasons.some(({ origin }) => origin === ORIGIN))?.chars
  }

  function addWarning(cycle: CompactionCycle, recovery: InjectionText, { totalChars, fullChars }: Room): InjectionText {
    const forUser = describeCompactionLoop(cycle, recovery.text.length < fullChars)
    const warning = [forUser, describeCompactionLoopShort(cycle)].find(
      (known) => withHeading(known).length + recovery.text.length <= totalChars,
    )
    if (warning === undefined) return { ...recovery, forUser }
    const text = `${withHeading(warning)}${recovery.text}`
    const reason = `${cycle.idle} rounds between compactions with nothing new`
    return {
      ...recovery,
      text,
      forUser,
      injection: {
        ...recovery.injection,
        chars: text.length,
        textHash: deps.sha256(text),
        reasons: [{ line: warning, origin: ORIGIN, reason }, ...recovery.injection.reasons],
      },
    }
  }

  return {
    async breakLoop(session, maxChars) {
      const { continuity, loops } = await deps.configFor(session.place?.worktree)
      const cycle = await findIdleCycle(session, loops)
      if (cycle === undefined) return { roomChars: maxChars, prependWarning: (recovery) => recovery }
      const { recoveryBudgetChars } = continuity
      const totalChars = Math.min(maxChars, recoveryBudgetChars)
      const roomBeside = (warning: string) => totalChars - withHeading(warning).length
      const inFull = roomBeside(describeCompactionLoop(cycle, true))
      const inShort = roomBeside(describeCompactionLoopShort(cycle))
      const left = inFull >= MIN_RECOVERY_CHARS ? inFull : inShort >= MIN_BLOCK_CHARS ? inShort : totalChars
      // Relative to what the recovery used: half of an unused budget would not shorten it.
      const fullChars = Math.min(recoveryBudgetChars, (await findFullChars(session)) ?? recoveryBudgetChars)
      return {
        roomChars: Math.min(left, Math.max(MIN_RECOVERY_CHARS, Math.floor(fullChars / 2 ** cycle.idle))),
        prependWarning: (recovery) =>
          recovery?.injection.kind === 'recovery' ? addWarning(cycle, recovery, { totalChars, fullChars }) : recovery,
      }
    },
  }
}
