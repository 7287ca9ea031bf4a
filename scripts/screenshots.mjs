// node scripts/screenshots.mjs: draws docs/images/dashboard-*.png from demo data, with the Chromium that is installed.
// `--all <folder>` draws every page there, light and dark, at desktop and phone width; `--only <name>` one of them.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { ensureBuilt, ensureInstalled } from './setup.mjs'
import { root } from './sources.mjs'

ensureInstalled()
ensureBuilt()
// Inside the tree, so that libraries resolve.
const folder = join(root, 'dist', 'bench', `screenshots-${process.pid}`)
mkdirSync(folder, { recursive: true })
try {
  const outfile = join(folder, 'screenshots.mjs')
  await build({
    absWorkingDir: root,
    entryPoints: [join(root, 'test/browser/support/screenshots.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
  })
  const { status } = spawnSync(process.execPath, ['--enable-source-maps', outfile, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, HOLDFAST_ROOT: root },
  })
  process.exitCode = status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
