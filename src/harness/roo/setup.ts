import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { listOf, objectOf } from '../../kernel/json-shape.ts'
import { jsonEntryPiece } from '../../install/edits/json-entry.ts'
import { isOurMcpServer, MCP_SERVER, mcpServer } from '../../install/edits/mcp-server.ts'
import { rulesPiece } from '../../install/edits/rules.ts'
import type { HarnessSetup, Scope, SetupWorld } from '../../install/contract/setup.ts'
import { ROO, roo } from './index.ts'

function userHome(world: SetupWorld): string {
  return world.env.HOME || world.env.USERPROFILE || homedir()
}

/** What VS Code keeps for the user, as the last version of the extension found it. */
function codeFolder(world: SetupWorld): string {
  if (world.platform === 'darwin') return join(userHome(world), 'Library', 'Application Support', 'Code', 'User')
  if (world.platform === 'win32')
    return join(world.env.APPDATA || join(userHome(world), 'AppData', 'Roaming'), 'Code', 'User')
  return join(world.env.XDG_CONFIG_HOME || join(userHome(world), '.config'), 'Code', 'User')
}

function storage(world: SetupWorld): string {
  return join(codeFolder(world), 'globalStorage', 'rooveterinaryinc.roo-cline')
}

function mcpFile(world: SetupWorld, scope: Scope): string {
  return scope === 'user' ? join(storage(world), 'settings', 'mcp_settings.json') : join(world.cwd, '.roo', 'mcp.json')
}

export const rooSetup: HarnessSetup = {
  id: ROO,
  name: roo.name,
  scopes: ['project', 'user'],
  usesHttp: false,
  isPresent: (world) => existsSync(storage(world)),
  pieces: (world, scope) => [
    jsonEntryPiece({
      id: 'mcp',
      kind: 'mcp',
      path: mcpFile(world, scope),
      at: ['mcpServers'],
      key: MCP_SERVER,
      value: { ...mcpServer(world), disabled: false, alwaysAllow: [] },
      isOurs: (value) => isOurMcpServer(objectOf(value).command, listOf(objectOf(value).args)),
    }),
    rulesPiece({ path: join(scope === 'user' ? userHome(world) : world.cwd, '.roo', 'rules', 'holdfast.md'), world }),
  ],
  remainingSteps: () => [
    'Roo Code was shut down by its makers in May 2026. It has no hooks: its agent is led to session_briefing by the rules, and nothing is recorded by itself.',
  ],
  settingsFiles: () => [],
  findSilencer: () => undefined,
}
