import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { listOf, objectOf, textOf } from '../../kernel/json-shape.ts'
import { homeOfCommand, launcherCommand, withHook } from '../../install/edits/launcher-command.ts'
import type { EntryPiece } from '../../install/contract/settings-edit.ts'
import { hookListPiece } from '../../install/edits/hook-list.ts'
import { jsonEntryPiece } from '../../install/edits/json-entry.ts'
import { isOurMcpServer, MCP_SERVER, mcpServer } from '../../install/edits/mcp-server.ts'
import { skillPieces } from '../../install/edits/skills.ts'
import { snippetPiece } from '../../install/edits/snippet.ts'
import {
  type HarnessSetup,
  type HttpWiring,
  PROBE_HOOK,
  type Probe,
  type Scope,
  SCOPES,
  type SetupWorld,
} from '../../install/contract/setup.ts'
import { CLAUDE_CODE } from './events.ts'
import { hookEntries, hookGroups, hookUrl, isOurHook } from './hook-entries.ts'
import { configDir, instructionsFile, managedFile, mcpPlace, settingsFile, skillsFolder } from './places.ts'
import { findSilencer } from './disabling-setting.ts'

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Missing and not executable come to the same here.
    return false
  }
}

type Entry = Readonly<Record<string, unknown>>

function findHttp(entries: readonly Entry[]): HttpWiring | undefined {
  const entry = entries.find((known) => known.type === 'http')
  const port = /:(\d+)\//.exec(textOf(entry?.url) ?? '')?.[1]
  const token = /^Bearer (.+)$/.exec(textOf(objectOf(entry?.headers).Authorization) ?? '')?.[1]
  return port === undefined || token === undefined ? undefined : { port: Number(port), token }
}

function findHome(entries: readonly Entry[]): string | undefined {
  const homes = entries.map((entry) => homeOfCommand(textOf(entry.command) ?? ''))
  return homes.find((home) => home !== undefined)
}

function probesOf(entries: readonly Entry[]): readonly Probe[] {
  const commands = entries.flatMap((entry) => {
    const command = entry.type === 'http' ? undefined : textOf(entry.command)
    return command === undefined ? [] : [withHook(command, PROBE_HOOK)]
  })
  const probes = [...new Set(commands)].map((command): Probe => ({ way: 'command', command }))
  const http = findHttp(entries)
  if (http === undefined) return probes
  const headers = { Authorization: `Bearer ${http.token}` }
  return [...probes, { way: 'http', url: hookUrl(PROBE_HOOK, http.port), headers }]
}

function hooksPiece(world: SetupWorld, scope: Scope, http: HttpWiring | undefined): EntryPiece {
  const command = (hook: string) =>
    launcherCommand({
      harness: CLAUDE_CODE,
      hook,
      distDir: world.distDir,
      pidVariable: 'CLAUDE_PID',
      nodePath: world.nodePath,
      platform: world.platform,
      exists: existsSync,
      ...(world.env.HOLDFAST_HOME ? { holdfastHome: world.home.root } : {}),
    })
  const list = {
    path: settingsFile(world, scope),
    hooks: hookGroups(hookEntries({ command, ...(http === undefined ? {} : { http }) })),
    isOurs: isOurHook,
  }
  const bare = hookListPiece(list)
  const entriesIn = (text: string) => [...bare.find(text).values()].flat().map(objectOf)
  return hookListPiece({
    ...list,
    reach: {
      findHome: (text) => findHome(entriesIn(text)),
      findHttp: (text) => findHttp(entriesIn(text)),
      probes: (text) => probesOf(entriesIn(text)),
    },
  })
}

/** `alwaysLoad`: otherwise the tools hide behind a search, and an agent that does not know of them never asks (2.1.325). */
function mcpPiece(world: SetupWorld, scope: Scope): EntryPiece {
  const place = mcpPlace(world, scope)
  return jsonEntryPiece({
    id: 'mcp',
    kind: 'mcp',
    ...place,
    key: MCP_SERVER,
    value: { type: 'stdio', ...mcpServer(world), alwaysLoad: true },
    isOurs: (value) => isOurMcpServer(objectOf(value).command, listOf(objectOf(value).args)),
    // The client rewrites its state many times a session, and does this to keep others off meanwhile.
    ...(scope === 'project' ? {} : { lockPath: `${place.path}.lock` }),
  })
}

export const claudeCodeSetup: HarnessSetup = {
  id: CLAUDE_CODE,
  name: 'Claude Code',
  scopes: SCOPES,
  usesHttp: true,
  isPresent(world) {
    const folders = (world.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
    const names = world.platform === 'win32' ? ['claude.cmd', 'claude.exe'] : ['claude']
    return (
      existsSync(configDir(world)) || folders.some((folder) => names.some((name) => isExecutable(join(folder, name))))
    )
  },
  // Skills are its slash commands too, so there is nothing else to install for those.
  pieces(world, scope, http) {
    const skills = skillsFolder(world, scope)
    return [
      hooksPiece(world, scope, http),
      mcpPiece(world, scope),
      snippetPiece({ path: instructionsFile(world, scope), world }),
      ...(skills === undefined ? [] : skillPieces({ folder: skills, world })),
    ]
  },
  settingsFiles: (world) => [managedFile(world), ...SCOPES.map((scope) => settingsFile(world, scope))],
  findSilencer,
}
