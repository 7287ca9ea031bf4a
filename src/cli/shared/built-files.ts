import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of this installation: a checkout or an installed package. */
export function packageFolder(): string {
  const entry = process.argv[1] ?? ''
  return join(dirname(realpathSync(entry)), '..')
}

/** The path of a file in `dist/`, next to `bin/holdfast`. */
export function builtFile(name: string): string {
  return join(packageFolder(), 'dist', name)
}
