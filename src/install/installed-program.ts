import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathOutsideProjects } from '../platform/process/programs.ts'
import type { SetupPorts } from './contract/setup.ts'

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Missing and not executable make no difference here.
    return false
  }
}

type ProgramPorts = Pick<SetupPorts, 'env' | 'platform' | 'cwd'>

/** The first of these programs on the PATH, except those of a project: what is found may be run. */
export function findProgram(ports: ProgramPorts, names: readonly string[]): string | undefined {
  const folders = pathOutsideProjects(ports)
    .split(delimiter)
    .filter((folder) => folder !== '')
  const files = names.flatMap((name) => (ports.platform === 'win32' ? [`${name}.cmd`, `${name}.exe`] : [name]))
  return folders.flatMap((folder) => files.map((file) => join(folder, file))).find(isExecutable)
}

export function isProgramThere(ports: ProgramPorts, names: readonly string[]): boolean {
  return findProgram(ports, names) !== undefined
}
