import type { ToolCall } from '../../kernel/event.ts'
import { namesUsedIn } from '../../kernel/text/identifiers.ts'
import { scannedPart } from './bounds.ts'
import { withoutValues } from './without-values.ts'

const MAX_NAMES = 60

/** The names in what an edit removed and wrote, where its fragment does not hold all of that. */
export function editNames(parts: readonly unknown[], fragment: string): Pick<ToolCall, 'names'> {
  const whole = parts.filter((part) => typeof part === 'string').join('\n')
  if (whole.length <= fragment.length + parts.length) return {}
  const names = namesUsedIn(withoutValues(scannedPart(whole)), MAX_NAMES)
  return names.length === 0 ? {} : { names }
}
