import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Scope, SetupWorld } from '../../install/contract/setup.ts'

/** `GEMINI_CLI_HOME` stands for the home folder, in which `.gemini` lies (0.61). */
export function userFolder(world: SetupWorld): string {
  return join(world.env.GEMINI_CLI_HOME || world.env.HOME || world.env.USERPROFILE || homedir(), '.gemini')
}

export function folderOf(world: SetupWorld, scope: Scope): string {
  return scope === 'user' ? userFolder(world) : join(world.cwd, '.gemini')
}

export const settingsFile = (world: SetupWorld, scope: Scope): string => join(folderOf(world, scope), 'settings.json')

export function instructionsFile(world: SetupWorld, scope: Scope): string {
  return join(scope === 'user' ? userFolder(world) : world.cwd, 'GEMINI.md')
}

/** Where an administrator sets what users cannot: docs/cli/enterprise.md of the package, 0.61. */
export function systemFile({ env, platform }: SetupWorld): string {
  if (env.GEMINI_CLI_SYSTEM_SETTINGS_PATH) return env.GEMINI_CLI_SYSTEM_SETTINGS_PATH
  if (platform === 'darwin') return '/Library/Application Support/GeminiCli/settings.json'
  if (platform === 'win32') return join(env.ProgramData || 'C:\\ProgramData', 'gemini-cli', 'settings.json')
  return '/etc/gemini-cli/settings.json'
}
