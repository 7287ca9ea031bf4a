import { HoldfastError, getErrorMessage } from '../kernel/errors.ts'
import { redactInput, redactOutput } from '../redaction/redact-input.ts'
import type { Tool, ToolReply, ToolContext } from './tool/tool.ts'
import { runsWhileDegraded } from '../tasks/context-safety/own-tools.ts'
import { isObject } from '../kernel/json-shape.ts'

/** Invisible characters that change what is read: controls, bidi and zero-width marks, tag characters. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- these very characters are what is escaped
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/gu
/** Could open or close markup that has a meaning for a harness. */
const TAG_START = /<(?=[a-z/!?[|])/gi

function escapeCharacters(characters: string): string {
  return Array.from(
    { length: characters.length },
    (_, at) => String.raw`\u${characters.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
}

/**
 * JSON for a reader that does not parse it: foreign text cannot look like a tag of the harness or contain hidden characters.
 * Parsing it gives the same value.
 */
export function renderJson(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(TAG_START, escapeCharacters).replace(HIDDEN, escapeCharacters)
}

export interface ToolResult {
  readonly content: { type: 'text'; text: string }[]
  readonly isError?: boolean
  // The SDK's result type is open.
  [key: string]: unknown
}

const RETURNED_CHARS = 4_000

/** Arguments under the names of the schema; of an argument given under both names, the schema's wins. */
function resolveAliases(args: unknown, aliases: Tool['aliases']): unknown {
  if (!isObject(args)) return args ?? {}
  const renamed = Object.entries(args).map(([name, value]) => [
    Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name,
    value,
  ])
  const own = Object.entries(args).filter(([name]) => !Object.hasOwn(aliases, name))
  return Object.fromEntries([...renamed, ...own])
}

function renderReply(answer: ToolReply): string {
  return typeof answer === 'string' ? answer : renderJson(answer)
}

function redactArguments(given: unknown): unknown {
  try {
    // Redacted before it is cut: half a key cannot be recognized.
    const args = redactOutput(given)
    const sent = JSON.stringify(args ?? {})
    return sent.length > RETURNED_CHARS ? `${sent.slice(0, RETURNED_CHARS).toWellFormed()}…` : args
  } catch {
    // Nested too deeply to be serialized.
    return undefined
  }
}

/** The error includes the arguments, so that a retry loses nothing, even after a compaction. */
function toErrorReply(thrown: unknown, args: unknown): ToolReply {
  const received = redactArguments(args)
  if (thrown instanceof HoldfastError) {
    return {
      error: thrown.message,
      code: thrown.code,
      ...(thrown.hint !== undefined && { hint: thrown.hint }),
      received,
    }
  }
  return {
    error: 'Something went wrong inside Holdfast; the call may not have been stored.',
    code: 'internal',
    hint: 'Call again. If it fails again, tell the user to run `holdfast daemon logs`.',
    received,
  }
}

/** A harness without a hook before tools does not refuse them, and a call cannot prove its session: one degraded session blocks all. */
async function refuseIfDegraded({ name }: Tool, { findDegradedTask }: ToolContext): Promise<void> {
  if (runsWhileDegraded(name)) return
  const slug = await findDegradedTask()
  if (slug === undefined) return
  throw new HoldfastError(
    'forbidden',
    `A session of the task ${slug} is degraded to read-only, so ${name} writes and runs nothing.`,
    {
      hint: `Inform the user; a person ends it with \`holdfast session sandbox --task ${slug} --leave --reason "…"\`.`,
    },
  )
}

/** Runs a tool. Never throws: a failure is a result that says what to do. */
export async function callTool(
  tool: Tool,
  args: unknown,
  context: ToolContext,
  onFault: (message: string) => void,
): Promise<ToolResult> {
  const result = (answer: ToolReply) => [{ type: 'text' as const, text: context.redact(renderReply(answer)) }]
  try {
    await refuseIfDegraded(tool, context)
    const whole = redactInput(args, tool.redactedLater)
    return { content: result(await tool.run(resolveAliases(whole, tool.aliases), context)) }
  } catch (thrown) {
    if (!(thrown instanceof HoldfastError)) onFault(getErrorMessage(thrown))
    return { content: result(toErrorReply(thrown, args)), isError: true }
  }
}
