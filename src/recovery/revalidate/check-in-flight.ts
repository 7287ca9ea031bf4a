import type { InFlightWork } from '../../kernel/checkpoint.ts'
import type { ProcessRef } from '../../kernel/event.ts'
import type { Loopback, Processes } from '../../kernel/ports/ports.ts'

/** Whether something that a session started is there now; `id-in-use`: a process has its id, perhaps another one. */
export type InFlightVerdict = 'alive' | 'id-in-use' | 'gone' | 'not-checked'

export interface InFlightPorts {
  readonly loopback?: Loopback
  readonly processes?: Pick<Processes, 'isAlive'>
  /** The harness's process that started it; `ended`: the session is known to have ended. Absent: not known. */
  readonly startedBy?: ProcessRef | 'ended'
}

const MAX_CHECKED = 10

async function judge({ kind, port, pid }: InFlightWork, ports: InFlightPorts): Promise<InFlightVerdict> {
  const { loopback, processes, startedBy } = ports
  if (port !== undefined) {
    const isListening = await loopback?.isListening(port)
    return isListening === undefined ? 'not-checked' : isListening ? 'alive' : 'gone'
  }
  if (pid !== undefined && processes !== undefined) return processes.isAlive({ pid }) ? 'id-in-use' : 'gone'
  // Subagents and calls run inside the harness; a command that it started may outlive it.
  if (kind !== 'subagent' && kind !== 'tool') return 'not-checked'
  const hasEnded =
    startedBy === 'ended' || (startedBy?.startedAt !== undefined && processes?.isAlive(startedBy) === false)
  return hasEnded ? 'gone' : 'not-checked'
}

/** Checks each on this machine: a port by whether something listens on loopback, a process by its id. */
export async function checkInFlight(
  started: readonly InFlightWork[],
  ports: InFlightPorts,
): Promise<ReadonlyMap<InFlightWork, InFlightVerdict>> {
  const newest = started.slice(-MAX_CHECKED)
  return new Map(await Promise.all(newest.map(async (work) => [work, await judge(work, ports)] as const)))
}
