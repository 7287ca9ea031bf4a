import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Scope, SetupWorld } from '../../install/contract/setup.ts'

export function codexHome(world: SetupWorld): string {
  return world.env.CODEX_HOME || join(world.env.HOME || world.env.USERPROFILE || homedir(), '.codex')
}

/** The folder of a layer of settings: the user's own, or a project's, which Codex reads once the project is trusted. */
export function layerFolder(world: SetupWorld, scope: Scope): string {
  return scope === 'user' ? codexHome(world) : join(world.cwd, '.codex')
}

export const hooksFile = (world: SetupWorld, scope: Scope): string => join(layerFolder(world, scope), 'hooks.json')
export const configFile = (world: SetupWorld, scope: Scope): string => join(layerFolder(world, scope), 'config.toml')

export function instructionsFile(world: SetupWorld, scope: Scope): string {
  return join(scope === 'user' ? codexHome(world) : world.cwd, 'AGENTS.md')
}

/** Where an administrator sets what users cannot: https://developers.openai.com/codex/config, 0.166. */
export function managedFiles({ platform }: SetupWorld): readonly string[] {
  return platform === 'win32' ? [] : ['/etc/codex/requirements.toml', '/etc/codex/managed_config.toml']
}
