import { readRunningCommand } from '../../checkpoint/compose-checkpoint.ts'
import type { InFlightWork } from '../../kernel/checkpoint.ts'
import { looksOnly } from '../../kernel/shell/looks-only.ts'
import type { Item } from '../items/item.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'

/** Bookkeeping of the harness. */
const BOOKKEEPING = /^(?:Task(?:Create|Update|List|Get)|TodoWrite|ToolSearch|update_plan)$/
/** A read or a search, which can simply be made again. */
const ONLY_LOOKS = /^(?:reading|looking for) /

function isLook({ kind, what }: InFlightWork): boolean {
  return kind === 'tool' && (ONLY_LOOKS.test(what) || looksOnly(what))
}

/** The open tool call, and what the session started and did not end, each with what was found of it now. */
export function inFlightItems(
  { view, inFlight }: Pick<CheckedView, 'view' | 'inFlight'>,
  isDoingSaid = false,
): readonly Item[] {
  const { work, resumeInstructions, earlierServers = [] } = view
  const what = resumeInstructions === undefined ? undefined : readRunningCommand(resumeInstructions)
  const started = work.inFlight ?? []
  const isListed = started.some((one) => one.kind === 'tool' || one.what === what)
  const running = what === undefined || isListed ? [] : [{ kind: 'tool' as const, what, order: work.lastOrder }]
  // Of an earlier session only what is there now matters.
  const earlier = earlierServers.filter((one) => inFlight.get(one) === 'alive')
  const shown = [...earlier, ...started, ...running].filter(
    (one) => !(one.kind === 'tool' && BOOKKEEPING.test(one.what)) && (!isDoingSaid || !isLook(one)),
  )
  return shown.map((one) => {
    const verdict = inFlight.get(one)
    return {
      section: 'in-flight',
      content: { kind: 'in-flight', work: one, ...(verdict === undefined ? {} : { verdict }) },
      origin: 'tools',
      reason: 'started, not finished',
    }
  })
}
