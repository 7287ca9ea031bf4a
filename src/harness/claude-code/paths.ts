import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Scope, SetupPorts } from '../../install/contract/setup.ts'

function userHome(ports: SetupPorts): string {
  return ports.env.HOME || ports.env.USERPROFILE || homedir()
}

export function configDir(ports: SetupPorts): string {
  return ports.env.CLAUDE_CONFIG_DIR || join(userHome(ports), '.claude')
}

/** Where Claude Code writes the transcripts of all projects. */
export function transcriptsFolder(ports: SetupPorts): string {
  return join(configDir(ports), 'projects')
}

const SETTINGS: Readonly<Record<Scope, (ports: SetupPorts) => string>> = {
  user: (ports) => join(configDir(ports), 'settings.json'),
  project: (ports) => join(ports.cwd, '.claude', 'settings.json'),
  local: (ports) => join(ports.cwd, '.claude', 'settings.local.json'),
}

export function settingsFile(ports: SetupPorts, scope: Scope): string {
  return SETTINGS[scope](ports)
}

/** Settings of an administrator: https://code.claude.com/docs/en/settings, Claude Code 2.1. */
export function managedFile(ports: SetupPorts): string {
  const name = 'managed-settings.json'
  if (ports.platform === 'darwin') return join('/Library/Application Support/ClaudeCode', name)
  if (ports.platform === 'win32') return join(ports.env.ProgramFiles || 'C:\\Program Files', 'ClaudeCode', name)
  return join('/etc/claude-code', name)
}

function hasContent(path: string): boolean {
  try {
    return statSync(path).size > 0
  } catch {
    // Missing or not accessible: the code that reads or writes it reports that.
    return false
  }
}

/** The client's own state file, which also holds MCP servers; an older name counts where the new one does not exist (2.1.325). */
function stateFile(ports: SetupPorts): string {
  const file = join(ports.env.CLAUDE_CONFIG_DIR || userHome(ports), '.claude.json')
  const old = join(configDir(ports), '.config.json')
  return !hasContent(file) && hasContent(old) ? old : file
}

/** The file that holds the MCP servers of a scope, and the keys that lead to them. */
export function mcpLocation(
  ports: SetupPorts,
  scope: Scope,
): { readonly path: string; readonly at: readonly string[] } {
  if (scope === 'project') return { path: join(ports.cwd, '.mcp.json'), at: ['mcpServers'] }
  const at = scope === 'user' ? ['mcpServers'] : ['projects', ports.cwd, 'mcpServers']
  return { path: stateFile(ports), at }
}

/** The instructions that every session of the scope reads. */
export function instructionsFile(ports: SetupPorts, scope: Scope): string {
  if (scope === 'user') return join(configDir(ports), 'CLAUDE.md')
  return join(ports.cwd, scope === 'project' ? 'CLAUDE.md' : 'CLAUDE.local.md')
}

/** Undefined for the local scope: a project's skills are shared. */
export function skillsFolder(ports: SetupPorts, scope: Scope): string | undefined {
  if (scope === 'local') return undefined
  return scope === 'user' ? join(configDir(ports), 'skills') : join(ports.cwd, '.claude', 'skills')
}
