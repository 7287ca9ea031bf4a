import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { Tool, ToolSet } from './tool/tool.ts'
import { taskCheckpoint, taskStatus } from './tools/tasks.ts'
import { checkpointDelete, checkpointList, checkpointResume, checkpointSave } from './tools/named-checkpoints.ts'
import { forget, recall, remember } from './tools/memories.ts'
import { find } from './tools/find.ts'
import { rules } from './tools/rules.ts'
import { sessionDigest } from './tools/digest.ts'
import { isObject } from '../kernel/json-shape.ts'
import { addProjectKeyword, listProjects, registerProject } from './tools/projects.ts'
import { completeSessionIntent, recordSessionIntent } from './tools/intents.ts'
import { getChecklist, markChecklistItem } from './tools/checklist.ts'
import { getEntityRegistry, registerEntity } from './tools/entities.ts'
import { getRecentSessions, saveSessionSummary, searchHistory } from './tools/summaries.ts'
import { sessionBriefing } from './tools/briefing.ts'

/** The session protocol: the thirteen tools of session-continuity-mcp, with its names. */
const protocolTools: readonly Tool[] = [
  sessionBriefing,
  saveSessionSummary,
  getChecklist,
  markChecklistItem,
  recordSessionIntent,
  completeSessionIntent,
  getRecentSessions,
  getEntityRegistry,
  registerEntity,
  searchHistory,
  registerProject,
  addProjectKeyword,
  listProjects,
]

/**
 * Memories, digests and named checkpoints. Clients that look for tools to store, search and delete by their names take the first
 * that fits, so memories come before everything else.
 */
const memoryTools: readonly Tool[] = [
  remember,
  recall,
  forget,
  find,
  sessionDigest,
  rules,
  checkpointSave,
  checkpointList,
  checkpointResume,
  checkpointDelete,
]

/** Governed tasks. Sessions start and end in the user's shell: their rituals run commands of the repository. */
const taskTools: readonly Tool[] = [taskStatus, taskCheckpoint]

/** Every tool, in the order they are listed. */
export const allTools: readonly Tool[] = [...memoryTools, ...protocolTools, ...taskTools]

interface ShortTool {
  readonly description: string
  /** The tool accepts its other arguments too. */
  readonly arguments: readonly string[]
}

/** Listed by default, in few words: most harnesses put every listed tool before the first prompt of every session. */
const EVERYDAY: Readonly<Record<string, ShortTool>> = {
  session_briefing: { description: 'Project state', arguments: [] },
  session_digest: { description: 'Give a handoff', arguments: ['summary'] },
  remember: { description: 'Store a memory', arguments: ['content'] },
  recall: { description: 'Search memory', arguments: ['query'] },
  forget: { description: 'Delete a memory', arguments: ['id'] },
  checkpoint_resume: { description: 'Load a checkpoint', arguments: ['name'] },
}

/** Limits that normal calls do not reach; the error of a call that does names them. */
const OMITTED_LIMITS = new Set(['minLength', 'maxLength', 'maxItems', 'propertyNames'])

/** The schema without keywords that cost tokens and do not help an agent. */
function slimSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(slimSchema)
  if (!isObject(schema)) return schema
  const { minimum, maximum, ...rest } = schema
  const isBound = (bound: unknown) => typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER
  return {
    ...Object.fromEntries(
      Object.entries(rest)
        .filter(([key]) => !OMITTED_LIMITS.has(key))
        .map(([key, value]) => [key, slimSchema(value)]),
    ),
    ...(isBound(minimum) && minimum !== 1 && { minimum }),
    ...(isBound(maximum) && { maximum }),
  }
}

function inputSchema({ input }: Tool, omits: readonly string[]): ListedTool['inputSchema'] {
  const { required, properties = {} } = z.toJSONSchema(input, { io: 'input' })
  const slimmed = Object.entries(properties)
    .filter(([name]) => !omits.includes(name))
    .map(([name, property]) => [name, slimSchema(property)])
  return {
    type: 'object',
    properties: Object.fromEntries(slimmed),
    ...(required !== undefined && required.length > 0 && { required }),
  }
}

export interface ToolListing {
  /** Whether the user allowed a tool to run any command at all. */
  readonly canRunCommands: boolean
  readonly set: ToolSet
}

function describeTool(tool: Tool, { canRunCommands, set }: ToolListing): ListedTool {
  const full = (canRunCommands ? undefined : tool.withoutCommands) ?? { ...tool, omits: [] }
  const { isReadOnly, isDestructive, isIdempotent, canRunCommand = false } = full.hints
  const short = set === 'everyday' ? EVERYDAY[tool.name] : undefined
  const schema = inputSchema(tool, full.omits)
  const properties = Object.entries(schema.properties ?? {})
  return {
    name: tool.name,
    description: short?.description ?? full.description,
    inputSchema:
      short === undefined
        ? schema
        : {
            ...schema,
            properties: Object.fromEntries(properties.filter(([name]) => short.arguments.includes(name))),
          },
    annotations: {
      ...(isReadOnly ? { readOnlyHint: true } : { destructiveHint: canRunCommand || isDestructive === true }),
      ...(isIdempotent && { idempotentHint: true }),
      openWorldHint: canRunCommand,
    },
  }
}

/** What `tools/list` answers. */
export function listTools(listing: ToolListing = { canRunCommands: false, set: 'all' }): ListedTool[] {
  const tools = listing.set === 'all' ? allTools : allTools.filter(({ name }) => EVERYDAY[name] !== undefined)
  return tools.map((tool) => describeTool(tool, listing))
}
