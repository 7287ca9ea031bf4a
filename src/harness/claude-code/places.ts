import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Scope, SetupWorld } from '../../install/contract/setup.ts'

function userHome(world: SetupWorld): string {
  return world.env.HOME || world.env.USERPROFILE || homedir()
}

export function configDir(world: SetupWorld): string {
  return world.env.CLAUDE_CONFIG_DIR || join(userHome(world), '.claude')
}

const SETTINGS: Readonly<Record<Scope, (world: SetupWorld) => string>> = {
  user: (world) => join(configDir(world), 'settings.json'),
  project: (world) => join(world.cwd, '.claude', 'settings.json'),
  local: (world) => join(world.cwd, '.claude', 'settings.local.json'),
}

export function settingsFile(world: SetupWorld, scope: Scope): string {
  return SETTINGS[scope](world)
}

/** Where an administrator sets what users cannot: https://code.claude.com/docs/en/settings, Claude Code 2.1. */
export function managedFile(world: SetupWorld): string {
  const name = 'managed-settings.json'
  if (world.platform === 'darwin') return join('/Library/Application Support/ClaudeCode', name)
  if (world.platform === 'win32') return join(world.env.ProgramFiles || 'C:\\Program Files', 'ClaudeCode', name)
  return join('/etc/claude-code', name)
}

function hasContent(path: string): boolean {
  try {
    return statSync(path).size > 0
  } catch {
    // Not there, or no way to it: whoever reads or writes it says so.
    return false
  }
}

/** The client's own state, in which it also keeps MCP servers; an old name counts where the new one is not there (2.1.325). */
function stateFile(world: SetupWorld): string {
  const file = join(world.env.CLAUDE_CONFIG_DIR || userHome(world), '.claude.json')
  const old = join(configDir(world), '.config.json')
  return !hasContent(file) && hasContent(old) ? old : file
}

/** The file that holds MCP servers of a scope, and the way to them in it. */
export function mcpPlace(world: SetupWorld, scope: Scope): { readonly path: string; readonly at: readonly string[] } {
  if (scope === 'project') return { path: join(world.cwd, '.mcp.json'), at: ['mcpServers'] }
  const at = scope === 'user' ? ['mcpServers'] : ['projects', world.cwd, 'mcpServers']
  return { path: stateFile(world), at }
}

/** Instructions that every session of the scope reads. */
export function instructionsFile(world: SetupWorld, scope: Scope): string {
  if (scope === 'user') return join(configDir(world), 'CLAUDE.md')
  return join(world.cwd, scope === 'project' ? 'CLAUDE.md' : 'CLAUDE.local.md')
}

/** Undefined where there is no place of its own: a project's skills are everybody's. */
export function skillsFolder(world: SetupWorld, scope: Scope): string | undefined {
  if (scope === 'local') return undefined
  return scope === 'user' ? join(configDir(world), 'skills') : join(world.cwd, '.claude', 'skills')
}
