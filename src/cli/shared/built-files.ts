import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The path of a file in `dist/`, next to `bin/holdfast`. */
export function builtFile(name: string): string {
  const entry = process.argv[1] ?? ''
  return join(dirname(realpathSync(entry)), '..', 'dist', name)
}
