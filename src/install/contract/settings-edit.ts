import type { TextEdit } from './settings-text.ts'
import type { HookReach } from './setup.ts'

export const EDIT_KINDS = ['hooks', 'mcp', 'skills', 'commands', 'snippet', 'bootstrap', 'plugin'] as const
export type EditKind = (typeof EDIT_KINDS)[number]

/** Our entries in a text, by name; empty when there are none. */
export type OwnEntries = ReadonlyMap<string, readonly unknown[]>

interface EditBase {
  /** Unique within its harness and the same in every version: it identifies the edit in the manifest. */
  readonly id: string
  readonly kind: EditKind
  /** The file to edit. Links are followed. */
  readonly path: string
  /** Set only where the harness calls us through this edit. */
  readonly reach?: HookReach
}

/** An entry in a file that belongs to the user or to another program. The text functions are pure, and throw `settings-unreadable` for a text they cannot edit. */
export interface EntryEdit extends EditBase {
  readonly shape: 'entry'
  /** Adds our entry to a text without it. */
  add(text: string): TextEdit
  /** Removes our entry and leaves everything else byte for byte. `edit` is what the install recorded; undefined where that was lost. */
  remove(text: string, edit: Omit<TextEdit, 'text'> | undefined): string
  find(text: string): OwnEntries
  /** A foreign entry in the place of ours, as the rest of a sentence about the file; nothing is then written. */
  findObstacle?(text: string): string | undefined
  /** Prose that a person may have changed: a changed text stays, with a notice. */
  readonly keepsEdits?: boolean
  /** A folder next to the file that the harness creates while it rewrites the file; we do the same. */
  readonly lockPath?: string
}

/** A file that is entirely ours. A file that a person changed, or had before us, is neither replaced nor deleted, with a notice. */
export interface FileEdit extends EditBase {
  readonly shape: 'file'
  readonly content: string
  /** 0600 unless given. */
  readonly mode?: number
}

export type SettingsEdit = EntryEdit | FileEdit

/** Whether both are equal, in whatever order and layout. */
export function areSameEntries(a: OwnEntries, b: OwnEntries): boolean {
  return canonicalEntries(a) === canonicalEntries(b)
}

export function canonicalEntries(entries: OwnEntries): string {
  return JSON.stringify([...entries].sort(([x], [y]) => (x < y ? -1 : 1)))
}
