import { HoldfastError, messageOf } from '../kernel/errors.ts'
import { redactInput, redactOutput } from '../redaction/redact-input.ts'
import type { Tool, ToolAnswer, ToolContext } from './tool/tool.ts'

/** Not seen, but changing what is read: controls, bidi and zero-width marks, tag characters. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- these very characters are what is escaped
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/gu
/** What could open or close markup that a harness gives a meaning to. */
const TAG_START = /<(?=[a-z/!?[|])/gi

function escaped(characters: string): string {
  return Array.from(
    { length: characters.length },
    (_, at) => String.raw`\u${characters.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
}

/**
 * JSON in which other people's text stays inside its strings, for a reader that does not parse it: nothing looks like a
 * harness's own tag, and nothing is hidden. Parsed, it is the very same value.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(TAG_START, escaped).replace(HIDDEN, escaped)
}

export interface ToolResult {
  readonly content: { type: 'text'; text: string }[]
  readonly isError?: boolean
  // The SDK's result type is open.
  [key: string]: unknown
}

const RETURNED_CHARS = 4_000

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Arguments under the names of the schema; one given under both names keeps the schema's. */
function withoutAliases(args: unknown, aliases: Tool['aliases']): unknown {
  if (!isRecord(args)) return args ?? {}
  const renamed = Object.entries(args).map(([name, value]) => [
    Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name,
    value,
  ])
  const own = Object.entries(args).filter(([name]) => !Object.hasOwn(aliases, name))
  return Object.fromEntries([...renamed, ...own])
}

function textOf(answer: ToolAnswer): string {
  return typeof answer === 'string' ? answer : jsonText(answer)
}

function returned(given: unknown): unknown {
  try {
    // Before it is cut: half a key is not told from other letters.
    const args = redactOutput(given)
    const sent = JSON.stringify(args ?? {})
    return sent.length > RETURNED_CHARS ? `${sent.slice(0, RETURNED_CHARS).toWellFormed()}…` : args
  } catch {
    // Nested so deep that it cannot be written: nothing an agent meant to keep.
    return undefined
  }
}

/** What was refused comes back with what was sent, so that trying again loses nothing, even after a compaction. */
function failure(thrown: unknown, args: unknown): ToolAnswer {
  const received = returned(args)
  if (thrown instanceof HoldfastError) {
    return {
      error: thrown.message,
      code: thrown.code,
      ...(thrown.hint !== undefined && { hint: thrown.hint }),
      received,
    }
  }
  return {
    error: 'Something went wrong inside Holdfast; nothing may have been kept.',
    code: 'internal',
    hint: 'Call again. If it fails again, tell the user to run `holdfast daemon logs`.',
    received,
  }
}

/** Runs a tool. Never throws: whatever goes wrong is a result that says what to do. */
export async function callTool(
  tool: Tool,
  args: unknown,
  context: ToolContext,
  onFault: (message: string) => void,
): Promise<ToolResult> {
  const result = (answer: ToolAnswer) => [{ type: 'text' as const, text: context.redact(textOf(answer)) }]
  try {
    const whole = redactInput(args, tool.redactedLater)
    return { content: result(await tool.run(withoutAliases(whole, tool.aliases), context)) }
  } catch (thrown) {
    if (!(thrown instanceof HoldfastError)) onFault(messageOf(thrown))
    return { content: result(failure(thrown, args)), isError: true }
  }
}
