import type { Continuity } from '../../app/continuity.ts'
import { getConnector } from '../../harness/registry.ts'
import type { HarnessSetup } from '../../install/setup.ts'
import { type Check, ok, warn } from './checks.ts'

const NEWEST_SESSIONS = 5

/** The last thing that was put before an agent of this harness, and its size against what arrives whole there. */
export async function checkTold(
  setup: HarnessSetup,
  continuity: Pick<Continuity, 'listSessions' | 'explain'>,
): Promise<readonly Check[]> {
  const { maxOutputChars, recovery } = getConnector(setup.id).capabilities
  const subject = `${setup.id} told`
  if (recovery === 'on-request')
    return [ok(subject, 'the agent asks for itself: this harness shows it nothing of ours')]
  const sessions = (await continuity.listSessions({ limit: 100 })).filter(({ harness }) => harness === setup.id)
  for (const { key } of sessions.slice(0, NEWEST_SESSIONS)) {
    const { injections } = await continuity.explain({ sessionKey: key })
    const last = injections.find(({ chars }) => chars > 0)
    if (last === undefined) continue
    const told = `${last.kind} at ${last.at}, ${last.chars} of at most ${maxOutputChars} characters`
    return [
      last.chars <= maxOutputChars
        ? ok(subject, told)
        : warn(subject, `${told}: it did not arrive whole`, 'Lower `continuity.recoveryBudgetChars`.'),
    ]
  }
  return [ok(subject, 'nothing yet: there was nothing to tell')]
}
