import type { RecoveryBlock } from './use-cases.ts'
import { listNewestSessions } from '../kernel/ports/newest-first.ts'
import { shortKey } from '../kernel/id.ts'
import type { LineReason } from '../kernel/injection.ts'
import type { Session } from '../kernel/session.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import { isLive, isOnThisMachine } from '../kernel/ports/liveness.ts'
import { findWindowMs } from './find-work.ts'
import type { StartingPoint } from './select-sources.ts'
import { formatDuration } from '../kernel/text/text.ts'

const LOOKED_AT = 40

const chosen = (reason: string): LineReason => ({ line: '', origin: 'selection', reason })

export const SWITCHED_OFF: readonly LineReason[] = [chosen('switched off here (continuity.enabled)')]
export const INJECTED_BEFORE: LineReason = chosen('injected before in this conversation and unchanged since')

/** Why nothing was injected into a session, for `explain`. */
export function createNoRecoveryReason(
  ports: Pick<ContinuityPorts, 'store' | 'clock' | 'processes' | 'machine' | 'configFor'>,
) {
  async function ofThisWorktree({ place, session }: StartingPoint): Promise<string> {
    const { continuity, daemon } = await ports.configFor(place.worktree)
    const known = await listNewestSessions(ports.store, {
      projectId: place.projectId,
      worktree: place.worktree,
      limit: LOOKED_AT,
    })
    const others = known.filter(({ id }) => id !== session?.id)
    const named = (other: Session) => {
      const where = isOnThisMachine(other, ports) || other.machine === undefined ? '' : ` on ${other.machine.name}`
      return `${other.harness} session ${shortKey(other.key)}${where}`
    }
    const live = others.find((other) => isLive(other, ports, daemon.assumeLiveMs))
    const last = others.find((other) => !isLive(other, ports, daemon.assumeLiveMs))
    if (last === undefined && live !== undefined)
      return `${named(live)} works in this worktree: the work of a live session is not injected into another`
    if (last === undefined) return 'no earlier session is known in this worktree'
    const windowMs = findWindowMs(continuity)
    const isTooOld = Date.parse(ports.clock.now()) - Date.parse(last.lastEventAt) > windowMs
    return isTooOld
      ? `${named(last)} was the last one here, ${last.lastEventAt.slice(0, 16)}Z: longer ago than ${formatDuration(windowMs)} (continuity.recoveryWindowDays)`
      : 'nothing is known of what earlier sessions here did'
  }

  return async (start: StartingPoint, offered: RecoveryBlock['offered']): Promise<readonly LineReason[]> => [
    chosen(await ofThisWorktree(start)),
    ...offered.map(({ worktree, branch, checkpointId }) =>
      chosen(`another worktree has ${checkpointId}: ${worktree}${branch === undefined ? '' : ` on ${branch}`}`),
    ),
  ]
}
