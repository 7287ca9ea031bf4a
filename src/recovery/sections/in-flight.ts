import { readRunningCommand } from '../../checkpoint/compose-checkpoint.ts'
import type { Item } from '../items/item.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'

/** The open tool call, and what the session started and did not end, each with what was found of it now. */
export function inFlightItems({ view, inFlight }: Pick<CheckedView, 'view' | 'inFlight'>): readonly Item[] {
  const { work, resumeInstructions, earlierServers = [] } = view
  const what = resumeInstructions === undefined ? undefined : readRunningCommand(resumeInstructions)
  const started = work.inFlight ?? []
  const isListed = started.some((one) => one.kind === 'tool' || one.what === what)
  const running = what === undefined || isListed ? [] : [{ kind: 'tool' as const, what, order: work.lastOrder }]
  // Of an earlier session only what is there now matters.
  const earlier = earlierServers.filter((one) => inFlight.get(one) === 'alive')
  return [...earlier, ...started, ...running].map((one) => {
    const verdict = inFlight.get(one)
    return {
      section: 'in-flight',
      content: { kind: 'in-flight', work: one, ...(verdict === undefined ? {} : { verdict }) },
      origin: 'tools',
      reason: 'started, not finished',
    }
  })
}
