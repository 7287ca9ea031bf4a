import type { HarnessSetup, SetupPorts, ToolCost } from '../../install/contract/setup.ts'
import { readSkills } from '../../install/edits/own-file.ts'
import { readSnippet } from '../../install/edits/snippet.ts'
import { createToolChoice } from '../../install/installation.ts'
import type { Installation } from '../../install/manifest.ts'
import type { Config } from '../../kernel/config.ts'
import { INSTRUCTIONS } from '../../mcp/server.ts'
import { listTools } from '../../mcp/tool-list.ts'

/** The parts of an installation that are off unless the user asks for them. */
export const EXTRA_PARTS = ['skills', 'commands', 'snippet', 'bootstrap'] as const
type ExtraPart = CostPart<(typeof EXTRA_PARTS)[number]>

interface CostPart<Name extends string = string> {
  readonly name: Name
  readonly chars: number
}

/** What a session of a harness pays for Holdfast before its first prompt, in characters; injected text is in the ledger. */
export interface SessionCost {
  readonly harness: string
  readonly parts: readonly CostPart[]
  readonly totalChars: number
}

const WHOLE_DEFINITIONS: ToolCost = { sends: 'definition', addedPerTool: 0, addedOnce: 0 }

function toolParts(setup: HarnessSetup, set: 'everyday' | 'all'): readonly CostPart[] {
  const tools = listTools({ canRunCommands: false, set })
  const { sends, addedPerTool, addedOnce } = setup.toolCost ?? WHOLE_DEFINITIONS
  const name = `MCP tools (${tools.length}${sends === 'definition' ? '' : ', loaded on demand'})`
  const sent = tools.map(({ name: tool, description, inputSchema }) => {
    if (sends === 'nothing') return ''
    return sends === 'name' ? `${tool}\n` : JSON.stringify({ name: tool, description, parameters: inputSchema })
  })
  const added = addedOnce + addedPerTool * tools.length
  const instructions = INSTRUCTIONS[set].length
  return [
    { name, chars: sent.reduce((sum, text) => sum + text.length, 0) },
    ...(added > 0 ? [{ name: `added by ${setup.name} for MCP`, chars: added }] : []),
    ...(instructions > 0 ? [{ name: 'MCP instructions', chars: instructions }] : []),
  ]
}

/** Those that the harness has. Skills are listed by name and description, and read when used; a command is read when a person calls it. */
export function listExtraParts(
  setup: HarnessSetup,
  ports: SetupPorts,
  scope: Installation['scope'],
): readonly ExtraPart[] {
  const edits = setup.edits(ports, scope, undefined)
  const kinds = new Set(edits.map(({ kind }) => kind))
  const skills = readSkills(ports)
  const listed = skills.reduce((sum, { name, description }) => sum + `- ${name}: ${description}\n`.length, 0)
  const bootstrap = edits.find(({ kind }) => kind === 'bootstrap')
  const chars = {
    skills: listed,
    commands: 0,
    snippet: readSnippet(ports).length,
    bootstrap: bootstrap?.shape === 'entry' ? bootstrap.add('').text.length : 0,
  }
  return EXTRA_PARTS.filter((name) => kinds.has(name)).map((name) => ({ name, chars: chars[name] }))
}

const MEANING: Readonly<Record<ExtraPart['name'], string>> = {
  skills: 'instructions that the agent loads when they fit',
  commands: 'slash commands for you',
  snippet: 'a way of working for the agent, in the file of instructions that it always reads',
  bootstrap: 'lines in your own file of instructions: the agent offers to add the snippet to each project',
}

export function describeExtraPart({ name, chars }: ExtraPart): string {
  return `${name}: ${MEANING[name]} (${chars} characters in every session)`
}

export function measureSession(
  setup: HarnessSetup,
  ports: SetupPorts,
  { config, record }: { readonly config: Pick<Config, 'mcp'>; readonly record: Installation },
): SessionCost {
  const roles = new Set(record.files.map(({ role }) => role))
  const set = createToolChoice(config.mcp.tools, ports.home)()
  const parts = [
    ...(roles.has('mcp') ? toolParts(setup, set) : []),
    ...listExtraParts(setup, ports, record.scope).filter(({ name }) => roles.has(name)),
  ]
  return { harness: setup.id, parts, totalChars: parts.reduce((sum, { chars }) => sum + chars, 0) }
}
