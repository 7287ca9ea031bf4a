import { isSharedStore } from '../../kernel/config.ts'
import { isFromMachine, type Machine } from '../../kernel/location.ts'
import type { Session } from '../../kernel/session.ts'
import { readMachine } from '../../platform/machine.ts'
import type { CliContext } from './command.ts'
import { printableName } from './output.ts'

/** The machine as the daemon of this home names it. */
export function readLocalMachine({ home, config }: Pick<CliContext, 'home' | 'config'>): Machine {
  return readMachine(home, isSharedStore(config.store))
}

/** Formats ` on <machine>` for a session of another machine, and nothing for one of this machine. */
export function createMachineFormatter(context: CliContext): (session: Pick<Session, 'machine'>) => string {
  let here: Machine | undefined
  return ({ machine }) => {
    if (machine === undefined) return ''
    // Read lazily: `status` must work when the configuration cannot be read, and then there are no sessions.
    here ??= readLocalMachine(context)
    return isFromMachine(machine, here) ? '' : ` on ${printableName(machine.name)}`
  }
}
