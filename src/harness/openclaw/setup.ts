import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { getNodeValue } from 'jsonc-parser'
import { isProgramThere } from '../../install/installed-program.ts'
import { listOf, objectOf, textOf } from '../../kernel/json-shape.ts'
import type { EntryPiece, FilePiece } from '../../install/contract/settings-edit.ts'
import { jsonEntryPiece } from '../../install/edits/json-entry.ts'
import { isOurMcpServer, MCP_SERVER, mcpServer } from '../../install/edits/mcp-server.ts'
import { folderPieces } from '../../install/edits/own-file.ts'
import { skillPieces } from '../../install/edits/skills.ts'
import { pluginReach } from '../../install/plugin-reach.ts'
import { findValue, parseSettings } from '../../install/contract/settings-text.ts'
import type { HarnessSetup, SetupWorld } from '../../install/contract/setup.ts'
import { OPENCLAW } from './events.ts'
import { configFile, pluginFolder, stateDir } from './places.ts'

const PLUGIN = 'holdfast'

/** OpenClaw copies a plugin before it runs it: where the rest of the package is, it has to be told. */
function pluginConfig(world: SetupWorld) {
  return {
    ...(world.env.HOLDFAST_HOME ? { home: world.home.root } : {}),
    node: world.nodePath,
    hook: join(world.distDir, 'hook.cjs'),
  }
}

function isOurEntry(value: unknown): boolean {
  const hook = textOf(objectOf(objectOf(value).config).hook)
  return hook !== undefined && /[\\/]hook\.cjs$/.test(hook)
}

/** Without `allowConversationAccess` OpenClaw (2026.9.6) keeps prompts from a plugin, and with them the place to say anything. */
function entryPiece(world: SetupWorld): EntryPiece {
  return {
    ...jsonEntryPiece({
      id: 'plugin-entry',
      kind: 'hooks',
      path: configFile(world),
      at: ['plugins', 'entries'],
      key: PLUGIN,
      value: { enabled: true, hooks: { allowConversationAccess: true }, config: pluginConfig(world) },
      isOurs: isOurEntry,
    }),
    reach: pluginReach(OPENCLAW, world, (text) =>
      textOf(valueAt(text, configFile(world), `plugins.entries.${PLUGIN}.config.home`)),
    ),
  }
}

/** A plugin's code is read by its harness and by nobody else. */
function codePieces(world: SetupWorld): readonly FilePiece[] {
  return folderPieces({ kind: 'plugin', from: join(world.distDir, 'openclaw'), to: pluginFolder(world) })
}

function mcpPiece(world: SetupWorld): EntryPiece {
  return jsonEntryPiece({
    id: 'mcp',
    kind: 'mcp',
    path: configFile(world),
    at: ['mcp', 'servers'],
    key: MCP_SERVER,
    value: mcpServer(world),
    isOurs: (value) => isOurMcpServer(objectOf(value).command, listOf(objectOf(value).args)),
  })
}

const SILENCERS: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['plugins.enabled', (value) => value === false],
  ['plugins.allow', (value) => Array.isArray(value) && !value.includes(PLUGIN)],
  ['plugins.deny', (value) => listOf(value).includes(PLUGIN)],
  [`plugins.entries.${PLUGIN}.enabled`, (value) => value === false],
  [`plugins.entries.${PLUGIN}.hooks.allowConversationAccess`, (value) => value === false],
  [`plugins.entries.${PLUGIN}.hooks.allowPromptInjection`, (value) => value === false],
]

function valueAt(text: string, path: string, place: string): unknown {
  const root = parseSettings(text, path)
  const found = place.split('.').reduce((node, key) => (node === undefined ? undefined : findValue(node, key)), root)
  return found === undefined ? undefined : getNodeValue(found)
}

export const openClawSetup: HarnessSetup = {
  id: OPENCLAW,
  name: 'OpenClaw',
  scopes: ['user'],
  usesHttp: false,
  isPresent: (world) => existsSync(stateDir(world)) || isProgramThere(world, ['openclaw']),
  // Its instructions lie in each agent's workspace, which is the user's; the skills say what the lines there would.
  pieces: (world) => [
    ...codePieces(world),
    entryPiece(world),
    mcpPiece(world),
    ...skillPieces({ folder: join(stateDir(world), 'skills'), world }),
  ],
  remainingSteps: () => ['Restart the gateway (`openclaw gateway restart`) so that it loads the plugin.'],
  settingsFiles: (world) => [configFile(world)],
  findSilencer: (text, path) => SILENCERS.find(([place, isSilent]) => isSilent(valueAt(text, path, place)))?.[0],
}
