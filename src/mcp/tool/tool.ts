import type * as z from 'zod'
import type { LocalAgentApi } from '../../app/agent-api.ts'
import type { Continuity } from '../../app/continuity.ts'
import type { Clock } from '../../kernel/ports/ports.ts'
import type { Tasks } from '../../tasks/tasks.ts'
import { parse } from '../../platform/base/parse.ts'
import type { Caller } from './caller.ts'
import type { CheckedSummary } from '../../kernel/agent-records.ts'

/** The refuted claims of a summary, one line each. */
export function renderRefutedClaims(summary: Pick<CheckedSummary, 'doubts'>): readonly string[] {
  return summary.doubts.map(({ claim, because }) => `"${claim}": ${because}`)
}

export const TOOL_SETS = ['everyday', 'all'] as const
/** Which tools are listed. A tool that is not listed can still be called. */
export type ToolSet = (typeof TOOL_SETS)[number]

/** The ports of tools; the same for all calls of a daemon. */
export interface ToolPorts {
  readonly continuity: Continuity
  readonly agentApi: LocalAgentApi
  readonly tasks: Tasks
  readonly clock: Pick<Clock, 'now'>
  readonly sha256: (text: string) => string
  /** New ones at each call. */
  readonly randomBytes: (count: number) => Uint8Array
  /** Redacts a text; applied to every reply. */
  readonly redact: (text: string) => string
  /** A task with a session that is degraded to read-only, if any. */
  readonly findDegradedTask: () => Promise<string | undefined>
}

export interface ToolContext extends ToolPorts {
  readonly caller: Caller
}

/** Text as it is, or a value that is sent as JSON. */
export type ToolReply = string | Readonly<Record<string, unknown>>

export interface ToolHints {
  /** Changes nothing. */
  readonly isReadOnly?: boolean
  /** Deletes something permanently. */
  readonly isDestructive?: boolean
  /** A second call with the same arguments changes nothing more. */
  readonly isIdempotent?: boolean
  /** May run a command, which can do anything: destroy, reach the network, do more at each call. */
  readonly canRunCommand?: boolean
}

/** The tool still knows the omitted arguments, so that a call with one gets the reason for its refusal. */
export interface WithoutCommands {
  readonly description: string
  readonly omits: readonly string[]
  readonly hints: ToolHints
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodType
  /** Alternative argument names and the schema's name for each. */
  readonly aliases: Readonly<Record<string, string>>
  readonly hints: ToolHints
  /** How it is listed where the user allowed no command; by default the same. */
  readonly withoutCommands?: WithoutCommands
  /** Arguments that the use case redacts or refuses as a whole, or runs as they are; by any of their names. */
  readonly redactedLater: readonly string[]
  /** `args` as the agent sent them, aliases resolved; thrown `HoldfastError`s become an error result. */
  run(args: unknown, context: ToolContext): Promise<ToolReply>
}

interface ToolDefinition<Input extends z.ZodType> {
  readonly name: string
  readonly description: string
  readonly input: Input
  readonly aliases?: Readonly<Record<string, string>>
  readonly hints?: ToolHints
  readonly withoutCommands?: WithoutCommands
  readonly redactedLater?: readonly string[]
  run(input: z.output<Input>, context: ToolContext): Promise<ToolReply>
}

/** Agents use both the names of the schema and the short ones of the original's README. */
const COMMON_ALIASES = { project: 'project_name', sessionId: 'session_id', session: 'session_id' }

export function defineTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): Tool {
  const { name, description, input, aliases = {}, hints = {}, withoutCommands, redactedLater = [] } = definition
  return {
    name,
    description,
    input,
    aliases: { ...COMMON_ALIASES, ...aliases },
    hints,
    ...(withoutCommands !== undefined && { withoutCommands }),
    redactedLater,
    run: (args, context) => definition.run(parse(input, args), context),
  }
}
