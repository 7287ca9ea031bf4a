import { parse } from 'smol-toml'
import { isObject, listOf, objectOf, textOf } from '../../kernel/json-shape.ts'
import { valueOf } from '../../install/edits/json-place.ts'
import { findValue, isStrictJson, NOT_STRICT, parseSettings } from '../../install/contract/settings-text.ts'

const HANDLERS = new Set(['command', 'mcp_tool', 'prompt', 'agent'])
/** The second is what the first was called before it was stable. */
const FEATURES = ['hooks', 'codex_hooks'] as const

/** Codex 0.166 drops a whole hooks file for a comment, a byte order mark, or one handler that it does not know. */
function whyDropped(text: string, path: string): string | undefined {
  if (text.trim() === '') return undefined
  if (text.startsWith('\uFEFF')) return 'byte order mark'
  if (!isStrictJson(text)) return NOT_STRICT
  const hooks = valueOf(findValue(parseSettings(text, path), 'hooks'))
  const entries = Object.values(objectOf(hooks)).flatMap((groups) =>
    listOf(groups).flatMap((group) => listOf(objectOf(group).hooks)),
  )
  const strange = entries.find((entry) => isObject(entry) && !HANDLERS.has(textOf(entry.type) ?? ''))
  return strange === undefined ? undefined : `"type": ${JSON.stringify(objectOf(strange).type ?? null)}`
}

function switchedOff(text: string): string | undefined {
  const config = objectOf(parse(text.replace(/^\uFEFF/, '')))
  const features = objectOf(config.features)
  const off = FEATURES.find((name) => features[name] === false)
  if (off !== undefined) return `features.${off} = false`
  return config.allow_managed_hooks_only === true ? 'allow_managed_hooks_only = true' : undefined
}

/** What in this file keeps Codex from running our hooks at all. */
export function findSilencer(text: string, path: string): string | undefined {
  return path.endsWith('.toml') ? switchedOff(text) : whyDropped(text, path)
}
