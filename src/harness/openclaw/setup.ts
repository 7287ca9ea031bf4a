import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { getNodeValue } from 'jsonc-parser'
import { isProgramThere } from '../../install/installed-program.ts'
import { asList, asObject, asText } from '../../kernel/json-shape.ts'
import type { EntryEdit, FileEdit } from '../../install/contract/settings-edit.ts'
import { jsonEntryEdit, mcpEntryEdit } from '../../install/edits/json-entry.ts'
import { folderEdits, skillEdits } from '../../install/edits/own-file.ts'
import { pluginReach } from '../../install/edits/launcher-hooks.ts'
import { findValue, parseSettings } from '../../install/contract/settings-text.ts'
import type { HarnessSetup, SetupPorts } from '../../install/contract/setup.ts'
import { OPENCLAW } from './events.ts'
import { homedir } from 'node:os'

/** OpenClaw's (2026.9) own folder. */
export function stateDir(ports: SetupPorts): string {
  const { OPENCLAW_STATE_DIR, OPENCLAW_HOME, HOME, USERPROFILE } = ports.env
  return OPENCLAW_STATE_DIR || join(OPENCLAW_HOME || HOME || USERPROFILE || homedir(), '.openclaw')
}

export function configFile(ports: SetupPorts): string {
  return ports.env.OPENCLAW_CONFIG_PATH || join(stateDir(ports), 'openclaw.json')
}

/** A folder in here is a plugin without being listed anywhere. */
export function pluginFolder(ports: SetupPorts): string {
  return join(stateDir(ports), 'extensions', 'holdfast')
}

const PLUGIN = 'holdfast'

/** OpenClaw copies a plugin before it runs it, so the plugin needs the path of the package. */
function pluginConfig(ports: SetupPorts) {
  return {
    ...(ports.env.HOLDFAST_HOME ? { home: ports.home.root } : {}),
    node: ports.nodePath,
    hook: join(ports.distDir, 'hook.cjs'),
  }
}

function isOurEntry(value: unknown): boolean {
  const hook = asText(asObject(asObject(value).config).hook)
  return hook !== undefined && /[\\/]hook\.cjs$/.test(hook)
}

/** Without `allowConversationAccess` OpenClaw (2026.9.6) gives a plugin no prompts, and nothing can be injected. */
function entryEdit(ports: SetupPorts): EntryEdit {
  return {
    ...jsonEntryEdit({
      id: 'plugin-entry',
      kind: 'hooks',
      path: configFile(ports),
      at: ['plugins', 'entries'],
      key: PLUGIN,
      value: { enabled: true, hooks: { allowConversationAccess: true }, config: pluginConfig(ports) },
      isOurs: isOurEntry,
    }),
    reach: pluginReach(OPENCLAW, ports, (text) =>
      asText(getValueAt(text, configFile(ports), `plugins.entries.${PLUGIN}.config.home`)),
    ),
  }
}

function codeEdits(ports: SetupPorts): readonly FileEdit[] {
  return folderEdits({ kind: 'plugin', from: join(ports.distDir, 'openclaw'), to: pluginFolder(ports) })
}

const DISABLING_SETTINGS: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['plugins.enabled', (value) => value === false],
  ['plugins.allow', (value) => Array.isArray(value) && !value.includes(PLUGIN)],
  ['plugins.deny', (value) => asList(value).includes(PLUGIN)],
  [`plugins.entries.${PLUGIN}.enabled`, (value) => value === false],
  [`plugins.entries.${PLUGIN}.hooks.allowConversationAccess`, (value) => value === false],
  [`plugins.entries.${PLUGIN}.hooks.allowPromptInjection`, (value) => value === false],
]

function getValueAt(text: string, path: string, place: string): unknown {
  const root = parseSettings(text, path)
  const found = place.split('.').reduce((node, key) => (node === undefined ? undefined : findValue(node, key)), root)
  return found === undefined ? undefined : getNodeValue(found)
}

export const setup: HarnessSetup = {
  id: OPENCLAW,
  name: 'OpenClaw',
  scopes: ['user'],
  usesHttp: false,
  isPresent: (ports) => existsSync(stateDir(ports)) || isProgramThere(ports, ['openclaw']),
  // Its instructions are in each agent's workspace, which is the user's; the skills take their place.
  edits: (ports) => [
    ...codeEdits(ports),
    entryEdit(ports),
    mcpEntryEdit({ ports, path: configFile(ports), at: ['mcp', 'servers'] }),
    ...skillEdits({ folder: join(stateDir(ports), 'skills'), ports }),
  ],
  remainingSteps: () => ['Restart the gateway (`openclaw gateway restart`) so that it loads the plugin.'],
  settingsFiles: (ports) => [configFile(ports)],
  findDisablingSetting: (text, path) =>
    DISABLING_SETTINGS.find(([place, isDisabling]) => isDisabling(getValueAt(text, path, place)))?.[0],
}
