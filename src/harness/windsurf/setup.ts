import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { entryCommandsPiece } from '../../install/edits/entry-commands.ts'
import { isProgramThere } from '../../install/installed-program.ts'
import { listOf, objectOf } from '../../kernel/json-shape.ts'
import { jsonEntryPiece } from '../../install/edits/json-entry.ts'
import { isOurMcpServer, MCP_SERVER, mcpServer } from '../../install/edits/mcp-server.ts'
import { rulesPiece } from '../../install/edits/rules.ts'
import { snippetPiece } from '../../install/edits/snippet.ts'
import type { HarnessSetup, SetupWorld } from '../../install/contract/setup.ts'
import { WINDSURF } from './events.ts'
import { windsurf } from './index.ts'

/** Windsurf became Devin Desktop in June 2026 and kept its folders. */
function userFolder(world: SetupWorld): string {
  return join(world.env.HOME || world.env.USERPROFILE || homedir(), '.codeium', 'windsurf')
}

const HOOKS = windsurf.hooks.map(({ hook }) => [hook, [hook]] as const)

export const windsurfSetup: HarnessSetup = {
  id: WINDSURF,
  name: 'Windsurf',
  scopes: ['user', 'project'],
  usesHttp: false,
  isPresent: (world) => existsSync(userFolder(world)) || isProgramThere(world, ['windsurf', 'devin-desktop']),
  pieces(world, scope) {
    const user = userFolder(world)
    const project = join(world.cwd, '.windsurf')
    const hooks = entryCommandsPiece({
      harness: WINDSURF,
      world,
      path: join(scope === 'user' ? user : project, 'hooks.json'),
      hooks: HOOKS,
      extra: { show_output: false },
    })
    // MCP servers are the user's alone.
    if (scope !== 'user') return [hooks, rulesPiece({ path: join(project, 'rules', 'holdfast.md'), world })]
    const mcp = jsonEntryPiece({
      id: 'mcp',
      kind: 'mcp',
      path: join(user, 'mcp_config.json'),
      at: ['mcpServers'],
      key: MCP_SERVER,
      value: mcpServer(world),
      isOurs: (value) => isOurMcpServer(objectOf(value).command, listOf(objectOf(value).args)),
    })
    return [hooks, mcp, snippetPiece({ path: join(user, 'memories', 'global_rules.md'), world })]
  },
  remainingSteps: () => [
    'Restart Windsurf. It shows its agent nothing that a hook says: the rules tell the agent to call session_briefing.',
  ],
  settingsFiles: (world) => [join(userFolder(world), 'hooks.json'), join(world.cwd, '.windsurf', 'hooks.json')],
  findSilencer: () => undefined,
}
