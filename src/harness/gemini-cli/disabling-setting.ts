import { listOf, objectOf } from '../../kernel/json-shape.ts'
import { valueOf } from '../../install/edits/json-place.ts'
import { findValue, parseSettings } from '../../install/contract/settings-text.ts'

/** What in these settings keeps Gemini CLI from running our hooks: the switch for all of them, or our name among the disabled. */
export function findSilencer(text: string, path: string): string | undefined {
  const config = objectOf(valueOf(findValue(parseSettings(text, path), 'hooksConfig')))
  if (config.enabled === false) return 'hooksConfig.enabled: false'
  const disabled = listOf(config.disabled).find((name) => typeof name === 'string' && /\bholdfast\b/i.test(name))
  return disabled === undefined ? undefined : `hooksConfig.disabled: ${JSON.stringify(disabled)}`
}
