import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathOutsideProjects } from '../platform/process/programs.ts'
import type { SetupWorld } from './contract/setup.ts'

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Missing and not executable come to the same here.
    return false
  }
}

type ProgramWorld = Pick<SetupWorld, 'env' | 'platform' | 'cwd'>

/** The first of these programs that is on the path, those of a project left out: what is found may be run. */
export function findProgram(world: ProgramWorld, names: readonly string[]): string | undefined {
  const folders = pathOutsideProjects(world)
    .split(delimiter)
    .filter((folder) => folder !== '')
  const files = names.flatMap((name) => (world.platform === 'win32' ? [`${name}.cmd`, `${name}.exe`] : [name]))
  return folders.flatMap((folder) => files.map((file) => join(folder, file))).find(isExecutable)
}

/** Whether one of these programs is on the path. */
export function isProgramThere(world: ProgramWorld, names: readonly string[]): boolean {
  return findProgram(world, names) !== undefined
}
