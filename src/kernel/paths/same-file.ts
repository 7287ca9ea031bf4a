import { baseName } from './paths.ts'

/** What a project has at its top and its parts have again: the bare name is the one at the top. */
const AT_TOP: ReadonlySet<string> = new Set(
  'README.md CHANGELOG.md CONTRIBUTING.md CLAUDE.md AGENTS.md GEMINI.md package.json tsconfig.json composer.json pyproject.toml Cargo.toml pom.xml'.split(
    ' ',
  ),
)

export function endsWithParts(path: string, end: string): boolean {
  return path === end || (path.endsWith(end) && path[path.length - end.length - 1] === '/' && !AT_TOP.has(end))
}

/** The last part of a path, without its ending: what a file and the name it is imported by share. */
export function withoutEnding(path: string): string {
  const name = baseName(path)
  const dot = name.lastIndexOf('.')
  return dot < 1 ? name : name.slice(0, dot)
}

/** The known file that a text means: by its whole path, its last parts, or with something before it (a module's name). */
function meant(path: string, near: readonly string[]): readonly string[] {
  const exact = near.filter((known) => known === path)
  if (exact.length > 0) return exact
  const shortened = near.filter((known) => endsWithParts(known, path))
  if (shortened.length > 0) return shortened
  const prefixed = near.filter((known) => known.includes('/') && endsWithParts(path, known))
  return prefixed.length === 1 ? prefixed : []
}

const IMPORTED_AS: ReadonlySet<string> = new Set(['.js', '.jsx', '.mjs', '.cjs'])

/** TypeScript imports `./parser.js` where the file is `parser.ts`. */
function asSource(path: string): readonly string[] {
  const dot = path.lastIndexOf('.')
  if (dot < 1 || !IMPORTED_AS.has(path.slice(dot))) return []
  const stem = path.slice(0, dot)
  return [`${stem}.ts`, `${stem}.tsx`, `${stem}.mts`]
}

function meantBySpelling(
  path: string,
  { near, given }: { near: (name: string) => readonly string[]; given: ReadonlySet<string> },
): readonly string[] {
  const sources = asSource(path)
  // Who names both has both: one is being made from the other.
  const isBoth = sources.some((source) => given.has(source))
  for (const spelling of isBoth ? [path] : [path, ...sources]) {
    const fits = meant(spelling, near(baseName(spelling)))
    if (fits.length > 0) return fits
  }
  return []
}

/** Whether a name can only be this file: what is imported, as it is written there. */
export function isImportOf(name: string, path: string): boolean {
  return asSource(name).some((spelling) => endsWithParts(path, spelling))
}

/**
 * Paths from a text as the files that are known already, where they are; a name that fits several says nothing, and goes.
 */
export function asKnownFiles(paths: readonly string[], known: Iterable<string>): readonly string[] {
  const byName = new Map<string, string[]>()
  for (const path of known) {
    const name = baseName(path)
    const same = byName.get(name)
    if (same === undefined) byName.set(name, [path])
    else same.push(path)
  }
  const given = new Set(paths)
  const found = paths.flatMap((path) => {
    const fits = meantBySpelling(path, { near: (name) => byName.get(name) ?? [], given })
    if (fits.length > 1) return []
    return fits.length === 1 ? fits : [path]
  })
  return [...new Set(found)]
}

/** A text that gives a file's whole path once may shorten it elsewhere. */
export function withoutShorter(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && endsWithParts(other, path)))
}

/** Of the names that stand for files nobody has opened, those that mean this file, now that its whole path is known, and no other. */
export function shorterNames(path: string, names: readonly string[], known: readonly string[]): ReadonlySet<string> {
  const short = names.filter((name) => name !== path && (endsWithParts(path, name) || isImportOf(name, path)))
  if (short.length === 0) return new Set()
  const isOfAnother = (name: string) =>
    known.some(
      (other) =>
        other !== path &&
        other !== name &&
        (endsWithParts(other, name) || isImportOf(name, other)) &&
        !endsWithParts(path, other),
    )
  return new Set(short.filter((name) => !isOfAnother(name)))
}
