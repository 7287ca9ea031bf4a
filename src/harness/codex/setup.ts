import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type CommandHook, commandHooksPiece } from '../../install/edits/command-hooks.ts'
import { isProgramThere } from '../../install/installed-program.ts'
import { listOf, objectOf } from '../../kernel/json-shape.ts'
import type { EntryPiece } from '../../install/contract/settings-edit.ts'
import { isOurMcpServer, MCP_SERVER, mcpServer } from '../../install/edits/mcp-server.ts'
import { skillPieces } from '../../install/edits/skills.ts'
import { snippetPiece } from '../../install/edits/snippet.ts'
import { tomlTablePiece } from '../../install/edits/toml-table.ts'
import type { HarnessSetup, Scope, SetupWorld } from '../../install/contract/setup.ts'
import { CODEX } from './events.ts'
import { codexHome, configFile, hooksFile, instructionsFile, layerFolder, managedFiles } from './places.ts'
import { findSilencer } from './disabling-setting.ts'
import { askTrust } from './trust.ts'

/** Timeouts in seconds, far above our own deadlines. Codex 0.166 cuts SessionEnd to 3 and tells its user so when more is asked for. */
export const CODEX_HOOKS: readonly CommandHook[] = [
  { hook: 'SessionStart', timeout: 10 },
  { hook: 'UserPromptSubmit', timeout: 5 },
  // Only what can change something: tools that read are never warned about or refused, and would wait for nothing.
  { hook: 'PreToolUse', timeout: 5, matcher: '^(?:apply_patch|Bash|spawn_agent|mcp__.*)$' },
  { hook: 'PostToolUse', timeout: 5 },
  { hook: 'SubagentStart', timeout: 5 },
  { hook: 'SubagentStop', timeout: 5 },
  { hook: 'PreCompact', timeout: 10 },
  { hook: 'PostCompact', timeout: 5 },
  { hook: 'Stop', timeout: 5 },
  { hook: 'SessionEnd', timeout: 3 },
]

function mcpPiece(world: SetupWorld, scope: Scope): EntryPiece {
  return tomlTablePiece({
    id: 'mcp',
    kind: 'mcp',
    path: configFile(world, scope),
    table: ['mcp_servers', MCP_SERVER],
    value: { ...mcpServer(world) },
    isOurs: (value) => isOurMcpServer(objectOf(value).command, listOf(objectOf(value).args)),
  })
}

export const codexSetup: HarnessSetup = {
  id: CODEX,
  name: 'Codex CLI',
  scopes: ['user', 'project'],
  usesHttp: false,
  isPresent: (world) => existsSync(codexHome(world)) || isProgramThere(world, ['codex']),
  pieces: (world, scope) => [
    commandHooksPiece({ harness: CODEX, world, path: hooksFile(world, scope), hooks: CODEX_HOOKS }),
    mcpPiece(world, scope),
    snippetPiece({ path: instructionsFile(world, scope), world }),
    ...skillPieces({ folder: join(layerFolder(world, scope), 'skills'), world }),
  ],
  // The trust is the user's to give: a tool that wrote it for itself would make it worthless.
  remainingSteps: (_world, scope) => [
    'Open Codex, type /hooks, and trust the hooks of Holdfast. Until then Codex skips them without a word, and again after each change to them.',
    ...(scope === 'user' ? [] : ['Trust the project in Codex: it reads the settings of no other.']),
  ],
  askTrust,
  settingsFiles: (world) => [
    ...managedFiles(world),
    configFile(world, 'user'),
    hooksFile(world, 'user'),
    configFile(world, 'project'),
    hooksFile(world, 'project'),
  ],
  findSilencer,
}
