/** Where a session runs, as it is kept with the session. */
export interface MachineRef {
  /** Compared for equality only. */
  readonly id: string
  /** The host's name, for people. */
  readonly name: string
}

/** The machine that this process runs on. */
export interface Machine extends MachineRef {
  /** The host, also where `id` tells its containers apart. */
  readonly hostId: string
  /** Whether daemons of other machines may write to the same store. */
  readonly sharesStore: boolean
}

/**
 * Whether something was written by this machine. What has no machine is from before machines were noted: in a store of one
 * home that was this one, in a shared store nobody can tell.
 */
export function isOfMachine(machine: MachineRef | undefined, here: Machine): boolean {
  return machine === undefined ? !here.sharesStore : machine.id === here.id
}
