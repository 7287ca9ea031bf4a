import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  type CommandHook,
  commandHooksEdit,
  entryCommandsEdit,
  hookCommand,
} from '../../install/edits/launcher-hooks.ts'
import { asObject } from '../../kernel/json-shape.ts'
import type { SettingsEdit } from '../../install/contract/settings-edit.ts'
import { jsonEntryEdit } from '../../install/edits/json-entry.ts'
import { isOurMcpEntry, MCP_SERVER, buildMcpServer, readMcpServer } from '../../install/edits/mcp-server.ts'
import { skillEdits } from '../../install/edits/own-file.ts'
import { snippetEdit } from '../../install/edits/snippet.ts'
import { tomlTableEdit } from '../../install/edits/toml-table.ts'
import type { HarnessSetup, Scope, SetupPorts } from '../../install/contract/setup.ts'
import { GENERIC } from './events.ts'
import type { HarnessDescriptor } from '../descriptor/descriptor.ts'

interface FileLocation {
  readonly file?: string | undefined
  readonly projectFile?: string | undefined
}

/** The file of this scope; undefined where the descriptor has none. */
function findFile(ports: SetupPorts, scope: Scope, { file, projectFile }: FileLocation): string | undefined {
  if (scope === 'project') return projectFile === undefined ? undefined : join(ports.cwd, projectFile)
  const home = ports.env.HOME || ports.env.USERPROFILE || homedir()
  return file?.startsWith('~/') === true ? join(home, file.slice(2)) : file
}

/** The harness's hooks, each with the word that names it for our launcher. */
function hookWords({ name, hooks }: HarnessDescriptor): readonly (readonly [hook: string, word: string])[] {
  return Object.entries(hooks?.events ?? {}).map(([hook, mapping]) => {
    const event = typeof mapping === 'string' ? mapping : mapping.event
    return [hook, `${name}.${event}.${hook}`] as const
  })
}

function hookEdits(ports: SetupPorts, scope: Scope, descriptor: HarnessDescriptor): readonly SettingsEdit[] {
  const path = findFile(ports, scope, descriptor.hooks ?? {})
  if (descriptor.hooks === undefined || path === undefined) return []
  const { style, entry: extra } = descriptor.hooks
  const words = hookWords(descriptor)
  const common = { harness: GENERIC, ports, path, extra, owner: descriptor.name }
  if (style === 'entries')
    return [entryCommandsEdit({ ...common, hooks: words.map(([hook, word]) => [hook, [word]] as const) })]
  const hooks = words.map(([hook, word]): CommandHook => ({ hook, word }))
  return [commandHooksEdit({ ...common, hooks })]
}

function mcpEdits(ports: SetupPorts, scope: Scope, { mcp }: HarnessDescriptor): readonly SettingsEdit[] {
  const path = findFile(ports, scope, mcp ?? {})
  if (mcp === undefined || path === undefined) return []
  const { command, args, env } = buildMcpServer(ports)
  const started =
    mcp.form === 'list'
      ? { command: [command, ...args], ...(env === undefined ? {} : { environment: env }) }
      : buildMcpServer(ports)
  const base = { id: 'mcp', kind: 'mcp', path, isOurs: isOurMcpEntry, readServer: readServer } as const
  const value = { ...mcp.entry, ...started }
  if (path.endsWith('.toml')) return [tomlTableEdit({ ...base, table: [...mcp.at, MCP_SERVER], value })]
  return [jsonEntryEdit({ ...base, at: mcp.at, key: MCP_SERVER, value })]
}

function readServer(value: unknown) {
  const { command, environment } = asObject(value)
  if (!Array.isArray(command)) return readMcpServer(value)
  const [program, ...args]: readonly unknown[] = command
  return readMcpServer({ command: program, args, env: environment })
}

function listEdits(ports: SetupPorts, scope: Scope, descriptor: HarnessDescriptor): readonly SettingsEdit[] {
  const instructions = findFile(ports, scope, descriptor.instructions ?? {})
  const { folder, projectFolder } = descriptor.skills ?? {}
  const skills = findFile(ports, scope, { file: folder, projectFile: projectFolder })
  return [
    ...hookEdits(ports, scope, descriptor),
    ...mcpEdits(ports, scope, descriptor),
    ...(instructions === undefined ? [] : [snippetEdit({ path: instructions, ports })]),
    ...(skills === undefined ? [] : skillEdits({ folder: skills, ports })),
  ]
}

/** A harness without a file for hooks can still run commands: the user is shown which. */
function listCommands(ports: SetupPorts, scope: Scope, descriptor: HarnessDescriptor): readonly string[] {
  if (findFile(ports, scope, descriptor.hooks ?? {}) !== undefined) return []
  return hookWords(descriptor).map(
    ([hook, word]) =>
      `Let ${descriptor.title ?? descriptor.name} run at its ${hook}: ${hookCommand(GENERIC, ports, word)}`,
  )
}

/** Installs what a descriptor describes; nothing without one. */
export const setup: HarnessSetup = {
  id: GENERIC,
  name: 'Generic',
  scopes: ['user', 'project'],
  usesHttp: false,
  takesDescriptor: true,
  isPresent: () => false,
  edits: (ports, scope) => (ports.descriptor === undefined ? [] : listEdits(ports, scope, ports.descriptor)),
  remainingSteps: (ports, scope) =>
    ports.descriptor === undefined ? [] : listCommands(ports, scope, ports.descriptor),
  settingsFiles: (ports) =>
    (['user', 'project'] as const).flatMap((scope) => findFile(ports, scope, ports.descriptor?.hooks ?? {}) ?? []),
  findDisablingSetting: () => undefined,
}
