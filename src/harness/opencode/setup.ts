import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isProgramThere } from '../../install/installed-program.ts'
import { listOf, objectOf } from '../../kernel/json-shape.ts'
import type { EntryPiece, FilePiece } from '../../install/contract/settings-edit.ts'
import { jsonEntryPiece } from '../../install/edits/json-entry.ts'
import { isOurMcpServer, MCP_SERVER, mcpServer } from '../../install/edits/mcp-server.ts'
import { filePiece } from '../../install/edits/own-file.ts'
import { readSkills, skillPieces } from '../../install/edits/skills.ts'
import { snippetPiece } from '../../install/edits/snippet.ts'
import { pluginReach } from '../../install/plugin-reach.ts'
import type { HarnessSetup, Scope, SetupWorld } from '../../install/contract/setup.ts'
import { OPENCODE } from './events.ts'
import { configDir, configFile, folderOf, globalDir, instructionsFile } from './places.ts'

/** Loads the plugin from the package: an update needs no second install, and a package that is gone costs OpenCode nothing. */
function pluginText(world: SetupWorld): string {
  const options = {
    ...(world.env.HOLDFAST_HOME ? { home: world.home.root } : {}),
    node: world.nodePath,
  }
  return `// Holdfast for OpenCode. Written by \`holdfast init\`, taken away by \`holdfast uninstall\`.
const plugin = ${JSON.stringify(pathToFileURL(join(world.distDir, 'opencode-plugin.js')).href)}
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

function pluginPiece(world: SetupWorld, scope: Scope): FilePiece {
  return filePiece({
    id: 'plugin',
    kind: 'plugin',
    path: join(folderOf(world, scope), 'plugins', 'holdfast.js'),
    content: pluginText(world),
    reach: pluginReach(OPENCODE, world),
  })
}

function isOurs(value: unknown): boolean {
  const [command, ...args] = listOf(objectOf(value).command)
  return isOurMcpServer(command, args)
}

function mcpPiece(world: SetupWorld, scope: Scope): EntryPiece {
  const { command, args, env } = mcpServer(world)
  return jsonEntryPiece({
    id: 'mcp',
    kind: 'mcp',
    path: configFile(world, scope),
    at: ['mcp'],
    key: MCP_SERVER,
    value: {
      type: 'local',
      command: [command, ...args],
      ...(env === undefined ? {} : { environment: env }),
      enabled: true,
    },
    isOurs,
  })
}

/** OpenCode offers skills to the agent only; a person calls the same by a command. */
function commandPieces(world: SetupWorld, scope: Scope): readonly FilePiece[] {
  return readSkills(world).map(({ name, description, body }) =>
    filePiece({
      id: `commands/${name}.md`,
      kind: 'commands',
      path: join(folderOf(world, scope), 'commands', `${name}.md`),
      content: `---\ndescription: ${JSON.stringify(description)}\n---\n\n${body.trim()}\n\n$ARGUMENTS\n`,
    }),
  )
}

export const openCodeSetup: HarnessSetup = {
  id: OPENCODE,
  name: 'OpenCode',
  scopes: ['user', 'project'],
  usesHttp: false,
  isPresent: (world) =>
    existsSync(configDir(world)) || existsSync(globalDir(world)) || isProgramThere(world, ['opencode']),
  pieces: (world, scope) => [
    pluginPiece(world, scope),
    mcpPiece(world, scope),
    snippetPiece({ path: instructionsFile(world, scope), world }),
    ...skillPieces({ folder: join(folderOf(world, scope), 'skills'), world }),
    ...commandPieces(world, scope),
  ],
  settingsFiles: (world) => [configFile(world, 'user'), configFile(world, 'project')],
  findSilencer: () => undefined,
}
