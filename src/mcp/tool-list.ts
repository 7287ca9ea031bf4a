import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { protocolTools } from './continuity-tools.ts'
import type { Tool } from './tool/tool.ts'
import { taskCheckpoint } from './tools/task/task-checkpoint.ts'
import { taskStatus } from './tools/task/task-status.ts'
import { checkpointDelete } from './tools/memory/checkpoint-delete.ts'
import { checkpointList } from './tools/memory/checkpoint-list.ts'
import { checkpointResume } from './tools/memory/checkpoint-resume.ts'
import { checkpointSave } from './tools/memory/checkpoint-save.ts'
import { forget } from './tools/memory/forget.ts'
import { recall } from './tools/memory/recall.ts'
import { remember } from './tools/memory/remember.ts'
import { sessionDigest } from './tools/memory/session-digest.ts'

/** Digests, memories and named checkpoints. */
const keepingTools: readonly Tool[] = [
  sessionDigest,
  remember,
  recall,
  forget,
  checkpointSave,
  checkpointList,
  checkpointResume,
  checkpointDelete,
]

/** Governed tasks. Sessions begin and end at the keyboard: their rituals run commands of the repository. */
const taskTools: readonly Tool[] = [taskStatus, taskCheckpoint]

/** Every tool, in the order they are listed. */
export const allTools: readonly Tool[] = [...protocolTools, ...keepingTools, ...taskTools]

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Limits that no honest call meets; one that does is told. */
const UNTOLD = new Set(['minLength', 'maxLength', 'maxItems', 'propertyNames'])

/** The schema without what costs an agent tokens and tells it nothing. */
function slim(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(slim)
  if (!isObject(schema)) return schema
  const { minimum, maximum, ...rest } = schema
  const isBound = (bound: unknown) => typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER
  return {
    ...Object.fromEntries(
      Object.entries(rest)
        .filter(([key]) => !UNTOLD.has(key))
        .map(([key, value]) => [key, slim(value)]),
    ),
    ...(isBound(minimum) && minimum !== 1 && { minimum }),
    ...(isBound(maximum) && { maximum }),
  }
}

function inputSchema({ input }: Tool, omits: readonly string[]): ListedTool['inputSchema'] {
  const { required, properties = {} } = z.toJSONSchema(input, { io: 'input' })
  const slimmed = Object.entries(properties)
    .filter(([name]) => !omits.includes(name))
    .map(([name, property]) => [name, slim(property)])
  return {
    type: 'object',
    properties: Object.fromEntries(slimmed),
    ...(required !== undefined && required.length > 0 && { required }),
  }
}

export interface ToolListing {
  /** Whether the user allowed a tool to run any command at all. */
  readonly canRunCommands: boolean
}

function listed(tool: Tool, { canRunCommands }: ToolListing): ListedTool {
  const { description, hints, omits } = (canRunCommands ? undefined : tool.withoutCommands) ?? { ...tool, omits: [] }
  const { isReadOnly, isDestructive, isIdempotent, isAlwaysLoaded, canRunCommand = false } = hints
  return {
    name: tool.name,
    description,
    inputSchema: inputSchema(tool, omits),
    annotations: {
      ...(isReadOnly ? { readOnlyHint: true } : { destructiveHint: canRunCommand || isDestructive === true }),
      ...(isIdempotent && { idempotentHint: true }),
      openWorldHint: canRunCommand,
    },
    // Claude Code loads tools on demand; the ones a session begins with must be there before anybody looks for them.
    ...(isAlwaysLoaded && { _meta: { 'anthropic/alwaysLoad': true } }),
  }
}

/** What `tools/list` answers. */
export function listTools(listing: ToolListing = { canRunCommands: false }): ListedTool[] {
  return allTools.map((tool) => listed(tool, listing))
}
