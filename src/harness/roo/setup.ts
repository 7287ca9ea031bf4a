import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { mcpEntryEdit } from '../../install/edits/json-entry.ts'
import { buildMcpServer } from '../../install/edits/mcp-server.ts'
import { rulesEdit } from '../../install/edits/own-file.ts'
import type { HarnessSetup, Scope, SetupPorts } from '../../install/contract/setup.ts'
import { ROO, roo } from './index.ts'

function userHome(ports: SetupPorts): string {
  return ports.env.HOME || ports.env.USERPROFILE || homedir()
}

/** VS Code's folder of the user, as the last version of the extension found it. */
function codeFolder(ports: SetupPorts): string {
  if (ports.platform === 'darwin') return join(userHome(ports), 'Library', 'Application Support', 'Code', 'User')
  if (ports.platform === 'win32')
    return join(ports.env.APPDATA || join(userHome(ports), 'AppData', 'Roaming'), 'Code', 'User')
  return join(ports.env.XDG_CONFIG_HOME || join(userHome(ports), '.config'), 'Code', 'User')
}

function storage(ports: SetupPorts): string {
  return join(codeFolder(ports), 'globalStorage', 'rooveterinaryinc.roo-cline')
}

function mcpFile(ports: SetupPorts, scope: Scope): string {
  return scope === 'user' ? join(storage(ports), 'settings', 'mcp_settings.json') : join(ports.cwd, '.roo', 'mcp.json')
}

export const setup: HarnessSetup = {
  id: ROO,
  name: roo.name,
  scopes: ['project', 'user'],
  usesHttp: false,
  isPresent: (ports) => existsSync(storage(ports)),
  edits: (ports, scope) => [
    mcpEntryEdit({
      ports,
      path: mcpFile(ports, scope),
      value: { ...buildMcpServer(ports), disabled: false, alwaysAllow: [] },
    }),
    rulesEdit({ path: join(scope === 'user' ? userHome(ports) : ports.cwd, '.roo', 'rules', 'holdfast.md'), ports }),
  ],
  remainingSteps: () => [
    'Roo Code was shut down by its makers in May 2026. It has no hooks: the rules make its agent call session_briefing, and nothing is recorded automatically.',
  ],
  settingsFiles: () => [],
  findDisablingSetting: () => undefined,
}
