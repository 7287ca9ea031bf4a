import type { RecoveryBlock } from './use-cases.ts'
import { newestSessions } from '../kernel/ports/newest-first.ts'
import { shortKey } from '../kernel/id.ts'
import type { LineReason } from '../kernel/injection.ts'
import type { Session } from '../kernel/session.ts'
import type { ContinuityDeps } from '../kernel/ports/runtime.ts'
import { isLive, isOnThisMachine } from '../kernel/ports/liveness.ts'
import type { StartingPoint } from './select-sources.ts'

const LOOKED_AT = 40
const HOUR_MS = 3_600_000

const chosen = (reason: string): LineReason => ({ line: '', origin: 'selection', reason })

export const SWITCHED_OFF: readonly LineReason[] = [chosen('switched off here (continuity.enabled)')]
export const SAID_BEFORE: LineReason = chosen('told before in this conversation and unchanged since: not said again')

function hoursOf(ms: number): string {
  const hours = ms / HOUR_MS
  return `${Number.isInteger(hours) ? hours : hours.toFixed(1)} h`
}

/** Why a session was told nothing, for whoever asks afterwards. */
export function createWhySilent(deps: Pick<ContinuityDeps, 'store' | 'clock' | 'processes' | 'machine' | 'configFor'>) {
  async function ofThisWorktree({ place, session }: StartingPoint): Promise<string> {
    const { continuity, daemon } = await deps.configFor(place.worktree)
    const known = await newestSessions(deps.store, {
      projectId: place.projectId,
      worktree: place.worktree,
      limit: LOOKED_AT,
    })
    const others = known.filter(({ id }) => id !== session?.id)
    const named = (other: Session) => {
      const where = isOnThisMachine(other, deps) || other.machine === undefined ? '' : ` on ${other.machine.name}`
      return `${other.harness} session ${shortKey(other.key)}${where}`
    }
    const live = others.find((other) => isLive(other, deps, daemon.assumeLiveMs))
    const last = others.find((other) => !isLive(other, deps, daemon.assumeLiveMs))
    if (last === undefined && live !== undefined)
      return `${named(live)} works in this worktree: what a live session does is told to nobody else`
    if (last === undefined) return 'no earlier session is known in this worktree'
    const isTooOld = Date.parse(deps.clock.now()) - Date.parse(last.lastEventAt) > continuity.recoveryWindowMs
    return isTooOld
      ? `${named(last)} was the last one here, ${last.lastEventAt.slice(0, 16)}Z: longer ago than ${hoursOf(continuity.recoveryWindowMs)} (continuity.recoveryWindowMs)`
      : 'what is known of earlier sessions here says nothing that could be told'
  }

  return async (start: StartingPoint, offered: RecoveryBlock['offered']): Promise<readonly LineReason[]> => [
    chosen(await ofThisWorktree(start)),
    ...offered.map(({ worktree, branch, checkpointId }) =>
      chosen(`another worktree has ${checkpointId}: ${worktree}${branch === undefined ? '' : ` on ${branch}`}`),
    ),
  ]
}
