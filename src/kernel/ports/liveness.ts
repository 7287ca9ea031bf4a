import { isFromMachine } from '../location.ts'
import type { Session } from '../session.ts'
import type { ContinuityPorts } from './runtime.ts'

type LivenessPorts = Pick<ContinuityPorts, 'processes' | 'machine'>

export function isOver(session: Session): boolean {
  return session.phase === 'ended' || session.phase === 'interrupted'
}

/** Only then can its process be checked, and its files and transcript be read. */
export function isOnThisMachine(session: Session, { machine }: Pick<LivenessPorts, 'machine'>): boolean {
  return isFromMachine(session.machine, machine)
}

/** Whether it did not end and its process is gone. Only its own machine knows. */
export function isOrphan(session: Session, ports: LivenessPorts): boolean {
  if (isOver(session) || session.process === undefined || !isOnThisMachine(session, ports)) return false
  return !ports.processes.isAlive(session.process)
}

/** Whether it may still be working. Without a process that can be checked, it counts as live until it is silent for long. */
export function isLive(
  session: Session,
  ports: LivenessPorts & Pick<ContinuityPorts, 'clock'>,
  assumeLiveMs: number,
): boolean {
  if (isOver(session)) return false
  if (session.process !== undefined && isOnThisMachine(session, ports)) return ports.processes.isAlive(session.process)
  return Date.parse(ports.clock.now()) - Date.parse(session.lastEventAt) < assumeLiveMs
}
