import type { SettingsEdit } from './settings-text.ts'
import type { HookReach } from './setup.ts'

export const PIECE_KINDS = ['hooks', 'mcp', 'skills', 'commands', 'snippet', 'plugin'] as const
export type PieceKind = (typeof PIECE_KINDS)[number]

/** What of ours stands in a text, by name; empty when there is nothing. */
export type OwnEntries = ReadonlyMap<string, readonly unknown[]>

interface PieceBase {
  /** Unique within its harness and the same in every version: the manifest knows the piece by it. */
  readonly id: string
  readonly kind: PieceKind
  /** The file it is for. Links are followed. */
  readonly path: string
  /** Only where this piece is how the harness calls us. */
  readonly reach?: HookReach
}

/** Something of ours in a file that belongs to somebody else. The text functions are pure, and throw `settings-unreadable` for a text they cannot edit. */
export interface EntryPiece extends PieceBase {
  readonly shape: 'entry'
  /** Puts ours into a text that holds none of it. */
  add(text: string): SettingsEdit
  /** Takes ours out and leaves everything else byte for byte. `edit` is what the install recorded; undefined where that was lost. */
  remove(text: string, edit: Omit<SettingsEdit, 'text'> | undefined): string
  find(text: string): OwnEntries
  /** What stands in the place of ours and is not ours, as the rest of a sentence about the file; then nothing is written. */
  findObstacle?(text: string): string | undefined
  /** Prose that a person may have made theirs: where it is not as we left it, it stays, and that is said. */
  readonly keepsEdits?: boolean
  /** A folder that the harness makes while it rewrites this file, next to it; we do the same. */
  readonly lockPath?: string
}

/** A file that is ours as a whole. One that a person changed, or had before us, is neither replaced nor deleted, and that is said. */
export interface FilePiece extends PieceBase {
  readonly shape: 'file'
  readonly content: string
  /** 0600 unless given. */
  readonly mode?: number
}

export type Piece = EntryPiece | FilePiece

/** Whether both hold the same of ours, in whatever order and layout. */
export function isSameEntries(a: OwnEntries, b: OwnEntries): boolean {
  return canonicalEntries(a) === canonicalEntries(b)
}

export function canonicalEntries(entries: OwnEntries): string {
  return JSON.stringify([...entries].sort(([x], [y]) => (x < y ? -1 : 1)))
}
