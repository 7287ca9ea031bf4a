import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export interface StoreWorkerBundle extends Disposable {
  readonly file: string
}

/** A program from source as one bundle. It lies below the project so that its packages are found. */
export async function bundleProgram(root: string, entry: string): Promise<StoreWorkerBundle> {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'store-'))
  chmodSync(folder, 0o755)
  const file = join(folder, `${basename(entry, '.ts')}.mjs`)
  await build({
    entryPoints: [resolve(root, entry)],
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

/** The store's thread as the product ships it. */
export async function bundleStoreWorker(root: string): Promise<StoreWorkerBundle> {
  return await bundleProgram(root, 'src/storage/sqlite/worker.ts')
}

export const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url))
