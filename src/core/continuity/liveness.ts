import type { Session } from '../session.ts'
import type { ContinuityDeps } from './deps.ts'

export function isOver(session: Session): boolean {
  return session.phase === 'ended' || session.phase === 'interrupted'
}

/** Known to be dead: it did not end, and the process it ran in is gone. */
export function isOrphan(session: Session, deps: Pick<ContinuityDeps, 'processes'>): boolean {
  return !isOver(session) && session.process !== undefined && !deps.processes.isAlive(session.process)
}

/** Whether somebody may still be working in it. Without a known process, a session is taken for live until it is silent for long. */
export function isLive(
  session: Session,
  deps: Pick<ContinuityDeps, 'processes' | 'clock'>,
  assumeLiveMs: number,
): boolean {
  if (isOver(session)) return false
  if (session.process !== undefined) return deps.processes.isAlive(session.process)
  return Date.parse(deps.clock.now()) - Date.parse(session.lastEventAt) < assumeLiveMs
}
