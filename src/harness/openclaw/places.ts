import { homedir } from 'node:os'
import { join } from 'node:path'
import type { SetupWorld } from '../../install/contract/setup.ts'

/** Where OpenClaw (2026.9) keeps what is its own. */
export function stateDir(world: SetupWorld): string {
  const { OPENCLAW_STATE_DIR, OPENCLAW_HOME, HOME, USERPROFILE } = world.env
  return OPENCLAW_STATE_DIR || join(OPENCLAW_HOME || HOME || USERPROFILE || homedir(), '.openclaw')
}

export function configFile(world: SetupWorld): string {
  return world.env.OPENCLAW_CONFIG_PATH || join(stateDir(world), 'openclaw.json')
}

/** A folder in here is a plugin, named in no list. */
export function pluginFolder(world: SetupWorld): string {
  return join(stateDir(world), 'extensions', 'holdfast')
}
