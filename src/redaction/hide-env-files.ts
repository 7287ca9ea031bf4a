import { printsEnvFile } from './env-commands.ts'
import { isEnvFile } from './env-file.ts'

const HIDDEN = '[REDACTED:env-file]'

/** What a tool gave back, what somebody said, what a file holds: an env file that is named there was not opened by this call. */
const SAID = /response|output|result|content|prompt|message|text|new_?str|old_?str|edits/i
const MAX_NAMING_CHARS = 4_000

function namesEnvFile(value: unknown): boolean {
  if (typeof value === 'string') {
    if (value.length > MAX_NAMING_CHARS) return false
    return value.split(/[\s"'`;|&<>()]+/).some((word) => isEnvFile(word)) || printsEnvFile(value)
  }
  if (Array.isArray(value)) return value.some(namesEnvFile)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, inner]) => !SAID.test(key) && namesEnvFile(inner))
}

/** All that was said, shown or written, were it a single word; elsewhere a word is a name, a path or an id, and a secret has a sign. */
function hidden(value: unknown, isSaid = false): unknown {
  if (typeof value === 'string') return value !== '' && (isSaid || /[=\n\r]|:\s/.test(value)) ? HIDDEN : value
  if (Array.isArray(value)) return value.map((item) => hidden(item, isSaid))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hidden(inner, isSaid || SAID.test(key))]))
}

/**
 * A hook's payload without what an env file holds, where its tool opened or wrote one: whatever it looks like is secret, also when
 * the file is gone by now and nobody can look up its values any more.
 */
export function hideEnvFiles(payload: unknown): unknown {
  return namesEnvFile(payload) ? hidden(payload) : payload
}
