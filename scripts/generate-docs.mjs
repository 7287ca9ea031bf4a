// npm run docs: writes docs/reference/, man/, the packages for harnesses and the blocks in docs/recovery.md from the code. With --check, says what differs and writes nothing.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { ensureInstalled, main } from './setup.mjs'
import { distDir, root } from './sources.mjs'

/** Every generated file, by path from the root. */
async function loadFiles() {
  const { build } = await import('esbuild')
  // Inside the tree, so that libraries resolve; per process, so that two runs do not use the same folder.
  const folder = join(distDir, `.docs-${process.pid}`)
  try {
    await build({
      absWorkingDir: root,
      entryPoints: [
        'scripts/reference.ts',
        'scripts/plugins.ts',
        'scripts/harness-packages.ts',
        'scripts/known-harnesses.ts',
        'scripts/man-page.ts',
        'scripts/recovery-examples.ts',
      ],
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      format: 'esm',
      packages: 'external',
      logLevel: 'warning',
    })
    const load = (name) => import(pathToFileURL(join(folder, name)).href)
    const { referencePages } = await load('reference.mjs')
    const { pluginPages } = await load('plugins.mjs')
    const { harnessPackages } = await load('harness-packages.mjs')
    const { knownHarnesses } = await load('known-harnesses.mjs')
    const { manualPages } = await load('man-page.mjs')
    const { recoveryExamples } = await load('recovery-examples.mjs')
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const reference = Object.entries(await referencePages(root, version))
    return {
      ...Object.fromEntries(reference.map(([name, text]) => [`docs/reference/${name}`, text])),
      ...pluginPages(root, version),
      ...harnessPackages(root, version),
      ...knownHarnesses(),
      ...(await manualPages(version)),
      ...(await recoveryExamples(root)),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readPage(name) {
  try {
    return readFileSync(join(root, name), 'utf8')
  } catch {
    // Not written yet: differs from any page.
    return undefined
  }
}

await main(async () => {
  const { values } = parseArgs({ options: { check: { type: 'boolean' } } })
  ensureInstalled()
  const files = await loadFiles()
  const stale = Object.entries(files).filter(([name, text]) => readPage(name) !== text)
  if (values.check) {
    for (const [name] of stale) console.error(`${name} differs from the code. Run \`npm run docs\`.`)
    return stale.length === 0 ? 0 : 1
  }
  for (const [name, text] of stale) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
    console.log(`Wrote ${name}`)
  }
  return 0
})
