const DRIVE = /^[A-Za-z]:(?=[\\/])/

/** On Windows separators go either way, and programs do not agree on how to write a drive. */
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
  // macOS says /tmp and /var for what realpath calls /private/tmp and /private/var.
  if (path.startsWith(`/private${base}`)) return path.slice(base.length + 8)
  if (base.startsWith('/private/') && path.startsWith(base.slice(8))) return path.slice(base.length - 8)
  return undefined
}

/** Whether it is the folder, or lies in it; both as the file system names them. */
export function isWithin(path: string, folder: string): boolean {
  const [inner, outer] = [withSlashes(path), withSlashes(folder)]
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`)
}

/** Paths in a text that was written on the machine of this worktree, each with the separators that we use. */
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
  // A shell reads it from the home, wherever it stands.
  if (cleaned.startsWith('~/')) return cleaned
  const from = cwd === undefined ? undefined : within(collapse(withSlashes(cwd)), root)
  return from === undefined ? cleaned : collapse(`${from}/${cleaned}`)
}

/** A command as it reads in the worktree: the paths of what lies inside, without the way to it. */
export function asReadIn(worktree: string, text: string): string {
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

/** A path that was written down in a folder, wherever that is. */
export function pathFrom(folder: string, path: string): string {
  return isAbsolute(withSlashes(path)) || path.startsWith('~') ? path : `${folder.replace(/\/$/, '')}/${path}`
}

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), DRIVE.test(path) ? path.lastIndexOf('\\') : -1) + 1)
}

/** What a file and its test, its header or its styles share: `a/foo.go`, `b/foo_test.go` and `test_foo.py` are all `foo`. */
export function stemOf(path: string): string {
  const name = baseName(path)
  const dot = name.indexOf('.', 1)
  const bare = dot < 0 ? name : name.slice(0, dot)
  return bare.replace(/^test[_-](?=.)|(?<=.)(?:[_-](?:test|spec)|Tests?|Spec)$/, '').toLowerCase()
}

/** Outside the worktree, or the place of a tool's own scratch files: rarely what the next session needs. */
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
/** Between paths; what a line number, a quote or a bracket adds to one is cut off with it. */
const BETWEEN = /[\s"'`<>|,;:=*!?#$%^&()[\]{}\\]+/

/** git calls the two sides of a difference `a/` and `b/`; neither is a folder. */
const DIFF_HEADER = /^[ \t│└├>]{0,12}(?:diff --git a\/(\S+) b\/\S+|(?:---|\+\+\+) [ab]\/(\S+))$/gm

/** What code imports is named from the importing file, and which that is a line does not say. */
const IMPORTED = /\b(?:from|import|require)[ \t]{0,4}\(?["']\.{1,2}\/[^"'\n]{0,300}["']/g

/** A file's ending begins with one, and most lines of most outputs have none. */
function linesWithDots(text: string): string {
  if (!text.includes('.')) return ''
  return text
    .split('\n')
    .filter((line) => line.includes('.'))
    .join('\n')
}

/** What is written like a file and is the name of a library. */
const LIBRARY = /^(?:vercel\/)?(?:d3|nest|next|node|nuxt|three|vue)\.js$/i

/** Things in a text that look like files: they end as source files do, and hold nothing but path characters. Linear in the text. */
export function pathsIn(text: string, limit: number): readonly string[] {
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

/** How many lines of a search's output are about each file; a file that was only listed is not in it. Linear in the text. */
export function hitsIn(text: string): ReadonlyMap<string, number> {
  const hits = new Map<string, number>()
  let heading: string | undefined
  const count = (path: string) => hits.set(path, (hits.get(path) ?? 0) + 1)
  for (const line of text.slice(0, MAX_TEXT).split('\n')) {
    const [, path, number] = HIT.exec(line.slice(0, MAX_PATH + 20)) ?? []
    if (path !== undefined && pathsIn(path, 1)[0] === path) {
      heading = number === undefined ? path : undefined
      if (number !== undefined) count(path)
    } else if (heading !== undefined && UNDER_HEADING.test(line)) count(heading)
    else if (line.trim() !== '') heading = undefined
  }
  return hits
}
