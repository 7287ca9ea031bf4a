import { isSharedStore } from '../../kernel/config.ts'
import { isOfMachine, type Machine } from '../../kernel/machine.ts'
import type { Session } from '../../kernel/session.ts'
import { readMachine } from '../../platform/machine.ts'
import type { CliContext } from './command.ts'
import { printableName } from './output.ts'

/** The machine as the daemon of this home names it. */
export function machineOf({ home, config }: Pick<CliContext, 'home' | 'config'>): Machine {
  return readMachine(home, isSharedStore(config.store))
}

/** Which machine a session is on, as an end of its line: nothing for one that is on this one. */
export function machineNames(context: CliContext): (session: Pick<Session, 'machine'>) => string {
  let here: Machine | undefined
  return ({ machine }) => {
    if (machine === undefined) return ''
    // Asked for only now: without a configuration that can be read there is no session to show, and everything else is shown.
    here ??= machineOf(context)
    return isOfMachine(machine, here) ? '' : ` on ${printableName(machine.name)}`
  }
}
