import type { InjectionText } from '../kernel/injection.ts'
import type { Memories } from '../memory/memories.ts'
import type { StartNotice } from './start-notice.ts'
import type { InjectionSource } from './injection-policy.ts'

const PARAGRAPH = '\n\n'
/** Room for the rules and memories of a start beside a recovery that takes all it may. */
const START_RESERVE_CHARS = 602

function join(one: InjectionText | undefined, other: InjectionText | undefined): InjectionText | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return {
    ...one,
    text: `${one.text}${PARAGRAPH}${other.text}`,
    also: [...(one.also ?? []), other.injection, ...(other.also ?? [])],
  }
}

/**
 * Text about earlier work: at a start the recovery, the user's rules and the memories that hold for all work; before a
 * prompt the memories that match it. Each has its own budget and its own ledger entry.
 */
export function createContextSource(
  recovery: InjectionSource,
  { forStart, forPrompt }: Pick<Memories, 'forStart' | 'forPrompt'>,
  findNotice?: StartNotice,
): InjectionSource {
  return async (offer) => {
    const { session, event, maxChars } = offer
    const room = (taken: InjectionText | undefined) =>
      maxChars - (taken === undefined ? 0 : taken.text.length + PARAGRAPH.length)
    const work = await recovery({ ...offer, maxChars: Math.max(0, maxChars - START_RESERVE_CHARS) })
    const isStart = event.kind === 'session-started' || work !== undefined
    const notice = isStart ? await findNotice?.(session, work?.text ?? '', Math.max(0, room(work))) : undefined
    const recovered = join(work, notice)
    const options = { maxChars: Math.max(0, room(recovered)), said: recovered?.text ?? '' }
    const standing = await forStart(session, event, options)
    const start = join(recovered, standing)
    if (event.kind !== 'prompt-submitted') return start
    const given = new Set(standing?.injection.sources)
    const said = start?.text ?? ''
    return join(start, await forPrompt(session, event, { maxChars: room(start), given, said }))
  }
}
