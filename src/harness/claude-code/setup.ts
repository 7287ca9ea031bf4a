import { accessSync, constants, existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { homeOfCommand, launcherCommand, withHook } from '../launcher-command.ts'
import { objectOf, textOf } from '../json-shape.ts'
import { findValue, parseSettings } from '../settings-text.ts'
import {
  type HarnessSetup,
  type HttpWiring,
  PROBE_HOOK,
  type Probe,
  type Scope,
  SCOPES,
  type SetupWorld,
} from '../setup.ts'
import { CLAUDE_CODE } from './events.ts'
import { type HookWiring, hookEntries, hookUrl } from './hook-entries.ts'
import { addHooks, findInstalledHooks, removeHooks } from './install.ts'

function userHome(world: SetupWorld): string {
  return world.env.HOME || world.env.USERPROFILE || homedir()
}

function configDir(world: SetupWorld): string {
  return world.env.CLAUDE_CONFIG_DIR || join(userHome(world), '.claude')
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Missing and not executable come to the same here.
    return false
  }
}

function wiringOf(world: SetupWorld, http: HttpWiring | undefined): HookWiring {
  return {
    command: (hook) =>
      launcherCommand({
        harness: CLAUDE_CODE,
        hook,
        distDir: world.distDir,
        pidVariable: 'CLAUDE_PID',
        nodePath: world.nodePath,
        platform: world.platform,
        exists: existsSync,
        ...(world.env.HOLDFAST_HOME ? { holdfastHome: world.home.root } : {}),
      }),
    ...(http === undefined ? {} : { http }),
  }
}

const FILES: Readonly<Record<Scope, (world: SetupWorld) => string>> = {
  user: (world) => join(configDir(world), 'settings.json'),
  project: (world) => join(world.cwd, '.claude', 'settings.json'),
  local: (world) => join(world.cwd, '.claude', 'settings.local.json'),
}

/** Where an administrator sets what users cannot: https://code.claude.com/docs/en/settings, Claude Code 2.1. */
function managedFile(world: SetupWorld): string {
  const name = 'managed-settings.json'
  if (world.platform === 'darwin') return join('/Library/Application Support/ClaudeCode', name)
  if (world.platform === 'win32') return join(world.env.ProgramFiles || 'C:\\Program Files', 'ClaudeCode', name)
  return join('/etc/claude-code', name)
}

/** The second counts in the administrator's file alone, and stands nowhere else. */
const SILENCERS = ['disableAllHooks', 'allowManagedHooksOnly'] as const

function entriesOf(text: string, path: string): readonly Readonly<Record<string, unknown>>[] {
  return [...findInstalledHooks(text, path).values()].flat().map(objectOf)
}

function findHttp(text: string, path: string): HttpWiring | undefined {
  const entry = entriesOf(text, path).find((known) => known.type === 'http')
  const port = /:(\d+)\//.exec(textOf(entry?.url) ?? '')?.[1]
  const token = /^Bearer (.+)$/.exec(textOf(objectOf(entry?.headers).Authorization) ?? '')?.[1]
  return port === undefined || token === undefined ? undefined : { port: Number(port), token }
}

function findHome(text: string, path: string): string | undefined {
  const homes = entriesOf(text, path).map((entry) => homeOfCommand(textOf(entry.command) ?? ''))
  return homes.find((home) => home !== undefined)
}

function probes(text: string, path: string): readonly Probe[] {
  const commands = entriesOf(text, path).flatMap((entry) => {
    const command = entry.type === 'http' ? undefined : textOf(entry.command)
    return command === undefined ? [] : [withHook(command, PROBE_HOOK)]
  })
  const http = findHttp(text, path)
  return [
    ...[...new Set(commands)].map((command): Probe => ({ way: 'command', command })),
    ...(http === undefined
      ? []
      : [
          {
            way: 'http' as const,
            url: hookUrl(PROBE_HOOK, http.port),
            headers: { Authorization: `Bearer ${http.token}` },
          },
        ]),
  ]
}

export const claudeCodeSetup: HarnessSetup = {
  id: CLAUDE_CODE,
  name: 'Claude Code',
  usesHttp: true,
  isPresent(world) {
    const folders = (world.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
    const names = world.platform === 'win32' ? ['claude.cmd', 'claude.exe'] : ['claude']
    return (
      existsSync(configDir(world)) || folders.some((folder) => names.some((name) => isExecutable(join(folder, name))))
    )
  },
  settingsPath: (world, scope) => FILES[scope](world),
  settingsFiles: (world) => [managedFile(world), ...SCOPES.map((scope) => FILES[scope](world))],
  add: (text, world, http, path) => addHooks(text, hookEntries(wiringOf(world, http)), path),
  remove: removeHooks,
  find: findInstalledHooks,
  findSilencer(text, path) {
    const settings = parseSettings(text, path)
    return SILENCERS.find((name) => findValue(settings, name)?.value === true)
  },
  findHome,
  findHttp,
  probes,
}
