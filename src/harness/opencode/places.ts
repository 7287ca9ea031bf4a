import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Scope, SetupWorld } from '../../install/contract/setup.ts'

/** Where OpenCode (1.18) keeps what is the user's; instructions are read from here even when `OPENCODE_CONFIG_DIR` names another folder. */
export function globalDir(world: SetupWorld): string {
  const home = world.env.HOME || world.env.USERPROFILE || homedir()
  return join(world.env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode')
}

export function configDir(world: SetupWorld): string {
  return world.env.OPENCODE_CONFIG_DIR || globalDir(world)
}

function isProject(scope: Scope): boolean {
  return scope !== 'user'
}

/** The folder whose `plugins`, `skills` and `commands` OpenCode loads. */
export function folderOf(world: SetupWorld, scope: Scope): string {
  return isProject(scope) ? join(world.cwd, '.opencode') : configDir(world)
}

/** The settings that are there; both names count, and one is as good as the other. */
export function configFile(world: SetupWorld, scope: Scope): string {
  const folder = isProject(scope) ? world.cwd : configDir(world)
  const commented = join(folder, 'opencode.jsonc')
  return existsSync(commented) ? commented : join(folder, 'opencode.json')
}

export function instructionsFile(world: SetupWorld, scope: Scope): string {
  return join(isProject(scope) ? world.cwd : globalDir(world), 'AGENTS.md')
}
