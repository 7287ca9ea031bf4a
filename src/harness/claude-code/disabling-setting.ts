import { hookListPiece } from '../../install/edits/hook-list.ts'
import {
  findValue,
  isStrictJson,
  NOT_STRICT,
  parseSettings,
  parseStrict,
} from '../../install/contract/settings-text.ts'
import { isOurHook } from './hook-entries.ts'
import { findMistyped } from './settings-shape.ts'

/** The second counts in the administrator's file alone, and stands nowhere else. */
const SILENCERS = ['disableAllHooks', 'allowManagedHooksOnly'] as const

/** Claude Code 2.1.325 drops a settings file with a comment, a trailing comma or a field of a wrong type as a whole. The hooks of another file still run. */
function findDropped(text: string, path: string): string | undefined {
  if (text.trim() === '') return undefined
  const reason = isStrictJson(text) ? findMistyped(parseStrict(text)) : NOT_STRICT
  const isOursThere = () => hookListPiece({ path, hooks: new Map(), isOurs: isOurHook }).find(text).size > 0
  return reason !== undefined && isOursThere() ? reason : undefined
}

export function findSilencer(text: string, path: string): string | undefined {
  const settings = parseSettings(text, path)
  return findDropped(text, path) ?? SILENCERS.find((name) => findValue(settings, name)?.value === true)
}
