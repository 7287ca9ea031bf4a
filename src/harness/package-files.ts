import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HoldfastError } from '../core/errors.ts'

/** The built package's folder with the launcher and the hook bundle: beside this code when built, `dist` above it in a checkout. */
export function findDistDir(from: string = dirname(fileURLToPath(import.meta.url))): string {
  for (let folder = from; ; folder = dirname(folder)) {
    for (const candidate of [folder, join(folder, 'dist')])
      if (existsSync(join(candidate, 'hook.cjs'))) return candidate
    if (dirname(folder) === folder) break
  }
  throw new HoldfastError('not-found', 'The hook that harnesses would run has not been built.', {
    hint: 'Run `npm run build` in the checkout, or install the package again.',
  })
}
