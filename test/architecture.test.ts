import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { MAX_FILES_IN_FOLDER, MAX_IMPORTS, MAX_LINES, processStarters, sizeExceptions } from './layers.ts'
import { architectureFindings, importTable, type SourceFile } from './support/architecture.ts'

const root = join(import.meta.dirname, '..')

const SKIPPED = new Set(['.git', 'node_modules', 'dist', 'coverage', '.scratch'])

/** By walking, not by asking git: a tarball of the source must pass too. */
function projectFiles(folder = ''): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (SKIPPED.has(entry.name)) return []
    if (entry.isDirectory()) return projectFiles(path)
    return entry.isFile() ? [path] : []
  })
}

function read(path: string): SourceFile {
  return { path, text: readFileSync(join(root, path), 'utf8') }
}

const sources = projectFiles('src')
  .filter((path) => /\.tsx?$/.test(path) && !path.includes('/fixtures/'))
  .map(read)

test('the source keeps to its borders, sizes and habits', () => {
  expect(sources.length).toBeGreaterThan(10)
  expect(architectureFindings(sources)).toEqual([])
})

test('an exception from the size limit is still needed', () => {
  const gone = Object.keys(sizeExceptions).filter((path) => !existsSync(join(root, path)))
  expect(gone).toEqual([])
})

test('names keep to the figures of scripts/shape.mjs', () => {
  const printed = execFileSync(process.execPath, [join(root, 'scripts', 'shape.mjs'), '--json'], { encoding: 'utf8' })
  const { functionsEndingInOf, participleTypes, repeatedTypeNames, p95Lines } = JSON.parse(printed)
  expect({ participleTypes, repeatedTypeNames }).toEqual({ participleTypes: [], repeatedTypeNames: [] })
  expect(functionsEndingInOf.length).toBeLessThanOrEqual(40)
  expect(p95Lines).toBeGreaterThanOrEqual(150)
  expect(p95Lines).toBeLessThanOrEqual(350)
})

test('whoever is listed as starting processes still does', () => {
  const starters = sources.filter(({ text }) => text.includes('node:child_process')).map(({ path }) => path)
  expect(Object.keys(processStarters).filter((path) => !starters.includes(path))).toEqual([])
})

describe('the checker sees', () => {
  const repeated = (line: string, times: number) =>
    Array.from({ length: times }, (_, n) => line.replaceAll('#', `${n}`)).join('\n')

  test.each<[string, readonly SourceFile[], string]>([
    [
      'an import over a border',
      [{ path: 'src/kernel/a.ts', text: "import { b } from '../storage/b.ts'\n" }],
      'src/kernel/a.ts: may not import ../storage/b.ts',
    ],
    [
      'a type over a border',
      [{ path: 'src/kernel/a.ts', text: "import type {\n  B,\n} from '../daemon/b.ts'\n" }],
      'src/kernel/a.ts: may not import ../daemon/b.ts',
    ],
    [
      'a lazy import over a border',
      [{ path: 'src/cli/a.ts', text: "const b = () => import('../storage/b.ts')\n" }],
      'src/cli/a.ts: may not import ../storage/b.ts',
    ],
    [
      'a file next to the one that may be imported',
      [{ path: 'src/hook/a.ts', text: "export { b } from '../wire/event.ts'\n" }],
      'src/hook/a.ts: may not import ../wire/event.ts',
    ],
    [
      "node's modules in the kernel",
      [{ path: 'src/kernel/a.ts', text: "import { readFileSync } from 'node:fs'\n" }],
      'src/kernel/a.ts: may not load node:fs',
    ],
    [
      'a library in the hook',
      [{ path: 'src/hook/a.ts', text: "import { z } from 'zod'\n" }],
      'src/hook/a.ts: may not load zod',
    ],
    [
      'a scoped library where it does not belong',
      [{ path: 'src/cli/a.ts', text: "import { serve } from '@hono/node-server/x'\n" }],
      'src/cli/a.ts: may not load @hono/node-server/x',
    ],
    [
      'a folder without a layer',
      [{ path: 'src/extra/a.ts', text: '' }],
      'src/extra/a.ts: no layer of test/layers.ts holds it',
    ],
    [
      'an import without its extension',
      [{ path: 'src/kernel/a.ts', text: "import { b } from './b'\n" }],
      'src/kernel/a.ts: "./b" must end in .ts',
    ],
    [
      'a run-time cycle',
      [
        { path: 'src/kernel/a.ts', text: "import { b } from './b.ts'\n" },
        { path: 'src/kernel/b.ts', text: "import { a } from './a.ts'\n" },
      ],
      'import cycle: src/kernel/a.ts → src/kernel/b.ts',
    ],
    [
      'a file that is too long',
      [{ path: 'src/kernel/a.ts', text: `${repeated('const a# = 1', MAX_LINES + 1)}\n` }],
      `src/kernel/a.ts: ${MAX_LINES + 1} lines, more than ${MAX_LINES}`,
    ],
    [
      'a file that knows too many',
      [{ path: 'src/kernel/a.ts', text: `${repeated("import { b# } from './b#.ts'", MAX_IMPORTS + 1)}\n` }],
      `src/kernel/a.ts: ${MAX_IMPORTS + 1} imports, more than ${MAX_IMPORTS}`,
    ],
    [
      'the environment',
      [{ path: 'src/kernel/a.ts', text: 'const a = process.env.A\n' }],
      'src/kernel/a.ts: process.env belongs in platform or cli',
    ],
    [
      'the clock',
      [{ path: 'src/daemon/a.ts', text: 'const a = Date.now()\n' }],
      'src/daemon/a.ts: Date.now( belongs in platform or cli',
    ],
    [
      'the console',
      [{ path: 'src/storage/a.ts', text: 'console.log(1)\n' }],
      'src/storage/a.ts: console. belongs in platform or cli',
    ],
    [
      'a file that starts processes unannounced',
      [{ path: 'src/cli/a.ts', text: "import { spawn } from 'node:child_process'\nspawn(program, [])\n" }],
      'src/cli/a.ts: starts processes and is not in processStarters of test/layers.ts',
    ],
    [
      'a lazy load of the module that starts processes',
      [{ path: 'src/cli/a.ts', text: "process.getBuiltinModule('node:child_process').spawn(program)\n" }],
      'src/cli/a.ts: starts processes and is not in processStarters of test/layers.ts',
    ],
    [
      'a program started by its name',
      [
        {
          path: 'src/platform/process/ancestor.ts',
          text: "import { execFileSync } from 'node:child_process'\nexecFileSync('ps')\n",
        },
      ],
      'src/platform/process/ancestor.ts: starts a program by its name',
    ],
    [
      'git started through a helper',
      [{ path: 'src/cli/a.ts', text: "await runProcess('git', ['status'], { cwd })\n" }],
      'src/cli/a.ts: only src/platform/git/git-command.ts starts git',
    ],
    [
      'git as the first word of a command',
      [{ path: 'src/cli/a.ts', text: "await runProgram({ command: ['git', 'status'], cwd, timeoutMs })\n" }],
      'src/cli/a.ts: only src/platform/git/git-command.ts starts git',
    ],
    [
      'a default export',
      [{ path: 'src/kernel/a.ts', text: 'export default 1\n' }],
      'src/kernel/a.ts: has a default export',
    ],
    [
      'a name that says nothing',
      [{ path: 'src/kernel/utils.ts', text: '' }],
      'src/kernel/utils.ts: says nothing about what it holds',
    ],
    [
      'folders that import each other, by types alone',
      [
        { path: 'src/recovery/a.ts', text: "import type { B } from './items/b.ts'\n" },
        { path: 'src/recovery/items/b.ts', text: "import type { A } from '../a.ts'\n" },
      ],
      'folders import each other: src/recovery, src/recovery/items',
    ],
    [
      'a folder with too many files',
      Array.from({ length: MAX_FILES_IN_FOLDER + 1 }, (_, n) => ({ path: `src/kernel/a${n}.ts`, text: '' })),
      `src/kernel: ${MAX_FILES_IN_FOLDER + 1} files, more than ${MAX_FILES_IN_FOLDER}`,
    ],
    [
      "one harness's file loaded by shared code",
      [{ path: 'src/cli/a.ts', text: "import { b } from '../harness/codex/b.ts'\n" }],
      'src/cli/a.ts: only the registry may import ../harness/codex/b.ts',
    ],
    [
      'the id of a harness outside its folder',
      [
        { path: 'src/harness/codex/index.ts', text: "export const CODEX = 'codex'\n" },
        { path: 'src/cli/a.ts', text: "const isCodex = harness === 'codex'\n" },
      ],
      'src/cli/a.ts: the id codex belongs in src/harness/codex/',
    ],
    ['a name in another case', [{ path: 'src/kernel/MyFile.ts', text: '' }], 'src/kernel/MyFile.ts: is not kebab-case'],
  ])('%s', (_, files, finding) => {
    expect(architectureFindings(files)).toEqual([finding])
  })

  test('nothing wrong with type cycles, lazy imports, comments and allowed neighbours', () => {
    expect(
      architectureFindings([
        { path: 'src/kernel/a.ts', text: "import type { B } from './b.ts'\n// process.env is read elsewhere\n" },
        { path: 'src/kernel/b.ts', text: "import { type A } from './a.ts'\nimport { a } from './a.ts'\n" },
        {
          path: 'src/daemon/c.ts',
          text: "import { spool } from '../spool/spool.ts'\nimport { Hono } from 'hono/tiny'\n",
        },
      ]),
    ).toEqual([])
  })
})

describe('ARCHITECTURE.md', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')

  test('shows the import table of test/layers.ts', () => {
    expect(page).toContain(importTable())
  })

  test('names only paths that exist', () => {
    const named = [...page.matchAll(/`((?:src|test|docs|scripts|bench|bin|plugins|skills|\.ci)\/[\w./-]*)`/g)].map(
      ([, path = '']) => path,
    )
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})

test('no file names the folder it was written in, nor where its packages came from', () => {
  const hosts = [...read('package-lock.json').text.matchAll(/"resolved": "https?:\/\/([^/"]+)/g)].map(
    ([, host]) => host,
  )
  expect([...new Set(hosts)].filter((host) => host !== 'registry.npmjs.org')).toEqual([])

  // A folder of one short name (a container's /app or /repo) may well stand in a test as an example.
  if (root.split(sep).length < 3) return
  const isText = (path: string) => !/\.(?:png|ico|woff2?|gz|tgz|db|zip|wasm)$/.test(path)
  const found = projectFiles().filter((path) => isText(path) && read(path).text.includes(root))
  expect(found).toEqual([])
})

test('the bundles of the hook and of the MCP pipe hold no library', async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/hook/main.ts', 'src/hook/fallback.ts', 'src/hook/stand-in.ts', 'src/mcp/pipe/pipe.ts'],
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  expect(Object.keys(metafile.inputs).filter((path) => !path.startsWith('src/'))).toEqual([])
  expect(outside.filter((path) => !path.startsWith('node:'))).toEqual([])
})
