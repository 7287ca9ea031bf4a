// Runs one bench from source: `npm run bench -- <name> [args]`. Without a name, lists them.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled } from '../scripts/setup.mjs'

const benchDir = fileURLToPath(new URL('./', import.meta.url))
const root = join(benchDir, '..')

/** A bench is a file whose first line says so: `// bench: what it measures`. */
function benches() {
  return readdirSync(benchDir)
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const purpose = /^\/\/ bench: (.+)/.exec(readFileSync(join(benchDir, file), 'utf8'))?.[1]
      return purpose === undefined ? [] : [{ name: file.slice(0, -'.ts'.length), purpose }]
    })
}

function list(write) {
  write('Benches (npm run bench -- <name> [--data DIR] [--split NAME]):')
  for (const { name, purpose } of benches()) write(`  ${name.padEnd(16)} ${purpose}`)
}

async function run(name, args) {
  ensureInstalled()
  const { build } = await import('esbuild')
  // Inside the tree, so that libraries resolve; per process, so that two runs do not use the same folder.
  const folder = join(root, 'dist', 'bench', `${name}-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    const outfile = join(folder, `${name}.mjs`)
    await build({
      absWorkingDir: root,
      entryPoints: [join(benchDir, `${name}.ts`)],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      format: 'esm',
      packages: 'external',
      sourcemap: 'inline',
      logLevel: 'warning',
    })
    const { status, signal, error } = spawnSync(process.execPath, ['--enable-source-maps', outfile, ...args], {
      stdio: 'inherit',
      env: { ...process.env, HOLDFAST_ROOT: root },
    })
    if (error) throw error
    if (signal) console.error(`bench ${name} was ended by ${signal}.`)
    return status ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [name, ...args] = process.argv.slice(2)
if (name === undefined || name === '--help') {
  list(console.log)
} else if (!benches().some((bench) => bench.name === name)) {
  console.error(`There is no bench "${name}".`)
  list(console.error)
  process.exitCode = 2
} else {
  try {
    process.exitCode = await run(name, args)
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  }
}
