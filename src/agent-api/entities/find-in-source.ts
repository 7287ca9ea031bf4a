import { useOf } from './word-use.ts'

const DECLARES =
  /\b(?:function|class|interface|type|enum|const|let|var|def|fn|func|struct|trait|module|namespace|record|object|val|table|static|async|public|private|protected|export)\b/i
const MAX_NAME_CHARS = 200

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_$]/u.test(character)
}

/** Whether a line has the name as a word of its own. */
function holds(line: string, name: string): boolean {
  for (let at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + 1)) {
    const isOpenBefore = !isWordCharacter(name[0]) || !isWordCharacter(line[at - 1])
    const isOpenAfter = !isWordCharacter(name.at(-1)) || !isWordCharacter(line[at + name.length])
    if (isOpenBefore && isOpenAfter) return true
  }
  return false
}

/** `Parser.parse()` is written as `parse` where it is declared; a route or a table as it is called. */
export function writtenName(name: string): string {
  const trimmed = name.trim().slice(0, MAX_NAME_CHARS)
  if (/[\s/]/.test(trimmed)) return trimmed
  const last = trimmed
    .replace(/\(.*\)$/, '')
    .split(/[.#:]+/)
    .findLast((part) => part !== '')
  return last ?? trimmed
}

/** `GET /users` may be written as `'/users'` alone. */
function spellings(name: string): readonly string[] {
  const route = /^[A-Z]+\s+(\/\S*)$/.exec(name.trim())?.[1]
  return [writtenName(name), ...(route === undefined ? [] : [route])]
}

/**
 * The 1-based line of a source that has a name: `nearLine` itself when it still does, else the declaration nearest to
 * it, else the nearest mention; undefined when the text does not have it.
 */
export function findInSource(text: string, name: string, nearLine = 1): number | undefined {
  const names = spellings(name).filter((spelling) => spelling !== '')
  const lines = text.split('\n')
  const found = lines.flatMap((line, index) =>
    names.some((spelling) => holds(line, spelling)) ? [{ line: index + 1, isDeclaration: DECLARES.test(line) }] : [],
  )
  if (found.some(({ line }) => line === nearLine)) return nearLine
  const declarations = found.filter(({ isDeclaration }) => isDeclaration)
  const nearest = (declarations.length > 0 ? declarations : found).toSorted(
    (a, b) => Math.abs(a.line - nearLine) - Math.abs(b.line - nearLine),
  )[0]
  return nearest?.line
}

/** The 1-based line nearest to `nearLine` that defines the name, and does not only use it. */
export function findDefinition(text: string, name: string, nearLine = 1): number | undefined {
  const lines = text.split('\n')
  const defining = lines.flatMap((line, index) => (useOf(line, name) === 'definition' ? [index + 1] : []))
  return defining.toSorted((a, b) => Math.abs(a - nearLine) - Math.abs(b - nearLine))[0]
}
