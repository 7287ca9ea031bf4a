// Prints the figures of the source tree's shape, of every `.ts` and `.tsx` file except tests. `node scripts/shape.mjs [--json]`
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './sources.mjs'

const source = join(root, 'src')

function listSourceFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'fixtures' ? [] : listSourceFiles(path)
    return /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [path] : []
  })
}

const files = listSourceFiles(source).map((path) => {
  const text = readFileSync(path, 'utf8')
  return {
    path,
    text,
    lines: text.split('\n').length - 1,
    folder: relative(source, dirname(path)).split(sep).join('/'),
  }
})

function countBy(items, keyOf) {
  const counts = new Map()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}

/** Groups of folders that import each other, types included, by Tarjan's algorithm. */
function findFolderCycles() {
  const edges = new Map()
  for (const { path, text, folder } of files)
    for (const [, specifier] of text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const target = relative(source, dirname(resolve(dirname(path), specifier)))
        .split(sep)
        .join('/')
      if (target !== folder && !target.startsWith('..')) edges.set(folder, (edges.get(folder) ?? new Set()).add(target))
    }
  const [index, low, stack, cycles] = [new Map(), new Map(), [], []]
  const visit = (node) => {
    index.set(node, index.size)
    low.set(node, index.get(node))
    stack.push(node)
    for (const next of edges.get(node) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)))
    }
    if (low.get(node) !== index.get(node)) return
    const group = stack.splice(stack.indexOf(node))
    if (group.length > 1) cycles.push(group.toSorted((a, b) => (a < b ? -1 : 1)))
  }
  for (const node of edges.keys()) if (!index.has(node)) visit(node)
  return cycles
}

function findDeclarations(pattern) {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(([, name]) => ({ name, path: relative(root, path).split(sep).join('/') })),
  )
}

const FUNCTION =
  /^ *(?:export )?(?:async )?(?:function\*? |const )(\w+)(?:<[^>]*>)?(?=\(| = (?:async )?(?:\([^)]*\)|\w+)(?:: [^=]+)? =>)/gm
const TYPE = /^(?:export )?(?:interface|type|class|abstract class) (\w+)/gm
/** One capitalised word that ends like a participle, and the irregular ones that were in use. */
const PARTICIPLE =
  /^(?:[A-Z][a-z]*(?:ed|ing)|Begun|Built|Found|Given|Heard|Held|Kept|Known|Left|Made|Met|Ran|Read|Said|Seen|Sent|Shown|Spoken|Taken|Told|Written)$/

const functions = findDeclarations(FUNCTION)
const types = findDeclarations(TYPE)
const inFolder = countBy(files, ({ folder }) => folder)
const lengths = files.map(({ lines }) => lines).sort((a, b) => a - b)
const declared = new Map()
for (const { name, path } of types) declared.set(name, (declared.get(name) ?? new Set()).add(path))
const [largestFolder, filesInLargest] = [...inFolder].sort(([, a], [, b]) => b - a)[0]

const shape = {
  files: files.length,
  lines: lengths.reduce((sum, lines) => sum + lines, 0),
  medianLines: lengths[Math.floor(lengths.length / 2)],
  p95Lines: lengths[Math.floor(lengths.length * 0.95)],
  filesPerFolder: Number((files.length / inFolder.size).toFixed(1)),
  largestFolder: { path: `src/${largestFolder}`, files: filesInLargest },
  folderCycles: findFolderCycles(),
  functionsEndingInOf: functions.filter(({ name }) => /[a-z]Of$/.test(name)),
  participleTypes: types.filter(({ name }) => PARTICIPLE.test(name)),
  repeatedTypeNames: [...declared]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => ({ name, paths: [...paths] })),
}

const { values } = parseArgs({ options: { json: { type: 'boolean' } } })
if (values.json) console.log(JSON.stringify(shape, undefined, 2))
else {
  const rows = [
    ['product files / lines (.ts, .tsx)', `${shape.files} / ${shape.lines}`, '≤ 720 / ≤ 68,000'],
    ['lines of a file, median / p95', `${shape.medianLines} / ${shape.p95Lines}`, 'p95 150–350'],
    [
      'files in a folder, mean (largest)',
      `${shape.filesPerFolder} (${filesInLargest}, ${shape.largestFolder.path})`,
      '≤ 10 (20)',
    ],
    ['import cycles between folders', String(shape.folderCycles.length), '0'],
    ['functions ending in `Of`', String(shape.functionsEndingInOf.length), '≤ 40'],
    ['one-word participle types', String(shape.participleTypes.length), '0'],
    ['type names declared more than once', String(shape.repeatedTypeNames.length), '0'],
  ]
  for (const [name, value, target] of rows) console.log(`${name.padEnd(36)}${value.padEnd(36)}${target}`)
  console.log('\n`--json` lists the cycles, functions and types by name.')
}
