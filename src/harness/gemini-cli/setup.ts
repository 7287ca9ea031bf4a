import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type CommandHook, commandHooksPiece } from '../../install/edits/command-hooks.ts'
import { isProgramThere } from '../../install/installed-program.ts'
import { listOf, objectOf } from '../../kernel/json-shape.ts'
import type { EntryPiece } from '../../install/contract/settings-edit.ts'
import { jsonEntryPiece } from '../../install/edits/json-entry.ts'
import { isOurMcpServer, MCP_SERVER, mcpServer } from '../../install/edits/mcp-server.ts'
import { skillPieces } from '../../install/edits/skills.ts'
import { snippetPiece } from '../../install/edits/snippet.ts'
import type { HarnessSetup, Scope, SetupWorld } from '../../install/contract/setup.ts'
import { commandPieces } from './commands.ts'
import { GEMINI_CLI } from './events.ts'
import { folderOf, instructionsFile, settingsFile, systemFile, userFolder } from './places.ts'
import { findSilencer } from './disabling-setting.ts'

/** By this name Gemini CLI shows our hooks, and lets its user switch them off. */
export const HOOK_NAME = 'holdfast'

const CHANGING_TOOLS = '^(?:run_shell_command|write_file|replace|edit|web_fetch|invoke_agent|mcp_.*)$'

/** Timeouts in milliseconds, far above our own deadlines. */
export const GEMINI_HOOKS: readonly CommandHook[] = [
  { hook: 'SessionStart', timeout: 10_000 },
  { hook: 'BeforeAgent', timeout: 5_000 },
  // Only what can change something: tools that read are never refused, and would wait for nothing.
  { hook: 'BeforeTool', timeout: 5_000, matcher: CHANGING_TOOLS },
  { hook: 'AfterTool', timeout: 5_000 },
  { hook: 'AfterAgent', timeout: 5_000 },
  // Only what the user asked for: `auto` runs before every call of the model (0.61), and tells nothing.
  { hook: 'PreCompress', timeout: 10_000, matcher: 'manual' },
  { hook: 'SessionEnd', timeout: 5_000 },
]

function mcpPiece(world: SetupWorld, scope: Scope): EntryPiece {
  return jsonEntryPiece({
    id: 'mcp',
    kind: 'mcp',
    path: settingsFile(world, scope),
    at: ['mcpServers'],
    key: MCP_SERVER,
    value: { ...mcpServer(world) },
    isOurs: (value) => isOurMcpServer(objectOf(value).command, listOf(objectOf(value).args)),
  })
}

export const geminiCliSetup: HarnessSetup = {
  id: GEMINI_CLI,
  name: 'Gemini CLI',
  scopes: ['user', 'project'],
  usesHttp: false,
  isPresent: (world) => existsSync(userFolder(world)) || isProgramThere(world, ['gemini']),
  pieces: (world, scope) => [
    commandHooksPiece({
      harness: GEMINI_CLI,
      world,
      path: settingsFile(world, scope),
      hooks: GEMINI_HOOKS,
      extra: { name: HOOK_NAME },
    }),
    mcpPiece(world, scope),
    snippetPiece({ path: instructionsFile(world, scope), world }),
    ...skillPieces({ folder: join(folderOf(world, scope), 'skills'), world }),
    ...commandPieces(world, scope),
  ],
  remainingSteps: (_world, scope) =>
    scope === 'user' ? [] : ['Trust this folder in Gemini CLI: it reads the settings of no other project.'],
  settingsFiles: (world) => [systemFile(world), settingsFile(world, 'user'), settingsFile(world, 'project')],
  findSilencer,
}
