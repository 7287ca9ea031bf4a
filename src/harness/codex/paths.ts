import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Scope, SetupPorts } from '../../install/contract/setup.ts'

export function codexHome(ports: SetupPorts): string {
  return ports.env.CODEX_HOME || join(ports.env.HOME || ports.env.USERPROFILE || homedir(), '.codex')
}

/** The folder of a settings layer: the user's, or a project's, which Codex reads once the project is trusted. */
export function layerFolder(ports: SetupPorts, scope: Scope): string {
  return scope === 'user' ? codexHome(ports) : join(ports.cwd, '.codex')
}

export const hooksFile = (ports: SetupPorts, scope: Scope): string => join(layerFolder(ports, scope), 'hooks.json')
export const configFile = (ports: SetupPorts, scope: Scope): string => join(layerFolder(ports, scope), 'config.toml')

export function instructionsFile(ports: SetupPorts, scope: Scope): string {
  return join(scope === 'user' ? codexHome(ports) : ports.cwd, 'AGENTS.md')
}

/** Settings of an administrator: https://developers.openai.com/codex/config, 0.166. */
export function managedFiles({ platform }: SetupPorts): readonly string[] {
  return platform === 'win32' ? [] : ['/etc/codex/requirements.toml', '/etc/codex/managed_config.toml']
}
