// Bundles src/ into dist/. Every file is built beside its place and renamed into it, so that a daemon, a hook or a
// second build running meanwhile always sees whole files.
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { gzipSync } from 'node:zlib'
import { basename, dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { codemapTargets } from './grammars.mjs'
import { ensureInstalled } from './setup.mjs'
import { buildStamp, distDir, root, sourceHash } from './sources.mjs'

/** Loaded from node_modules at run time: a native addon, and an optional one that is not installed. */
const EXTERNAL = ['@photostructure/sqlite', 'pg-native']

/** A command line that is running may still import a chunk of the build before this one. */
const STALE_CHUNK_MS = 10 * 60_000

/** Loaded when it is called: a fresh clone does not have it yet. */
async function build(options) {
  const bundler = await import('esbuild')
  return bundler.build(options)
}

const pkg = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  charset: 'utf8',
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  define: { __HOLDFAST_VERSION__: JSON.stringify(pkg.version) },
}

// Libraries written as CommonJS call require() for node's own modules, which an ES module does not have.
const esm = {
  ...shared,
  format: 'esm',
  // A UMD main hides its require() calls from the bundler (jsonc-parser); its ES module does not.
  mainFields: ['module', 'main'],
  minifySyntax: true,
  external: EXTERNAL,
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
}

/**
 * V8 keeps a source for as long as its code, in two bytes a character if one of them is beyond ASCII. `charset: 'ascii'` leaves
 * regular expressions and raw templates as they are; in this project both are patterns, which read an escape as its character.
 */
async function buildInAscii(outdir, options) {
  const result = await build({ ...esm, charset: 'ascii', minify: true, outdir, ...options })
  for (const output of Object.keys(result.metafile.outputs)) {
    const file = join(root, output)
    const source = readFileSync(file, 'utf8')
    const escaped = /\\[^\0-\x7F].{0,20}/.exec(source)?.[0]
    if (escaped !== undefined) throw new Error(`${basename(file)}: write without a backslash: ${escaped}`)
    const toEscape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    writeFileSync(file, source.replace(/[^\0-\x7F]/g, toEscape))
  }
  return result
}

const targets = [
  {
    name: 'cli',
    entry: 'src/cli/main.ts',
    run: (outdir) =>
      build({
        ...esm,
        entryPoints: { cli: 'src/cli/main.ts' },
        outdir,
        splitting: true,
        chunkNames: 'chunks/[name]-[hash]',
      }),
  },
  {
    name: 'daemon',
    entry: 'src/daemon/main.ts',
    // A session's start waits for the daemon's: what is read is small, and PostgreSQL's driver only where it is used.
    run: (outdir) =>
      buildInAscii(outdir, {
        entryPoints: { daemon: 'src/daemon/main.ts' },
        splitting: true,
        chunkNames: 'chunks/[name]-[hash]',
      }),
  },
  {
    name: 'store-worker',
    entry: 'src/storage/sqlite/worker.ts',
    run: (outdir) => buildInAscii(outdir, { entryPoints: { 'store-worker': 'src/storage/sqlite/worker.ts' } }),
  },
  ...codemapTargets(build, esm),
  {
    name: 'hook',
    entry: 'src/hook/main.ts',
    run: async (outdir) => {
      const result = await build({
        ...shared,
        format: 'cjs',
        minify: true,
        entryPoints: {
          hook: 'src/hook/main.ts',
          'hook-fallback': 'src/hook/fallback.ts',
          'stand-in': 'src/hook/stand-in.ts',
        },
        outdir,
        outExtension: { '.js': '.cjs' },
        define: { ...shared.define, 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
      })
      refuseLibraries(result.metafile)
      return result
    },
  },
  {
    name: 'mcp-pipe',
    entry: 'src/mcp/pipe/pipe.ts',
    run: async (outdir) => {
      const result = await build({
        ...shared,
        format: 'cjs',
        minify: true,
        entryPoints: { 'mcp-pipe': 'src/mcp/pipe/pipe.ts' },
        outdir,
        outExtension: { '.js': '.cjs' },
        define: { ...shared.define, 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
      })
      refuseLibraries(result.metafile)
      return result
    },
  },
  {
    name: 'run-guardian',
    entry: 'src/tasks/supervisor/process/guardian.ts',
    run: async (outdir) => {
      const result = await build({
        ...shared,
        format: 'cjs',
        minify: true,
        entryPoints: { 'run-guardian': 'src/tasks/supervisor/process/guardian.ts' },
        outdir,
        outExtension: { '.js': '.cjs' },
      })
      refuseLibraries(result.metafile)
      return result
    },
  },
  {
    name: 'plugin',
    entry: 'src/harness/opencode/plugin/opencode.ts',
    // Loaded into the process of a harness, which may not be Node: only our own code and node: modules.
    run: async (outdir) => {
      const result = await build({
        ...shared,
        format: 'esm',
        minify: true,
        entryPoints: { 'opencode-plugin': 'src/harness/opencode/plugin/opencode.ts' },
        outdir,
      })
      refuseLibraries(result.metafile)
      return result
    },
  },
  {
    name: 'openclaw',
    entry: 'src/harness/openclaw/plugin/openclaw.ts',
    // OpenClaw copies a plugin's folder before it loads it: each is whole in itself, with the manifests of plugins/ beside the code.
    run: async (outdir) => {
      const code = [
        [
          'openclaw/index.js',
          `import { plugin } from './src/harness/openclaw/plugin/openclaw.ts'; export default plugin`,
        ],
        [
          'openclaw-legacy/holdfast/handler.js',
          `import { createHook } from './src/harness/openclaw/plugin/hook.ts'; export default createHook()`,
        ],
      ]
      const inputs = {}
      for (const [name, contents] of code) {
        const outfile = join(outdir, name)
        const stdin = { contents, resolveDir: root, loader: 'js' }
        const { metafile } = await build({ ...shared, format: 'esm', minify: true, stdin, outfile })
        refuseLibraries(metafile)
        Object.assign(inputs, metafile.inputs)
      }
      for (const name of ['package.json', 'openclaw.plugin.json']) {
        const manifest = JSON.parse(readFileSync(join(root, 'plugins/openclaw', name), 'utf8'))
        const text = JSON.stringify({ ...manifest, version: pkg.version }, undefined, 2)
        writeFileSync(join(outdir, 'openclaw', name), `${text}\n`)
      }
      const page = 'openclaw-legacy/holdfast/HOOK.md'
      copyFileSync(join(root, 'plugins', page), join(outdir, page))
      return { metafile: { inputs, outputs: {} } }
    },
  },
  { name: 'dashboard', entry: 'src/browser/main.tsx', run: buildDashboard },
  {
    name: 'word-table',
    entry: 'assets/word-table.bin',
    run: async (outdir) => {
      for (const name of ['word-table.bin', 'word-table.NOTICE.txt']) {
        copyFileSync(join(root, 'assets', name), join(outdir, name))
      }
      return undefined
    },
  },
  {
    name: 'launcher',
    entry: 'src/hook/launcher.sh',
    run: async (outdir) => {
      for (const name of ['launcher.sh', 'launcher-fallback.sh']) {
        copyFileSync(join(root, 'src/hook', name), join(outdir, name))
      }
      chmodSync(join(outdir, 'launcher.sh'), 0o755)
      return undefined
    },
  },
]

/** The browser application: one entry, one chunk for each page, and the manifest with which the daemon finds both. */
async function buildDashboard(outdir) {
  const { build: buildWithVite } = await import('vite')
  const inputs = {}
  await buildWithVite({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: [
      {
        name: 'inputs',
        moduleParsed: ({ id }) => {
          if (id.startsWith(root)) inputs[relative(root, id.split('?')[0])] = {}
        },
      },
    ],
    build: {
      outDir: join(outdir, 'dashboard'),
      assetsDir: 'assets',
      manifest: true,
      assetsInlineLimit: 0,
      target: 'es2022',
      modulePreload: { polyfill: false },
      rolldownOptions: { input: join(root, 'src/browser/main.tsx') },
    },
  })
  refuseGrowth(join(outdir, 'dashboard'))
  return { metafile: { inputs, outputs: {} } }
}

const MAX_DASHBOARD_BYTES = 700_000
const MAX_FIRST_VIEW_BYTES = 120_000

/** The package may grow by less than 1 MB for the dashboard; the first view loads the entry and its style sheet. */
function refuseGrowth(folder) {
  const { size, first } = readdirSync(join(folder, 'assets')).reduce(
    (sum, name) => {
      const content = readFileSync(join(folder, 'assets', name))
      const isFirst = name.startsWith('main-')
      return { size: sum.size + content.length, first: sum.first + (isFirst ? gzipSync(content).length : 0) }
    },
    { size: 0, first: 0 },
  )
  if (size > MAX_DASHBOARD_BYTES) throw new Error(`dist/dashboard has ${size} bytes, more than ${MAX_DASHBOARD_BYTES}`)
  if (first > MAX_FIRST_VIEW_BYTES)
    throw new Error(`the first view has ${first} bytes gzipped, more than ${MAX_FIRST_VIEW_BYTES}`)
}

/** The hook runs before every prompt, the pipe before every session: a library on that path slows every prompt, and no test would show it. */
function refuseLibraries(metafile) {
  const libraries = Object.keys(metafile.inputs).filter((path) => path.includes('node_modules/'))
  const foreign = Object.values(metafile.outputs)
    .flatMap((output) => output.imports.map((imported) => imported.path))
    .filter((path) => !path.startsWith('node:'))
  const found = [...new Set([...libraries, ...foreign])]
  if (found.length > 0) {
    throw new Error(
      `This bundle may hold only our own code and node: modules, but it reaches:\n  ${found.join('\n  ')}`,
    )
  }
}

function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesUnder(join(folder, entry.name)) : [join(folder, entry.name)],
  )
}

/** Chunks before the entries that name them. */
function moveIntoPlace(staging) {
  const files = filesUnder(staging).map((path) => relative(staging, path))
  const chunksFirst = [...files].sort((a, b) => Number(b.startsWith('chunks')) - Number(a.startsWith('chunks')))
  for (const file of chunksFirst) {
    mkdirSync(dirname(join(distDir, file)), { recursive: true })
    renameSync(join(staging, file), join(distDir, file))
  }
  return files
}

function removeStaleChunks(kept) {
  const names = new Set(kept.map((file) => basename(file)))
  for (const folder of ['chunks', 'dashboard/assets'].map((path) => join(distDir, path))) {
    if (!existsSync(folder)) continue
    for (const name of readdirSync(folder)) if (!names.has(name)) removeIfStale(join(folder, name))
  }
}

function removeIfStale(path) {
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  if (age > STALE_CHUNK_MS) rmSync(path, { recursive: true, force: true })
}

/** What a build that was killed left behind. */
function removeAbandoned() {
  for (const name of readdirSync(distDir)) if (name.startsWith('.build-')) removeIfStale(join(distDir, name))
}

/** The licence texts of everything that was bundled, as the licences require. */
function licences(metafiles) {
  const folders = new Set()
  for (const metafile of metafiles) {
    for (const input of Object.keys(metafile.inputs)) {
      const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)
      if (match) folders.add(match[1])
    }
  }
  return [...folders]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
      const file = readdirSync(join(root, folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
      const text = file === undefined ? `Licence: ${license}` : readFileSync(join(root, folder, file), 'utf8').trim()
      return `${name} ${version}\n\n${text}\n`
    })
}

function kilobytes(bytes) {
  return `${(bytes / 1024).toFixed(1)} KB`
}

function parseOnly() {
  const { values } = parseArgs({ options: { only: { type: 'string' }, quiet: { type: 'boolean' } } })
  const only = values.only?.split(',').map((name) => name.trim())
  const unknown = only?.filter((name) => !targets.some((target) => target.name === name)) ?? []
  if (unknown.length > 0) {
    throw new Error(`There is no build target ${unknown.join(', ')}. Known: ${targets.map((t) => t.name).join(', ')}.`)
  }
  return { only, quiet: values.quiet === true }
}

async function main() {
  const { only, quiet } = parseOnly()
  const chosen = targets.filter((target) => only === undefined || only.includes(target.name))
  const missing = chosen.filter((target) => !existsSync(join(root, target.entry)))
  if (missing.length > 0) {
    throw new Error(
      `Cannot build ${missing.map((t) => `${t.name} (${t.entry} is missing)`).join(', ')}. ` +
        'Name the targets that exist with --only, for example: npm run build -- --only cli,hook',
    )
  }
  ensureInstalled()
  // Taken before reading the sources: a file saved meanwhile makes the next start build again.
  const hash = sourceHash()
  const staging = join(distDir, `.build-${process.pid}-${randomBytes(4).toString('hex')}`)
  mkdirSync(staging, { recursive: true })
  try {
    const results = await Promise.all(chosen.map((target) => target.run(staging)))
    const notices = licences(results.flatMap((result) => (result ? [result.metafile] : [])))
    if (only === undefined)
      writeFileSync(join(staging, 'THIRD-PARTY-LICENSES.txt'), notices.join(`\n${'-'.repeat(72)}\n\n`))
    const files = moveIntoPlace(staging)
    removeAbandoned()
    if (chosen.some((target) => target.name === 'cli')) removeStaleChunks(files)
    if (only === undefined) {
      const stamp = join(staging, 'build.json')
      writeFileSync(stamp, `${JSON.stringify({ version: pkg.version, sourceHash: hash })}\n`)
      renameSync(stamp, buildStamp)
    }
    if (!quiet) report(files)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

function report(files) {
  const sizes = files.map((file) => ({ file, bytes: statSync(join(distDir, file)).size }))
  for (const { file, bytes } of sizes.filter(({ file }) => !file.startsWith('chunks'))) {
    console.log(`dist/${file.padEnd(26)} ${kilobytes(bytes).padStart(10)}`)
  }
  const chunks = sizes.filter(({ file }) => file.startsWith('chunks'))
  if (chunks.length > 0) {
    const total = chunks.reduce((sum, { bytes }) => sum + bytes, 0)
    console.log(`dist/${`chunks/ (${chunks.length} files)`.padEnd(26)} ${kilobytes(total).padStart(10)}`)
  }
}

try {
  await main()
} catch (error) {
  console.error(`Build failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
