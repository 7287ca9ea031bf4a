import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isProgramThere } from '../../install/installed-program.ts'
import type { EntryEdit, FileEdit } from '../../install/contract/settings-edit.ts'
import { mcpEntryEdit } from '../../install/edits/json-entry.ts'
import { buildMcpServer } from '../../install/edits/mcp-server.ts'
import { fileEdit, readSkills, skillEdits } from '../../install/edits/own-file.ts'
import { bootstrapEdit, snippetEdit } from '../../install/edits/snippet.ts'
import { pluginReach } from '../../install/edits/launcher-hooks.ts'
import type { HarnessSetup, Scope, SetupPorts } from '../../install/contract/setup.ts'
import { OPENCODE } from './events.ts'
import { homedir } from 'node:os'

/** OpenCode's (1.18) folder of the user; instructions are read from here even when `OPENCODE_CONFIG_DIR` names another folder. */
export function globalDir(ports: SetupPorts): string {
  const home = ports.env.HOME || ports.env.USERPROFILE || homedir()
  return join(ports.env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode')
}

export function configDir(ports: SetupPorts): string {
  return ports.env.OPENCODE_CONFIG_DIR || globalDir(ports)
}

function isProject(scope: Scope): boolean {
  return scope !== 'user'
}

/** The folder whose `plugins`, `skills` and `commands` OpenCode loads. */
export function getFolder(ports: SetupPorts, scope: Scope): string {
  return isProject(scope) ? join(ports.cwd, '.opencode') : configDir(ports)
}

/** The existing settings file; both names are valid. */
export function configFile(ports: SetupPorts, scope: Scope): string {
  const folder = isProject(scope) ? ports.cwd : configDir(ports)
  const commented = join(folder, 'opencode.jsonc')
  return existsSync(commented) ? commented : join(folder, 'opencode.json')
}

export function instructionsFile(ports: SetupPorts, scope: Scope): string {
  return join(isProject(scope) ? ports.cwd : globalDir(ports), 'AGENTS.md')
}

/** Loads the plugin from the package: an update needs no second install, and a missing package does not break OpenCode. */
function pluginText(ports: SetupPorts): string {
  const options = {
    ...(ports.env.HOLDFAST_HOME ? { home: ports.home.root } : {}),
    node: ports.nodePath,
  }
  return `// Holdfast for OpenCode. Written by \`holdfast init\`, removed by \`holdfast uninstall\`.
const plugin = ${JSON.stringify(pathToFileURL(join(ports.distDir, 'opencode-plugin.js')).href)}
const options = ${JSON.stringify(options)}

export const Holdfast = async (context) => {
  try {
    const { holdfast } = await import(plugin)
    return holdfast(context, options)
  } catch {
    return {}
  }
}
`
}

function pluginEdit(ports: SetupPorts, scope: Scope): FileEdit {
  return fileEdit({
    id: 'plugin',
    kind: 'plugin',
    path: join(getFolder(ports, scope), 'plugins', 'holdfast.js'),
    content: pluginText(ports),
    reach: pluginReach(OPENCODE, ports),
  })
}

function mcpEdit(ports: SetupPorts, scope: Scope): EntryEdit {
  const { command, args, env } = buildMcpServer(ports)
  const value = {
    type: 'local',
    command: [command, ...args],
    ...(env === undefined ? {} : { environment: env }),
    enabled: true,
  }
  return mcpEntryEdit({ ports, path: configFile(ports, scope), at: ['mcp'], value })
}

/** OpenCode offers skills only to the agent; a person uses these commands. */
function commandEdits(ports: SetupPorts, scope: Scope): readonly FileEdit[] {
  return readSkills(ports).map(({ name, description, body }) =>
    fileEdit({
      id: `commands/${name}.md`,
      kind: 'commands',
      path: join(getFolder(ports, scope), 'commands', `${name}.md`),
      content: `---\ndescription: ${JSON.stringify(description)}\n---\n\n${body.trim()}\n\n$ARGUMENTS\n`,
    }),
  )
}

export const setup: HarnessSetup = {
  id: OPENCODE,
  name: 'OpenCode',
  scopes: ['user', 'project'],
  usesHttp: false,
  toolCost: { sends: 'definition', addedPerTool: 70, addedOnce: 0 },
  isPresent: (ports) =>
    existsSync(configDir(ports)) || existsSync(globalDir(ports)) || isProgramThere(ports, ['opencode']),
  edits: (ports, scope) => [
    pluginEdit(ports, scope),
    mcpEdit(ports, scope),
    snippetEdit({ path: instructionsFile(ports, scope), ports }),
    ...(scope === 'user'
      ? [bootstrapEdit({ path: instructionsFile(ports, scope), ports, harness: OPENCODE, projectFile: 'AGENTS.md' })]
      : []),
    ...skillEdits({ folder: join(getFolder(ports, scope), 'skills'), ports }),
    ...commandEdits(ports, scope),
  ],
  settingsFiles: (ports) => [configFile(ports, 'user'), configFile(ports, 'project')],
  findDisablingSetting: () => undefined,
}
