import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { localFiles } from '../platform/files.ts'
import { MAX_FILE_BYTES } from './discover.ts'
import { IndexFileSchema, parseAs } from './index-file.ts'
import { symbolsIn } from './project-index.ts'
import { readIndexJson } from './read-pair.ts'
import type { CodeSymbol } from './symbol.ts'
import { useOf } from './word-use.ts'

/** What a registry remembers of a named thing. Its kind may be a word of the user's own. */
export interface RegisteredEntity {
  readonly name: string
  readonly type: string
  /** Relative to the root, or an absolute path under it. */
  readonly file: string
  readonly line?: number
}

export type EntityLocation = 'holds' | { readonly moved: { readonly file: string; readonly line: number } } | 'gone'

/** Every definition in the project's index; empty without one that can be read. */
export async function symbolsOf(root: string): Promise<readonly CodeSymbol[]> {
  const text = await readIndexJson(root)
  const index = text === undefined ? undefined : parseAs(IndexFileSchema, text)
  return index === undefined ? [] : symbolsIn(index.files)
}

/** Definitions of that name, the most important file's first. */
export function findSymbol(symbols: readonly CodeSymbol[], name: string): readonly CodeSymbol[] {
  return symbols.filter((symbol) => symbol.name === name)
}

/** The part that stands in the source: `open` of `Store.open`; a name in free words, such as a route, stands as it is. */
function wordOf(name: string): string {
  return /^[\p{L}\p{N}_$.:#]+$/u.test(name) ? (name.split(/[.:#]+/).findLast((part) => part !== '') ?? name) : name
}

async function linesOf(root: string, file: string): Promise<readonly string[] | undefined> {
  try {
    const path = await realpath(join(root, file))
    const below = relative(await realpath(root), path)
    if (below === '..' || below.startsWith(`..${sep}`)) return undefined
    return (await localFiles.readText(path, MAX_FILE_BYTES))?.split('\n')
  } catch {
    // Not there any more: whoever asked is told so.
    return undefined
  }
}

/** Where the file defines the word, else where it only uses it; the place nearest to the remembered one. */
function lineIn(lines: readonly string[], word: string, near: number): number | undefined {
  const uses = lines.map((text, index) => ({ line: index + 1, use: useOf(text, word) }))
  const nearest = (use: 'definition' | 'mention') =>
    uses
      .filter((candidate) => candidate.use === use)
      .toSorted((a, b) => Math.abs(a.line - near) - Math.abs(b.line - near))
      .at(0)?.line
  return nearest('definition') ?? nearest('mention')
}

/**
 * Whether the thing is still where the registry says, by the files as they are now. The index is asked only where else it
 * may have gone, and only believed when the file says the same.
 */
export async function locateEntity(
  entity: RegisteredEntity,
  root: string,
  symbols?: readonly CodeSymbol[],
): Promise<EntityLocation> {
  const word = wordOf(entity.name)
  const file = isAbsolute(entity.file) ? relative(root, entity.file) : entity.file
  const lines = await linesOf(root, file)
  const line = lines === undefined ? undefined : lineIn(lines, word, entity.line ?? 1)
  if (line !== undefined && (entity.line === undefined || line === entity.line)) return 'holds'
  const isDefinedHere = line !== undefined && useOf(lines?.[line - 1] ?? '', word) === 'definition'
  if (line !== undefined && isDefinedHere) return { moved: { file, line } }
  for (const candidate of findSymbol(symbols ?? (await symbolsOf(root)), word)) {
    const text = (await linesOf(root, candidate.file))?.[candidate.line - 1] ?? ''
    if (useOf(text, word) !== undefined) return { moved: { file: candidate.file, line: candidate.line } }
  }
  return line === undefined ? 'gone' : { moved: { file, line } }
}
