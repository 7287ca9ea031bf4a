import { existsSync } from 'node:fs'
import { asObject, asText } from '../../kernel/json-shape.ts'
import { findHomeInCommand, launcherCommand, withHook } from '../../install/edits/launcher-command.ts'
import type { EntryEdit } from '../../install/contract/settings-edit.ts'
import { hookListEdit } from '../../install/edits/hook-list.ts'
import { mcpEntryEdit } from '../../install/edits/json-entry.ts'
import { buildMcpServer } from '../../install/edits/mcp-server.ts'
import { skillEdits } from '../../install/edits/own-file.ts'
import { bootstrapEdit, snippetEdit } from '../../install/edits/snippet.ts'
import {
  type HarnessSetup,
  type HttpWiring,
  PROBE_HOOK,
  type Probe,
  type Scope,
  SCOPES,
  type SetupPorts,
} from '../../install/contract/setup.ts'
import { isProgramThere } from '../../install/installed-program.ts'
import { CLAUDE_CODE } from './events.ts'
import { hookEntries, hookGroups, hookUrl, isOurHook } from './hook-entries.ts'
import { configDir, instructionsFile, managedFile, mcpLocation, settingsFile, skillsFolder } from './paths.ts'
import { findDisablingSetting } from './disabling-setting.ts'

type Entry = Readonly<Record<string, unknown>>

function findHttp(entries: readonly Entry[]): HttpWiring | undefined {
  const entry = entries.find((known) => known.type === 'http')
  const port = /:(\d+)\//.exec(asText(entry?.url) ?? '')?.[1]
  const token = /^Bearer (.+)$/.exec(asText(asObject(entry?.headers).Authorization) ?? '')?.[1]
  return port === undefined || token === undefined ? undefined : { port: Number(port), token }
}

function findHome(entries: readonly Entry[]): string | undefined {
  const homes = entries.map((entry) => findHomeInCommand(asText(entry.command) ?? ''))
  return homes.find((home) => home !== undefined)
}

function buildProbes(entries: readonly Entry[]): readonly Probe[] {
  const commands = entries.flatMap((entry) => {
    const command = entry.type === 'http' ? undefined : asText(entry.command)
    return command === undefined ? [] : [withHook(command, PROBE_HOOK)]
  })
  const probes = [...new Set(commands)].map((command): Probe => ({ way: 'command', command }))
  const http = findHttp(entries)
  if (http === undefined) return probes
  const headers = { Authorization: `Bearer ${http.token}` }
  return [...probes, { way: 'http', url: hookUrl(PROBE_HOOK, http.port), headers }]
}

function hooksEdit(ports: SetupPorts, scope: Scope, http: HttpWiring | undefined): EntryEdit {
  const command = (hook: string) =>
    launcherCommand({
      harness: CLAUDE_CODE,
      hook,
      distDir: ports.distDir,
      pidVariable: 'CLAUDE_PID',
      nodePath: ports.nodePath,
      platform: ports.platform,
      exists: existsSync,
      ...(ports.env.HOLDFAST_HOME ? { holdfastHome: ports.home.root } : {}),
    })
  const list = {
    path: settingsFile(ports, scope),
    hooks: hookGroups(hookEntries({ command, ...(http === undefined ? {} : { http }) })),
    isOurs: isOurHook,
  }
  const bare = hookListEdit(list)
  const entriesIn = (text: string) => [...bare.find(text).values()].flat().map(asObject)
  return hookListEdit({
    ...list,
    reach: {
      findHome: (text) => findHome(entriesIn(text)),
      findHttp: (text) => findHttp(entriesIn(text)),
      probes: (text) => buildProbes(entriesIn(text)),
    },
  })
}

function mcpEdit(ports: SetupPorts, scope: Scope): EntryEdit {
  const location = mcpLocation(ports, scope)
  return mcpEntryEdit({
    ports,
    ...location,
    value: { type: 'stdio', ...buildMcpServer(ports) },
    // The client rewrites its state often and locks it with this folder meanwhile.
    lockPath: scope === 'project' ? undefined : `${location.path}.lock`,
  })
}

export const setup: HarnessSetup = {
  id: CLAUDE_CODE,
  name: 'Claude Code',
  scopes: SCOPES,
  usesHttp: true,
  toolCost: { sends: 'name', addedPerTool: 16, addedOnce: 0 },
  isPresent: (ports) => existsSync(configDir(ports)) || isProgramThere(ports, ['claude']),
  // Skills are also its slash commands, so commands need no files of their own.
  edits(ports, scope, http) {
    const skills = skillsFolder(ports, scope)
    return [
      hooksEdit(ports, scope, http),
      mcpEdit(ports, scope),
      snippetEdit({ path: instructionsFile(ports, scope), ports }),
      ...(scope === 'user'
        ? [
            bootstrapEdit({
              path: instructionsFile(ports, scope),
              ports,
              harness: CLAUDE_CODE,
              projectFile: 'CLAUDE.md',
            }),
          ]
        : []),
      ...(skills === undefined ? [] : skillEdits({ folder: skills, ports })),
    ]
  },
  settingsFiles: (ports) => [managedFile(ports), ...SCOPES.map((scope) => settingsFile(ports, scope))],
  findDisablingSetting,
}
