import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { entryCommandsEdit } from '../../install/edits/launcher-hooks.ts'
import { isProgramThere } from '../../install/installed-program.ts'
import { mcpEntryEdit } from '../../install/edits/json-entry.ts'
import { rulesEdit } from '../../install/edits/own-file.ts'
import { snippetEdit } from '../../install/edits/snippet.ts'
import type { HarnessSetup, SetupPorts } from '../../install/contract/setup.ts'
import { WINDSURF } from './events.ts'
import { windsurf } from './index.ts'

/** Windsurf became Devin Desktop in June 2026 and kept its folders. */
function userFolder(ports: SetupPorts): string {
  return join(ports.env.HOME || ports.env.USERPROFILE || homedir(), '.codeium', 'windsurf')
}

const HOOKS = windsurf.hooks.map(({ hook }) => [hook, [hook]] as const)

export const setup: HarnessSetup = {
  id: WINDSURF,
  name: 'Windsurf',
  scopes: ['user', 'project'],
  usesHttp: false,
  isPresent: (ports) => existsSync(userFolder(ports)) || isProgramThere(ports, ['windsurf', 'devin-desktop']),
  edits(ports, scope) {
    const user = userFolder(ports)
    const project = join(ports.cwd, '.windsurf')
    const hooks = entryCommandsEdit({
      harness: WINDSURF,
      ports,
      path: join(scope === 'user' ? user : project, 'hooks.json'),
      hooks: HOOKS,
      extra: { show_output: false },
    })
    // MCP servers exist only for the user.
    if (scope !== 'user') return [hooks, rulesEdit({ path: join(project, 'rules', 'holdfast.md'), ports })]
    const mcp = mcpEntryEdit({ ports, path: join(user, 'mcp_config.json') })
    return [hooks, mcp, snippetEdit({ path: join(user, 'memories', 'global_rules.md'), ports })]
  },
  remainingSteps: () => [
    'Restart Windsurf. Its hooks cannot inject text: the rules make the agent call session_briefing.',
  ],
  settingsFiles: (ports) => [join(userFolder(ports), 'hooks.json'), join(ports.cwd, '.windsurf', 'hooks.json')],
  findDisablingSetting: () => undefined,
}
