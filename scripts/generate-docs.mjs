// npm run docs: writes docs/reference/ from the code. With --check, says what differs and writes nothing.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { ensureInstalled, main } from './setup.mjs'
import { distDir, root } from './sources.mjs'

const target = join(root, 'docs/reference')

async function loadPages() {
  const { build } = await import('esbuild')
  // Inside the tree, so that libraries resolve; per process, so that two runs do not meet.
  const folder = join(distDir, `.docs-${process.pid}`)
  const outfile = join(folder, 'reference.mjs')
  try {
    await build({
      absWorkingDir: root,
      entryPoints: ['scripts/reference.ts'],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      format: 'esm',
      packages: 'external',
      logLevel: 'warning',
    })
    const { referencePages } = await import(pathToFileURL(outfile).href)
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    return await referencePages(version)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readPage(name) {
  try {
    return readFileSync(join(target, name), 'utf8')
  } catch {
    // Not written yet: differs from any page.
    return undefined
  }
}

await main(async () => {
  const { values } = parseArgs({ options: { check: { type: 'boolean' } } })
  ensureInstalled()
  const pages = await loadPages()
  const stale = Object.entries(pages).filter(([name, text]) => readPage(name) !== text)
  if (values.check) {
    for (const [name] of stale) console.error(`docs/reference/${name} differs from the code. Run \`npm run docs\`.`)
    return stale.length === 0 ? 0 : 1
  }
  mkdirSync(target, { recursive: true })
  for (const [name, text] of stale) {
    writeFileSync(join(target, name), text)
    console.log(`Wrote docs/reference/${name}`)
  }
  return 0
})
