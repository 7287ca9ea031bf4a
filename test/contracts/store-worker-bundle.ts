import { mkdtempSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export interface StoreWorkerBundle extends Disposable {
  readonly file: string
}

/** The store's thread as the product ships it: one bundle. It lies below the project so that its packages are found. */
export async function bundleStoreWorker(root: string): Promise<StoreWorkerBundle> {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'store-worker-'))
  const file = join(folder, 'store-worker.mjs')
  await build({
    entryPoints: [join(root, 'src/storage/sqlite/worker.ts')],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
  })
  return { file, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

export const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url))
