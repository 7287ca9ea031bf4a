/** Files that a project has at its root and again in its packages: the bare name means the one at the root. */
const AT_TOP: ReadonlySet<string> = new Set(
  'README.md CHANGELOG.md CONTRIBUTING.md CLAUDE.md AGENTS.md GEMINI.md package.json tsconfig.json composer.json pyproject.toml Cargo.toml pom.xml'.split(
    ' ',
  ),
)

export function endsWithParts(path: string, end: string): boolean {
  return path === end || (path.endsWith(end) && path[path.length - end.length - 1] === '/' && !AT_TOP.has(end))
}

const DRIVE = /^[A-Za-z]:(?=[\\/])/

/** On Windows both separators occur, and programs write drive letters differently. */
function withSlashes(path: string): string {
  const slashed = path.includes('\\') ? path.replaceAll('\\', '/') : path
  return slashed.replace(DRIVE, (drive) => drive.toUpperCase())
}

function collapse(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '.' || (part === '' && parts.length > 0)) continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '' && parts.at(-1) !== '..') parts.pop()
    else parts.push(part)
  }
  return parts.join('/')
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:\//.test(path)
}

function within(path: string, root: string): string | undefined {
  const base = root.endsWith('/') ? root : `${root}/`
  if (path.startsWith(base)) return path.slice(base.length)
  // On macOS, /tmp and /var are links to /private/tmp and /private/var.
  if (path.startsWith(`/private${base}`)) return path.slice(base.length + 8)
  if (base.startsWith('/private/') && path.startsWith(base.slice(8))) return path.slice(base.length - 8)
  return undefined
}

/** Whether it is the folder or lies in it; both as native paths. */
export function isWithin(path: string, folder: string): boolean {
  const [inner, outer] = [withSlashes(path), withSlashes(folder)]
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`)
}

/** Normalises the separators of paths in a text from this worktree's machine. */
export function withOurSeparators(text: string, worktree: string): string {
  return DRIVE.test(worktree) ? text.replaceAll(/(?<=[\w.@:-])\\{1,2}(?=[\w.@-])/g, '/') : text
}

/** Worktree-relative where it lies inside, else absolute; a relative path is read from `cwd`. Undefined for the worktree itself or nothing. */
export function relativePath(
  raw: string,
  { worktree, cwd }: { worktree?: string; cwd?: string } = {},
): string | undefined {
  const cleaned = collapse(withSlashes(raw.trim()))
  if (cleaned === '' || cleaned === '/') return undefined
  const root = worktree === undefined ? undefined : collapse(withSlashes(worktree))
  if (root === undefined) return cleaned
  if (cleaned === root) return undefined
  if (isAbsolute(cleaned)) return within(cleaned, root) ?? cleaned
  // A shell expands `~` to the home directory.
  if (cleaned.startsWith('~/')) return cleaned
  const from = cwd === undefined ? undefined : within(collapse(withSlashes(cwd)), root)
  return from === undefined ? cleaned : collapse(`${from}/${cleaned}`)
}

/** The text with paths inside the worktree made relative to it. */
export function toRelativeText(worktree: string, text: string): string {
  const root = withSlashes(worktree).replace(/\/+$/, '')
  if (root === '') return text
  const isWindows = DRIVE.test(worktree)
  const ways = isWindows ? [root] : root.startsWith('/private/') ? [root, root.slice(8)] : [`/private${root}`, root]
  const slash = isWindows ? String.raw`[\\/]` : '/'
  const way = ways
    .map((one) =>
      one.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('/', isWindows ? `${slash}{1,2}` : '/'),
    )
    .join('|')
  const pattern = String.raw`(?<![\p{L}\p{N}_./~-])(?:${way})(?:(${slash}+)(?=[^\s"'\x60;|&)])|${slash}*(?=$|[\s"'\x60;|&):,]))`
  return text.replaceAll(new RegExp(pattern, isWindows ? 'giu' : 'gu'), (_, isInside: string | undefined) =>
    isInside === undefined ? '.' : '',
  )
}

/** A path that was written relative to a folder. */
export function pathFrom(folder: string, path: string): string {
  return isAbsolute(withSlashes(path)) || path.startsWith('~') ? path : `${folder.replace(/\/$/, '')}/${path}`
}

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), DRIVE.test(path) ? path.lastIndexOf('\\') : -1) + 1)
}

/** Outside the worktree, or a tool's scratch file: rarely needed by the next session. */
export function isScratch(path: string): boolean {
  return isAbsolute(path) || path.startsWith('~') || path.startsWith('../')
}

const SOURCE_EXTENSIONS: ReadonlySet<string> = new Set(
  'ts tsx js jsx mjs cjs py go rs rb php java kt c h cc cpp hpp md mdx json yaml yml toml sql sh css scss html vue svelte proto swift xml astro'.split(
    ' ',
  ),
)
const MAX_TEXT = 20_000
const MAX_PATH = 300
/** Separates paths, and line numbers, quotes and brackets from them. */
const BETWEEN = /[\s"'`<>|,;:=*!?#$%^&()[\]{}\\]+/

/** The prefixes of a git diff; neither is a folder. */
const DIFF_HEADER = /^[ \t│└├>]{0,12}(?:diff --git a\/(\S+) b\/\S+|(?:---|\+\+\+) [ab]\/(\S+))$/gm

/** An import path is relative to the importing file, which the line does not name. */
const IMPORTED = /\b(?:from|import|require)[ \t]{0,4}\(?["']\.{1,2}\/[^"'\n]{0,300}["']/g

/** Every file extension begins with a dot, and most lines have none. */
function linesWithDots(text: string): string {
  if (!text.includes('.')) return ''
  return text
    .split('\n')
    .filter((line) => line.includes('.'))
    .join('\n')
}

/** Library names that look like files. */
const LIBRARY = /^(?:vercel\/)?(?:d3|nest|next|node|nuxt|three|vue)\.js$/i

/** Paths in a text: they have a source file's extension and only path characters. Linear in the text. */
export function findPaths(text: string, limit: number): readonly string[] {
  const found = new Set<string>()
  const withoutAddresses = linesWithDots(text.slice(0, MAX_TEXT))
    .replace(/[a-z]{1,12}:\/\/\S+/gi, ' ')
    .replace(DIFF_HEADER, ' $1$2 ')
    .replace(IMPORTED, ' ')
  for (const token of withoutAddresses.split(BETWEEN)) {
    if (token.length > MAX_PATH) continue
    const path = token.replace(/\.+$/, '')
    const dot = path.lastIndexOf('.')
    if (dot < 1 || !SOURCE_EXTENSIONS.has(path.slice(dot + 1).toLowerCase())) continue
    if (/^[\w.@~+/-]+$/.test(path) && !path.startsWith('//') && !LIBRARY.test(path)) found.add(path)
    if (found.size >= limit) break
  }
  return [...found]
}

/** `src/a.ts:12: …`, `src/a.ts-12-…`, or `src/a.ts:` over lines of its own. */
const HIT = /^(\S{1,300}?)(?:[:-](\d{1,7})[:-]|:$)/
const UNDER_HEADING = /^\s*(?:Line )?\d{1,7}[:-]/

/** Hits by file in a search's output; files that are only listed are left out. Linear in the text. */
export function countPaths(text: string): ReadonlyMap<string, number> {
  const hits = new Map<string, number>()
  let heading: string | undefined
  const count = (path: string) => hits.set(path, (hits.get(path) ?? 0) + 1)
  for (const line of text.slice(0, MAX_TEXT).split('\n')) {
    const [, path, number] = HIT.exec(line.slice(0, MAX_PATH + 20)) ?? []
    if (path !== undefined && findPaths(path, 1)[0] === path) {
      heading = number === undefined ? path : undefined
      if (number !== undefined) count(path)
    } else if (heading !== undefined && UNDER_HEADING.test(line)) count(heading)
    else if (line.trim() !== '') heading = undefined
  }
  return hits
}
