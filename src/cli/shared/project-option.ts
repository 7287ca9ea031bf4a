import { resolve } from 'node:path'

/** `--project` alone means the one here; with a directory, the one there; without it, all of them. */
export function projectOption(options: Readonly<Record<string, unknown>>, cwd: string): { readonly cwd?: string } {
  const { project } = options
  if (project === true) return { cwd }
  return typeof project === 'string' ? { cwd: resolve(cwd, project) } : {}
}
