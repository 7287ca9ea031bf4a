import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { SetupWorld } from './setup.ts'

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Missing and not executable come to the same here.
    return false
  }
}

/** The first of these programs that is on the path. */
export function findProgram(world: Pick<SetupWorld, 'env' | 'platform'>, names: readonly string[]): string | undefined {
  const folders = (world.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const files = names.flatMap((name) => (world.platform === 'win32' ? [`${name}.cmd`, `${name}.exe`] : [name]))
  return folders.flatMap((folder) => files.map((file) => join(folder, file))).find(isExecutable)
}

/** Whether one of these programs is on the path. */
export function isProgramThere(world: Pick<SetupWorld, 'env' | 'platform'>, names: readonly string[]): boolean {
  return findProgram(world, names) !== undefined
}
