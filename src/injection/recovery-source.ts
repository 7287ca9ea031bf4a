import { getErrorMessage } from '../kernel/errors.ts'
import type { InjectionText } from '../kernel/injection.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import { BoundedMap } from '../kernel/structures/bounded-map.ts'
import type { LoopBreaker } from '../memory/failures/compaction-loop.ts'
import type { SessionRecovery } from '../recovery/recover-session.ts'
import type { EventSubscriber } from '../capture/on-event.ts'
import type { InjectionOffer, InjectionSource } from './injection-policy.ts'

/** A harness may start several tools at once: only one of them gets the recovery. */
const LATE_OFFER_MS = 2_000
const MAX_LATE_OFFERS = 100

export interface RecoverySource {
  readonly offer: InjectionSource
  /** The same for a session that missed it at its start and at its prompt. */
  readonly offerLate: InjectionSource
  /** Prepares the recovery of a spooled start, whose caller is gone, before its first prompt. */
  readonly prepare: EventSubscriber
}

/** The recovery that is owed to a session, shortened by the loop breaker when compaction loops. */
export function createRecoverySource(
  ports: Pick<ContinuityPorts, 'clock' | 'configFor' | 'log'>,
  recovery: Pick<SessionRecovery, 'owed'>,
  loopBreaker: LoopBreaker,
): RecoverySource {
  const lateOffersMs = new BoundedMap<string, number>(MAX_LATE_OFFERS)

  async function offer({ session, event, maxChars }: InjectionOffer): Promise<InjectionText | undefined> {
    const { roomChars, prependWarning } = await loopBreaker.breakLoop(session, maxChars)
    return prependWarning(await recovery.owed(session, event, roomChars))
  }

  return {
    offer,
    async offerLate(request) {
      const { session, event } = request
      if (session.epoch <= session.recoveredEpoch || event.subagent !== undefined) return undefined
      const start = `${session.id}#${session.epoch}`
      const nowMs = ports.clock.monotonicMs()
      if (nowMs - (lateOffersMs.get(start) ?? Number.NEGATIVE_INFINITY) < LATE_OFFER_MS) return undefined
      lateOffersMs.set(start, nowMs)
      const { continuity } = await ports.configFor(session.place?.worktree)
      return continuity.enabled ? offer(request) : undefined
    },
    prepare(event, { session }) {
      if (event.kind !== 'session-started') return
      offer({ session, event, maxChars: Number.MAX_SAFE_INTEGER }).catch((error: unknown) => {
        ports.log.warn('recovery not prepared', { session: session.id, error: getErrorMessage(error) })
      })
    },
  }
}
