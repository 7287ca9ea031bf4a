import { isOfMachine } from '../machine.ts'
import type { Session } from '../session.ts'
import type { ContinuityDeps } from './runtime.ts'

type World = Pick<ContinuityDeps, 'processes' | 'machine'>

export function isOver(session: Session): boolean {
  return session.phase === 'ended' || session.phase === 'interrupted'
}

/** Whether it runs on this machine: only then can its process be looked at, and its files and transcript be read. */
export function isOnThisMachine(session: Session, { machine }: Pick<World, 'machine'>): boolean {
  return isOfMachine(session.machine, machine)
}

/** Known to be dead: it did not end, and the process it ran in is gone. Its own machine alone can tell. */
export function isOrphan(session: Session, deps: World): boolean {
  if (isOver(session) || session.process === undefined || !isOnThisMachine(session, deps)) return false
  return !deps.processes.isAlive(session.process)
}

/** Whether somebody may still be working in it. Without a process that can be looked at, it is taken for live until it is silent for long. */
export function isLive(session: Session, deps: World & Pick<ContinuityDeps, 'clock'>, assumeLiveMs: number): boolean {
  if (isOver(session)) return false
  if (session.process !== undefined && isOnThisMachine(session, deps)) return deps.processes.isAlive(session.process)
  return Date.parse(deps.clock.now()) - Date.parse(session.lastEventAt) < assumeLiveMs
}
