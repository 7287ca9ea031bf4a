import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Scope, SetupPorts } from '../../install/contract/setup.ts'

/** `GEMINI_CLI_HOME` replaces the home folder that contains `.gemini` (0.61). */
export function userFolder(ports: SetupPorts): string {
  return join(ports.env.GEMINI_CLI_HOME || ports.env.HOME || ports.env.USERPROFILE || homedir(), '.gemini')
}

export function getFolder(ports: SetupPorts, scope: Scope): string {
  return scope === 'user' ? userFolder(ports) : join(ports.cwd, '.gemini')
}

export const settingsFile = (ports: SetupPorts, scope: Scope): string => join(getFolder(ports, scope), 'settings.json')

export function instructionsFile(ports: SetupPorts, scope: Scope): string {
  return join(scope === 'user' ? userFolder(ports) : ports.cwd, 'GEMINI.md')
}

/** Settings of an administrator: docs/cli/enterprise.md of the package, 0.61. */
export function systemFile({ env, platform }: SetupPorts): string {
  if (env.GEMINI_CLI_SYSTEM_SETTINGS_PATH) return env.GEMINI_CLI_SYSTEM_SETTINGS_PATH
  if (platform === 'darwin') return '/Library/Application Support/GeminiCli/settings.json'
  if (platform === 'win32') return join(env.ProgramData || 'C:\\ProgramData', 'gemini-cli', 'settings.json')
  return '/etc/gemini-cli/settings.json'
}
