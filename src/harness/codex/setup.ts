import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type CommandHook, commandHooksEdit } from '../../install/edits/launcher-hooks.ts'
import { isProgramThere } from '../../install/installed-program.ts'
import type { EntryEdit } from '../../install/contract/settings-edit.ts'
import { isOurMcpEntry, MCP_SERVER, buildMcpServer } from '../../install/edits/mcp-server.ts'
import { skillEdits } from '../../install/edits/own-file.ts'
import { bootstrapEdit, snippetEdit } from '../../install/edits/snippet.ts'
import { tomlTableEdit } from '../../install/edits/toml-table.ts'
import type { HarnessSetup, Scope, SetupPorts } from '../../install/contract/setup.ts'
import { CODEX } from './events.ts'
import { codexHome, configFile, hooksFile, instructionsFile, layerFolder, managedFiles } from './paths.ts'
import { askTrust, findDisablingSetting } from './trust.ts'

/** Timeouts in seconds, far above our own deadlines. Codex 0.166 limits SessionEnd to 3 and warns its user about more. */
export const CODEX_HOOKS: readonly CommandHook[] = [
  { hook: 'SessionStart', timeout: 10 },
  { hook: 'UserPromptSubmit', timeout: 5 },
  // Only tools that can change something: a tool that only reads is never warned about or refused.
  { hook: 'PreToolUse', timeout: 5, matcher: '^(?:apply_patch|Bash|spawn_agent|mcp__.*)$' },
  { hook: 'PostToolUse', timeout: 5 },
  { hook: 'SubagentStart', timeout: 5 },
  { hook: 'SubagentStop', timeout: 5 },
  { hook: 'PreCompact', timeout: 10 },
  { hook: 'PostCompact', timeout: 5 },
  { hook: 'Stop', timeout: 5 },
  { hook: 'SessionEnd', timeout: 3 },
]

function mcpEdit(ports: SetupPorts, scope: Scope): EntryEdit {
  return tomlTableEdit({
    id: 'mcp',
    kind: 'mcp',
    path: configFile(ports, scope),
    table: ['mcp_servers', MCP_SERVER],
    value: { ...buildMcpServer(ports) },
    isOurs: isOurMcpEntry,
  })
}

export const setup: HarnessSetup = {
  id: CODEX,
  name: 'Codex CLI',
  scopes: ['user', 'project'],
  usesHttp: false,
  toolCost: { sends: 'nothing', addedPerTool: 0, addedOnce: 1_874 },
  isPresent: (ports) => existsSync(codexHome(ports)) || isProgramThere(ports, ['codex']),
  edits: (ports, scope) => [
    commandHooksEdit({ harness: CODEX, ports, path: hooksFile(ports, scope), hooks: CODEX_HOOKS }),
    mcpEdit(ports, scope),
    snippetEdit({ path: instructionsFile(ports, scope), ports }),
    ...(scope === 'user'
      ? [bootstrapEdit({ path: instructionsFile(ports, scope), ports, harness: CODEX, projectFile: 'AGENTS.md' })]
      : []),
    ...skillEdits({ folder: join(layerFolder(ports, scope), 'skills'), ports }),
  ],
  // Only the user may give trust: a tool that wrote it for itself would make it worthless.
  remainingSteps: (_world, scope) => [
    'Open Codex, type /hooks, and trust the hooks of Holdfast. Until then Codex skips them silently, and again after each change to them.',
    ...(scope === 'user' ? [] : ['Trust the project in Codex: it ignores the settings of untrusted projects.']),
  ],
  askTrust,
  settingsFiles: (ports) => [
    ...managedFiles(ports),
    configFile(ports, 'user'),
    hooksFile(ports, 'user'),
    configFile(ports, 'project'),
    hooksFile(ports, 'project'),
  ],
  findDisablingSetting,
}
