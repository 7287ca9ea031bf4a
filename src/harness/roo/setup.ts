import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { mcpEntryEdit } from '../../install/edits/json-entry.ts'
import { buildMcpServer } from '../../install/edits/mcp-server.ts'
import { rulesEdit } from '../../install/edits/own-file.ts'
import { bootstrapEdit } from '../../install/edits/snippet.ts'
import type { HarnessSetup, Scope, SetupPorts } from '../../install/contract/setup.ts'
import { ROO, roo } from './index.ts'

function userHome(ports: SetupPorts): string {
  return ports.env.HOME || ports.env.USERPROFILE || homedir()
}

const EDITORS = ['Code', 'Code - Insiders', 'VSCodium'] as const

/** Where editors store their settings. */
function configFolder(ports: SetupPorts): string {
  if (ports.platform === 'darwin') return join(userHome(ports), 'Library', 'Application Support')
  if (ports.platform === 'win32') return ports.env.APPDATA || join(userHome(ports), 'AppData', 'Roaming')
  return ports.env.XDG_CONFIG_HOME || join(userHome(ports), '.config')
}

/** The extension's folder in VS Code and in the editors made from it. */
function listStorages(ports: SetupPorts): readonly string[] {
  return EDITORS.map((editor) =>
    join(configFolder(ports), editor, 'User', 'globalStorage', 'rooveterinaryinc.roo-cline'),
  )
}

function mcpFiles(ports: SetupPorts, scope: Scope): readonly string[] {
  if (scope !== 'user') return [join(ports.cwd, '.roo', 'mcp.json')]
  const storages = listStorages(ports)
  const present = storages.filter((folder) => existsSync(folder))
  return (present.length > 0 ? present : storages.slice(0, 1)).map((folder) =>
    join(folder, 'settings', 'mcp_settings.json'),
  )
}

export const setup: HarnessSetup = {
  id: ROO,
  name: roo.name,
  scopes: ['user', 'project'],
  usesHttp: false,
  isPresent: (ports) => listStorages(ports).some((folder) => existsSync(folder)),
  edits: (ports, scope) => [
    ...mcpFiles(ports, scope).map((path) =>
      mcpEntryEdit({ ports, path, value: { ...buildMcpServer(ports), disabled: false, alwaysAllow: [] } }),
    ),
    rulesEdit({ path: join(scope === 'user' ? userHome(ports) : ports.cwd, '.roo', 'rules', 'holdfast.md'), ports }),
    ...(scope === 'user'
      ? [
          bootstrapEdit({
            path: join(userHome(ports), '.roo', 'rules', 'holdfast-bootstrap.md'),
            ports,
            harness: ROO,
            projectFile: '.roo/rules/holdfast.md',
          }),
        ]
      : []),
  ],
  remainingSteps: () => [
    'Roo Code was shut down by its makers in May 2026. It has no hooks: the rules make its agent call session_briefing, and nothing is recorded automatically.',
  ],
  settingsFiles: () => [],
  findDisablingSetting: () => undefined,
}
