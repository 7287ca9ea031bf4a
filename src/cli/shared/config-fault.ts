import { HoldfastError } from '../../kernel/errors.ts'
import type { CliContext } from './command.ts'

/** Why there is no configuration: a user's file or a variable that cannot be used. Undefined where there is one. */
export function findConfigFault(context: Pick<CliContext, 'config'>): HoldfastError | undefined {
  try {
    void context.config
    return undefined
  } catch (thrown) {
    if (thrown instanceof HoldfastError) return thrown
    throw thrown
  }
}
