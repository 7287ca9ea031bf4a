import type * as z from 'zod'
import type { AgentDoor } from '../core/agent-door.ts'
import type { Continuity } from '../core/continuity.ts'
import type { Clock } from '../core/ports.ts'
import type { Tasks } from '../core/task/tasks.ts'
import { parse } from '../protocol/parse.ts'
import type { Caller } from './caller.ts'

/** What every tool works with; the same for all calls of a daemon. */
export interface ToolWorld {
  readonly continuity: Continuity
  readonly door: AgentDoor
  readonly tasks: Tasks
  readonly clock: Pick<Clock, 'now'>
  readonly sha256: (text: string) => string
  /** A new one at each call. */
  readonly randomBytes: (count: number) => Uint8Array
  /** The text without secrets: applied to everything that leaves by this door. */
  readonly redact: (text: string) => string
}

export interface ToolContext extends ToolWorld {
  readonly caller: Caller
}

/** Text as it is, or a value that is sent as JSON. */
export type ToolAnswer = string | Readonly<Record<string, unknown>>

export interface ToolHints {
  /** Changes nothing. */
  readonly isReadOnly?: boolean
  /** Takes something away for good. */
  readonly isDestructive?: boolean
  /** A second call with the same arguments changes nothing more. */
  readonly isIdempotent?: boolean
  /** Offered to the agent at once, where the harness loads tools on demand. */
  readonly isAlwaysLoaded?: boolean
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodType
  /** Other names that arguments are known by, and the name they get. */
  readonly aliases: Readonly<Record<string, string>>
  readonly hints: ToolHints
  /** `args` as the agent sent them, aliases resolved; thrown `HoldfastError`s become an error result. */
  run(args: unknown, context: ToolContext): Promise<ToolAnswer>
}

interface ToolDefinition<Input extends z.ZodType> {
  readonly name: string
  readonly description: string
  readonly input: Input
  readonly aliases?: Readonly<Record<string, string>>
  readonly hints?: ToolHints
  run(input: z.output<Input>, context: ToolContext): Promise<ToolAnswer>
}

/** Agents write both: the names of the schema, and the short ones of the original's README. */
const COMMON_ALIASES = { project: 'project_name', sessionId: 'session_id', session: 'session_id' }

export function defineTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): Tool {
  const { name, description, input, aliases = {}, hints = {} } = definition
  return {
    name,
    description,
    input,
    aliases: { ...COMMON_ALIASES, ...aliases },
    hints,
    run: (args, context) => definition.run(parse(input, args), context),
  }
}
