import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { errnoOf } from '../../platform/base/errno.ts'
import type { FilePiece, PieceKind } from '../contract/settings-edit.ts'
import type { HookReach } from '../contract/setup.ts'

export function filePiece(piece: Omit<FilePiece, 'shape' | 'reach'> & { readonly reach?: HookReach }): FilePiece {
  return { shape: 'file', ...piece }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return []
    throw thrown
  }
}

export interface ShippedFile {
  /** From the folder, with `/` between names. */
  readonly name: string
  readonly content: string
}

/** Every text file of a folder of the package, in order of name; empty when there is no such folder. */
export function shippedFiles(folder: string): readonly ShippedFile[] {
  return entriesOf(folder)
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: relative(folder, path).split(sep).join('/'), content: readFileSync(path, 'utf8') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** A folder of the package, copied file by file: a link into the package would change or break with whatever npm does. */
export function folderPieces(options: {
  readonly kind: PieceKind
  readonly from: string
  readonly to: string
}): readonly FilePiece[] {
  const { kind, from, to } = options
  return shippedFiles(from).map(({ name, content }) =>
    filePiece({ id: `${kind}/${name}`, kind, path: join(to, ...name.split('/')), content }),
  )
}
