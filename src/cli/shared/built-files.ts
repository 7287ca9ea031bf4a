import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A file of the build. The command line is always entered through `bin/holdfast`, beside which `dist/` lies. */
export function builtFile(name: string): string {
  const entry = process.argv[1] ?? ''
  return join(dirname(realpathSync(entry)), '..', 'dist', name)
}
