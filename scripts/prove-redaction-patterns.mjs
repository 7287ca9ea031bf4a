// Asks `recheck` about every regular expression of redaction that has no verdict yet, and keeps the verdicts beside the
// engine: a proof takes seconds, so the test only looks it up. Run it after changing a pattern.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { check } from 'recheck'

const root = fileURLToPath(new URL('..', import.meta.url))
const proofsFile = join(root, 'src/redaction/fixtures/pattern-proofs.json')

async function loadPatterns() {
  const folder = mkdtempSync(join(root, 'node_modules', '.redaction-patterns-'))
  try {
    const outfile = join(folder, 'patterns.mjs')
    await build({
      entryPoints: [join(root, 'test/support/redaction-patterns.ts')],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'warning',
    })
    const { redactionPatterns } = await import(pathToFileURL(outfile).href)
    return redactionPatterns()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const keyOf = ({ source, flags }) => createHash('sha256').update(`/${source}/${flags}`).digest('hex').slice(0, 32)

const known = existsSync(proofsFile) ? JSON.parse(readFileSync(proofsFile, 'utf8')) : {}
const proofs = {}
let unsafe = 0
for (const pattern of await loadPatterns()) {
  const key = keyOf(pattern)
  const kept = known[key]?.status === 'safe' ? known[key] : undefined
  if (kept === undefined) {
    const { status, complexity, error } = await check(pattern.source, pattern.flags, { timeout: 120_000 })
    proofs[key] = { name: pattern.name, status, complexity: complexity?.summary ?? error?.kind ?? 'unknown' }
    console.log(`${status.padEnd(10)} ${pattern.name}: ${proofs[key].complexity}`)
  } else proofs[key] = { ...kept, name: pattern.name }
  if (proofs[key].status !== 'safe') unsafe += 1
  writeFileSync(proofsFile, `${JSON.stringify(proofs, undefined, 2)}\n`)
}
console.log(`${Object.keys(proofs).length} patterns, ${unsafe} of them not proven safe.`)
process.exitCode = unsafe === 0 ? 0 : 1
