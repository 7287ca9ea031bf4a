import type { ToolOutcome } from '../../kernel/event.ts'
import { boundedPrompt } from './bounds.ts'

type ToolRefusal = NonNullable<ToolOutcome['refused']>

export interface RefusalTexts {
  /** Begins with what the harness answers its model when the user said no; a group has the user's words. */
  readonly byUser: RegExp
  /** The same where a rule, a policy, a hook or a sandbox said no. */
  readonly byHarness: RegExp
}

/** Far more than any harness writes before the user's words. */
const SEARCHED_CHARS = 20_000

/** Whether a result's text says that the call never ran, and who refused it. */
export function findRefusal(text: string | undefined, { byUser, byHarness }: RefusalTexts): ToolRefusal | undefined {
  const head = text?.slice(0, SEARCHED_CHARS).trim() ?? ''
  if (byHarness.test(head)) return { by: 'harness' }
  const said = byUser.exec(head)
  if (said === null) return undefined
  const words = boundedPrompt(said[1]?.trim())
  return { by: 'user', ...(words === undefined ? {} : { words }) }
}
