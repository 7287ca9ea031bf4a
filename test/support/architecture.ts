import { posix } from 'node:path'
import {
  ambientAllowed,
  GIT_STARTER,
  harnessIdsAllowed,
  type Layer,
  layers,
  MAX_FILES_IN_FOLDER,
  MAX_IMPORTS,
  MAX_LINES,
  processStarters,
  sizeExceptions,
} from '../layers.ts'

/** A file of src/, by its path from the root, with forward slashes. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

interface Import {
  readonly specifier: string
  /** Gone at run time. */
  readonly isType: boolean
  /** Loaded when asked for, not with the file. */
  readonly isDynamic: boolean
}

const IMPORT = /^import\s+(?<type>type\s+)?(?<names>[\w*{}$,\s]+?\s+from\s+)?['"](?<specifier>[^'"]+)['"]/gm
const RE_EXPORT =
  /^export\s+(?<type>type\s+)?(?<names>\*(?:\s+as\s+\w+)?|\{[\w\s,$]*\})\s+from\s+['"](?<specifier>[^'"]+)['"]/gm
const DYNAMIC = /\bimport\(\s*['"](?<specifier>[^'"]+)['"]/g

/** `import { type A, type B } from` leaves nothing to load either. */
function namesOnlyTypes(names: string): boolean {
  const inside = /^\{(?<list>[^}]*)\}/.exec(names.trim())?.groups?.['list']
  const listed = inside?.split(',').flatMap((name) => name.trim() || []) ?? []
  return listed.length > 0 && listed.every((name) => name.startsWith('type '))
}

function importsOf(text: string): readonly Import[] {
  const code = withoutComments(text)
  const fixed = [...code.matchAll(IMPORT), ...code.matchAll(RE_EXPORT)].map(({ groups }) => ({
    specifier: groups?.['specifier'] ?? '',
    isType: groups?.['type'] !== undefined || namesOnlyTypes(groups?.['names'] ?? ''),
    isDynamic: false,
  }))
  const dynamic = [...code.matchAll(DYNAMIC)].map(({ groups }) => ({
    specifier: groups?.['specifier'] ?? '',
    isType: false,
    isDynamic: true,
  }))
  return [...fixed, ...dynamic]
}

/** Good enough for finding words in code; a comment inside a string is left alone only where it does not begin a word. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}

/** Folders of `harness/` that every harness shares. */
const SHARED_HARNESS_FOLDERS = ['contract', 'descriptor', 'payload', 'plugin', 'transcript']

function harnessOf(path: string): string | undefined {
  const id = /^src\/harness\/(?<id>[^/]+)\//.exec(path)?.groups?.['id']
  return id === undefined || SHARED_HARNESS_FOLDERS.includes(id) ? undefined : id
}

/** The longest entry of the table that the file's folder begins with. */
function layerOf(path: string): string | undefined {
  const folder = posix.dirname(path).replace(/^src\/?/, '')
  const parts = folder.split('/')
  const entries = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'))
  return entries.find((entry) => Object.hasOwn(layers, entry))
}

function resolved(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier)
}

/** An entry names a layer, a folder inside one, or a single file. */
function isAllowedInside(layer: Layer, own: string, target: string): boolean {
  const of = layerOf(target)
  if (of === own) return true
  return layer.imports.some((allowed) =>
    Object.hasOwn(layers, allowed)
      ? of === allowed
      : target === `src/${allowed}.ts` || target.startsWith(`src/${allowed}/`),
  )
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function isAllowedLibrary(layer: Layer, specifier: string): boolean {
  if (specifier.startsWith('node:')) return layer.libraries.includes('node:')
  return layer.libraries.includes(packageOf(specifier))
}

function borderFindings({ path, text }: SourceFile): readonly string[] {
  const own = layerOf(path)
  const layer = own === undefined ? undefined : layers[own]
  if (own === undefined || layer === undefined) return [`${path}: no layer of test/layers.ts holds it`]
  return importsOf(text).flatMap(({ specifier }) => {
    if (specifier.startsWith('.')) {
      if (!/\.(?:tsx?|css|svg\?url)$/.test(specifier)) return [`${path}: "${specifier}" must end in .ts`]
      return isAllowedInside(layer, own, resolved(path, specifier)) ? [] : [`${path}: may not import ${specifier}`]
    }
    return isAllowedLibrary(layer, specifier) ? [] : [`${path}: may not load ${specifier}`]
  })
}

function sizeFindings({ path, text }: SourceFile): readonly string[] {
  if (Object.hasOwn(sizeExceptions, path)) return []
  const lines = text.split('\n').length - 1
  const known = importsOf(text).filter((imported) => !imported.isDynamic)
  const imports = new Set(known.map(({ specifier }) => specifier)).size
  return [
    ...(lines > MAX_LINES ? [`${path}: ${lines} lines, more than ${MAX_LINES}`] : []),
    // A test may have to bring many parts together; what ships may not.
    ...(imports > MAX_IMPORTS && !isTest(path) ? [`${path}: ${imports} imports, more than ${MAX_IMPORTS}`] : []),
  ]
}

const AMBIENT = ['process.env', 'Date.now(', 'new Date()', 'console.'] as const

function ambientFindings({ path, text }: SourceFile): readonly string[] {
  if (ambientAllowed.some((allowed) => path.startsWith(allowed))) return []
  const code = withoutComments(text)
  return AMBIENT.flatMap((word) => (code.includes(word) ? [`${path}: ${word} belongs in platform or cli`] : []))
}

function habitFindings({ path, text }: SourceFile): readonly string[] {
  const code = withoutComments(text)
  const name = posix.basename(path)
  return [
    ...(/^export default\b/m.test(code) ? [`${path}: has a default export`] : []),
    ...(/^(?:utils?|helpers?|common|misc)\b/.test(name) ? [`${path}: says nothing about what it holds`] : []),
    ...(/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.test)?\.tsx?$/.test(name) ? [] : [`${path}: is not kebab-case`]),
  ]
}

const STARTS_BY_NAME = /\b(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|fork)\(\s*['"`](?!\/)/
/** As the first word of a call or of a list: what is started. */
const NAMES_GIT = /(?:\(|(?<![\w\]])\[)\s*['"`]git(?:\.exe)?['"`]\s*[,)\]]/

/** A program by name is one that a PATH chooses, and git has a guard around it that only one file knows. */
function processFindings({ path, text }: SourceFile): readonly string[] {
  const code = withoutComments(text)
  const canStart = code.includes('node:child_process')
  return [
    ...(canStart && !Object.hasOwn(processStarters, path)
      ? [`${path}: starts processes and is not in processStarters of test/layers.ts`]
      : []),
    ...(canStart && STARTS_BY_NAME.test(code) ? [`${path}: starts a program by its name`] : []),
    ...(NAMES_GIT.test(code) && path !== GIT_STARTER ? [`${path}: only ${GIT_STARTER} starts git`] : []),
  ]
}

/** Run-time import cycles; each is reported once, from its alphabetically first file. */
function cyclesAmong(files: readonly SourceFile[]): readonly string[] {
  const edges = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text)
        .filter(({ specifier, isType, isDynamic }) => specifier.startsWith('.') && !isType && !isDynamic)
        .map(({ specifier }) => resolved(path, specifier)),
    ]),
  )
  const cycles = new Set<string>()
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path)
    if (at !== -1) {
      const circle = trail.slice(at)
      const first = circle.indexOf(circle.toSorted()[0] ?? path)
      cycles.add([...circle.slice(first), ...circle.slice(0, first)].join(' → '))
      return
    }
    if (done.has(path)) return
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const { path } of files) visit(path, [])
  return [...cycles].map((cycle) => `import cycle: ${cycle}`)
}

function folderFindings(files: readonly SourceFile[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { path } of files) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1)
  return [...counts].flatMap(([folder, count]) =>
    count > MAX_FILES_IN_FOLDER && !Object.hasOwn(sizeExceptions, folder)
      ? [`${folder}: ${count} files, more than ${MAX_FILES_IN_FOLDER}`]
      : [],
  )
}

/** Cycles between folders, by any import, types included. Each is reported once, as the folders that reach each other. */
function folderCycles(files: readonly SourceFile[]): readonly string[] {
  const edges = new Map<string, Set<string>>()
  for (const { path, text } of files) {
    const from = posix.dirname(path)
    const targets = edges.get(from) ?? new Set<string>()
    edges.set(from, targets)
    for (const { specifier } of importsOf(text)) {
      if (!specifier.startsWith('.')) continue
      const to = posix.dirname(resolved(path, specifier))
      if (to !== from) targets.add(to)
    }
  }
  const reachable = (start: string): ReadonlySet<string> => {
    const seen = new Set<string>()
    const open = [...(edges.get(start) ?? [])]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue
      seen.add(next)
      open.push(...(edges.get(next) ?? []))
    }
    return seen
  }
  const reach = new Map([...edges.keys()].map((folder) => [folder, reachable(folder)]))
  const cycles = [...edges.keys()].flatMap((folder) => {
    if (reach.get(folder)?.has(folder) !== true) return []
    const circle = [...edges.keys()].filter((other) => reach.get(folder)?.has(other) && reach.get(other)?.has(folder))
    return [circle.toSorted().join(', ')]
  })
  return [...new Set(cycles)].map((cycle) => `folders import each other: ${cycle}`)
}

const HARNESS_REGISTRY = 'src/harness/registry.ts'

/** The folder of one harness is loaded by the registry and by itself; shared code asks for a capability. */
function harnessFindings({ path, text }: SourceFile): readonly string[] {
  const ownHarness = harnessOf(path)
  const isRegistry = path === HARNESS_REGISTRY
  return importsOf(text).flatMap(({ specifier }) => {
    const target = specifier.startsWith('.') ? harnessOf(resolved(path, specifier)) : undefined
    if (target === undefined || target === ownHarness || isRegistry) return []
    return [`${path}: only the registry may import ${specifier}`]
  })
}

/** The id of a harness is written in its own folder only: a branch or a list elsewhere would have to be found for every new harness. */
function harnessIdFindings(files: readonly SourceFile[]): readonly string[] {
  const ids = new Set(files.flatMap(({ path }) => harnessOf(path) ?? []))
  const isAllowed = (path: string) => Object.keys(harnessIdsAllowed).some((allowed) => path.startsWith(allowed))
  return files.flatMap(({ path, text }) => {
    if (isAllowed(path)) return []
    const literals = [...withoutComments(text).matchAll(/(['"`])(?<word>[a-z-]+)\1/g)].map(
      ({ groups }) => groups?.['word'],
    )
    const written = new Set(literals.filter((word) => word !== undefined && ids.has(word) && word !== harnessOf(path)))
    return [...written].map((id) => `${path}: the id ${id} belongs in src/harness/${id}/`)
  })
}

/** Everything the architecture has to say against these files; empty when it stands. */
export function architectureFindings(files: readonly SourceFile[]): readonly string[] {
  const shipped = files.filter(({ path }) => !isTest(path))
  return [
    ...shipped.flatMap(borderFindings),
    ...shipped.flatMap(harnessFindings),
    ...harnessIdFindings(shipped),
    ...folderFindings(shipped),
    ...folderCycles(shipped),
    ...files.flatMap(sizeFindings),
    ...shipped.flatMap(ambientFindings),
    ...shipped.flatMap(processFindings),
    ...files.flatMap(habitFindings),
    ...cyclesAmong(shipped),
  ]
}

/** The import table as ARCHITECTURE.md shows it. */
export function importTable(): string {
  const cell = (names: readonly string[]) =>
    names.length === 0 ? 'nothing' : names.map((name) => `\`${name}\``).join(', ')
  return [
    '| folder | may import, besides itself | third-party |',
    '|---|---|---|',
    ...Object.entries(layers).map(
      ([name, { imports, libraries }]) => `| \`${name}\` | ${cell(imports)} | ${cell(libraries)} |`,
    ),
  ].join('\n')
}
