import type { Installation, WrittenFile } from './manifest.ts'
import { canonicalEntries, type EntryEdit, type OwnEntries, type EditKind } from './contract/settings-edit.ts'
import type { SettingsFile } from './edits/settings-file.ts'
import type { Scope } from './contract/setup.ts'
import { sha256 } from '../platform/base/crypto.ts'

/** One file before and after; `after` is undefined where the file is deleted. */
export interface SettingsFileChange {
  readonly before: SettingsFile
  readonly after: string | undefined
  /** Mode of a new file. */
  readonly mode?: number
  /** A lock folder that the harness also uses while it rewrites the file. */
  readonly lockPath?: string
  /** Edits that are removed for good. */
  readonly removed: readonly EntryEdit[]
}

/** Something that was left unchanged, and why. */
export interface Notice {
  /** `config` is our own configuration. */
  readonly kind: EditKind | 'config'
  readonly path: string
  /** The rest of a sentence that begins with the path. */
  readonly why: string
}

/** The changes of an install or uninstall. Nothing is written until the plan is applied. */
export interface ChangePlan {
  readonly harness: string
  readonly scope: Scope
  /** The first of our files: it identifies the connection in messages. */
  readonly mainPath: string
  readonly changes: readonly SettingsFileChange[]
  readonly notices: readonly Notice[]
  /** The manifest's record after the change; undefined when it is to be deleted. */
  readonly installation: Installation | undefined
  /** The manifest's record when the plan was made. */
  readonly previous: Installation | undefined
}

export function hashEntries(entries: OwnEntries): string {
  return sha256(canonicalEntries(entries))
}

/** Whether a whole file is as we left it, by this record or by the write before it. */
export function isFileAsWeLeftIt(text: string, written: WrittenFile | undefined): boolean {
  return written !== undefined && [written.hashAfter, written.replaced].includes(sha256(text))
}

/** Whether entries are as we left them, by this record or by the write before it. */
export function areEntriesAsWeLeftThem(found: OwnEntries, written: WrittenFile | undefined): boolean {
  return written !== undefined && [written.entriesHash, written.replaced].includes(hashEntries(found))
}

const PROSE = new Set<WrittenFile['role']>(['snippet', 'bootstrap'])

/** Whole files, and prose that every harness reads, exist once for all harnesses that declare them. */
export function isSharedWith(file: Pick<WrittenFile, 'path' | 'shape' | 'role'>, other: WrittenFile): boolean {
  return file.path === other.path && file.role === other.role && (file.shape === 'file' || PROSE.has(file.role))
}

/** Whether a file is empty or `{}`; comments count as content. */
export function holdsNothing(text: string): boolean {
  const visible = text.replace(/^\uFEFF/, '').replace(/\s+/g, '')
  return visible === '' || visible === '{}'
}
