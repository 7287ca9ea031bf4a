import { isObject, type JsonObject } from '../../../kernel/json-shape.ts'
import { parseLine } from '../../../harness/transcript/append-log.ts'
import { openingOf } from './line-chunks.ts'

const LOOKED_AT = 40

const CODEX_TYPES: readonly unknown[] = ['session_meta', 'event_msg', 'response_item']

/** Whose line this is, by what only that harness writes. */
function harnessOf(record: JsonObject): string | undefined {
  if (CODEX_TYPES.includes(record.type) && isObject(record.payload)) return 'codex'
  if (record.type === 'session.start' && isObject(record.data)) return 'copilot'
  if (typeof record.sessionId === 'string' && (record.projectHash !== undefined || Array.isArray(record.messages)))
    return 'gemini-cli'
  if (isObject(record.info) && Array.isArray(record.messages)) return 'opencode'
  if (typeof record.sessionId === 'string' && (record.uuid !== undefined || record.type === 'mode'))
    return 'claude-code'
  return undefined
}

/** A document that is written over many lines tells by the names at its beginning. */
function harnessOfDocument(opening: string): string | undefined {
  if (!opening.trimStart().startsWith('{')) return undefined
  if (/"projectHash"\s*:/.test(opening)) return 'gemini-cli'
  return /"info"\s*:\s*\{/.test(opening) && /"directory"\s*:/.test(opening) ? 'opencode' : undefined
}

/** Undefined for a file that no reader knows. Looks at the beginning only. */
export async function guessHarness(path: string): Promise<string | undefined> {
  try {
    const shown = (await openingOf(path)).split('\n', LOOKED_AT)
    for (const line of shown) {
      const record = parseLine(line)
      const harness = record === undefined ? undefined : harnessOf(record)
      if (harness !== undefined) return harness
    }
    return harnessOfDocument(shown.join('\n'))
  } catch {
    // Not what its name says, or not for us to read.
    return undefined
  }
}
