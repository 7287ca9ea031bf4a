import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { entryCommandsEdit } from '../../install/edits/launcher-hooks.ts'
import { isProgramThere } from '../../install/installed-program.ts'
import { mcpEntryEdit } from '../../install/edits/json-entry.ts'
import { rulesEdit } from '../../install/edits/own-file.ts'
import { bootstrapEdit, snippetEdit } from '../../install/edits/snippet.ts'
import type { HarnessSetup, SetupPorts } from '../../install/contract/setup.ts'
import { WINDSURF } from './events.ts'
import { windsurf } from './index.ts'

/** Windsurf became Devin Desktop in June 2026 and kept its folders. */
function listFolders(ports: SetupPorts): readonly string[] {
  const codeium = join(ports.env.HOME || ports.env.USERPROFILE || homedir(), '.codeium')
  return ['windsurf', 'windsurf-next'].map((name) => join(codeium, name))
}

/** Those of the installed editions; that of the stable one when none is there yet. */
function userFolders(ports: SetupPorts): readonly string[] {
  const folders = listFolders(ports)
  const present = folders.filter((folder) => existsSync(folder))
  return present.length > 0 ? present : folders.slice(0, 1)
}

const HOOKS = windsurf.hooks.map(({ hook }) => [hook, [hook]] as const)

export const setup: HarnessSetup = {
  id: WINDSURF,
  name: 'Windsurf',
  scopes: ['user', 'project'],
  usesHttp: false,
  isPresent: (ports) =>
    listFolders(ports).some((folder) => existsSync(folder)) || isProgramThere(ports, ['windsurf', 'devin-desktop']),
  edits(ports, scope) {
    const project = join(ports.cwd, '.windsurf')
    const hooksIn = (folder: string) =>
      entryCommandsEdit({
        harness: WINDSURF,
        ports,
        path: join(folder, 'hooks.json'),
        hooks: HOOKS,
        extra: { show_output: false },
      })
    // MCP servers exist only for the user.
    if (scope !== 'user') return [hooksIn(project), rulesEdit({ path: join(project, 'rules', 'holdfast.md'), ports })]
    return userFolders(ports).flatMap((user) => [
      hooksIn(user),
      mcpEntryEdit({ ports, path: join(user, 'mcp_config.json') }),
      snippetEdit({ path: join(user, 'memories', 'global_rules.md'), ports }),
      bootstrapEdit({
        path: join(user, 'memories', 'global_rules.md'),
        ports,
        harness: WINDSURF,
        projectFile: '.windsurf/rules/holdfast.md',
      }),
    ])
  },
  remainingSteps: () => [
    'Restart Windsurf. Its hooks cannot inject text: the rules make the agent call session_briefing.',
  ],
  settingsFiles: (ports) => [
    ...userFolders(ports).map((folder) => join(folder, 'hooks.json')),
    join(ports.cwd, '.windsurf', 'hooks.json'),
  ],
  findDisablingSetting: () => undefined,
}
