import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import type { HarnessSetup, SetupWorld } from '../../install/setup.ts'
import { type Check, fail, ok, warn } from './checks.ts'

/** What the harness itself says: one that wants to be told skips our hooks without a word until it is. */
export async function checkTrust(setup: HarnessSetup, world: SetupWorld): Promise<readonly Check[]> {
  if (setup.askTrust === undefined) return []
  const subject = `${setup.id} trust`
  const [advice] = setup.remainingSteps?.(world, 'user') ?? []
  try {
    const answer = await setup.askTrust(world)
    if (answer === undefined)
      return [warn(subject, `${setup.name} is not on the path, so it could not be asked`, advice ?? '')]
    const { trusted, untrusted, warnings } = answer
    const said = warnings.length === 0 ? '' : `; it says: ${warnings.join('; ')}`
    if (untrusted.length > 0) return [fail(subject, `not given: ${untrusted.join(', ')}${said}`, advice ?? '')]
    if (trusted.length === 0) return [fail(subject, `${setup.name} sees no hook of ours${said}`, advice ?? '')]
    const told = `${setup.name} itself says that it will run ${trusted.length} hooks of ours`
    return [warnings.length === 0 ? ok(subject, told) : warn(subject, `${told}${said}`, 'Put right what it names.')]
  } catch (error) {
    const hint = error instanceof HoldfastError ? error.hint : undefined
    return [warn(subject, `could not be asked: ${messageOf(error)}`, hint ?? advice ?? '')]
  }
}
