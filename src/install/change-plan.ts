import { createHash } from 'node:crypto'
import type { Installation, WrittenFile } from './manifest.ts'
import { canonicalEntries, type EntryPiece, type OwnEntries, type PieceKind } from './contract/settings-edit.ts'
import type { SettingsFile } from './edits/settings-file.ts'
import type { Scope } from './contract/setup.ts'

/** One file before and after; `after` is undefined where the file goes away. */
export interface FileChange {
  readonly before: SettingsFile
  readonly after: string | undefined
  /** For a file that is made. */
  readonly mode?: number
  /** Made by the harness while it rewrites the file, and by us. */
  readonly lockPath?: string
  /** What is taken out for good. */
  readonly removed: readonly EntryPiece[]
}

/** Something that was left as it is, and why. */
export interface Notice {
  /** What it is; `config` is our own configuration. */
  readonly kind: PieceKind | 'config'
  readonly path: string
  /** The rest of a sentence that begins with the path. */
  readonly why: string
}

/** What an install or uninstall would do. Nothing is written until it is applied. */
export interface ChangePlan {
  readonly harness: string
  readonly scope: Scope
  /** The first file of ours: what the connection is called by. */
  readonly mainPath: string
  readonly changes: readonly FileChange[]
  readonly notices: readonly Notice[]
  /** What the manifest will know of this installation; undefined when it is to be forgotten. */
  readonly installation: Installation | undefined
  /** What the manifest knew of it when the plan was made. */
  readonly previous: Installation | undefined
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function entriesHash(entries: OwnEntries): string {
  return hashOf(canonicalEntries(entries))
}

/** Whether a whole file is as we left it, by this record or by the write before it. */
export function isFileAsWeLeftIt(text: string, written: WrittenFile | undefined): boolean {
  return written !== undefined && [written.hashAfter, written.replaced].includes(hashOf(text))
}

/** Whether entries are as we left them, by this record or by the write before it. */
export function areEntriesAsWeLeftThem(found: OwnEntries, written: WrittenFile | undefined): boolean {
  return written !== undefined && [written.entriesHash, written.replaced].includes(entriesHash(found))
}

/** A whole file, and prose that every harness reads alike, are there once for all harnesses that declare them. */
export function isSharedWith(file: Pick<WrittenFile, 'path' | 'shape' | 'role'>, other: WrittenFile): boolean {
  return file.path === other.path && file.role === other.role && (file.shape === 'file' || file.role === 'snippet')
}

/** Comments count as something. */
export function holdsNothing(text: string): boolean {
  const visible = text.replace(/^\uFEFF/, '').replace(/\s+/g, '')
  return visible === '' || visible === '{}'
}
