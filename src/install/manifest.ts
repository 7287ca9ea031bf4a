import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import * as z from 'zod'
import { HoldfastError } from '../kernel/errors.ts'
import { ensurePrivateDir, writeFileAtomic } from '../platform/files/atomic-file.ts'
import { getErrorCode } from '../platform/base/errno.ts'
import type { Home } from '../platform/base/home.ts'
import { EDIT_KINDS } from './contract/settings-edit.ts'

function readStamp(file: string): string | undefined {
  try {
    const { mtimeMs, size, ino } = statSync(file)
    return `${mtimeMs}.${size}.${ino}`
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

/** A value computed from the current manifest; the file is read again only when it changed. Throws where it cannot be read. */
export function watchManifest<Made>(
  home: Pick<Home, 'manifestFile'>,
  make: (installations: readonly Installation[]) => Made,
): () => Made {
  let known: { readonly made: Made; readonly stamp: string | undefined } = { made: make([]), stamp: undefined }
  return () => {
    const stamp = readStamp(home.manifestFile)
    if (stamp !== known.stamp) known = { made: make(stamp === undefined ? [] : readManifest(home)), stamp }
    return known.made
  }
}

const WrittenFile = z.object({
  path: z.string(),
  /** The kind of edit, or the port in our own configuration. The first version knew only hooks, and called them settings. */
  role: z.preprocess((role) => (role === 'settings' ? 'hooks' : role), z.enum([...EDIT_KINDS, 'config'])),
  /** The edit's id; absent in the first version, which had only one. */
  piece: z.string().default('hooks'),
  shape: z.enum(['entry', 'file']).default('entry'),
  isCreated: z.boolean(),
  createdFolders: z.array(z.string()),
  /** The inserted texts, with offsets in the text before. That text is not stored: it may contain secrets. */
  insertions: z.array(z.object({ offset: z.number().int(), text: z.string() })),
  created: z.array(z.string()),
  hashBefore: z.string(),
  hashAfter: z.string(),
  /** Hash of our entries, independent of layout. */
  entriesHash: z.string().optional(),
  /** Hash of the entries that these replaced: still there if the machine stopped before the file was written. */
  replaced: z.string().optional(),
})

const Installation = z.object({
  harness: z.string(),
  scope: z.enum(['user', 'project', 'local']),
  version: z.string(),
  /** The project, for a scope that belongs to one. */
  cwd: z.string().optional(),
  /** The kinds that the user did not want. */
  leftOut: z.array(z.enum(EDIT_KINDS)).default([]),
  /** Those of the kinds that no earlier version had, and that the user asked for. */
  asked: z.array(z.enum(EDIT_KINDS)).optional(),
  /** Whether the user asked for HTTP hooks. Also absent where an older version chose them by itself. */
  http: z.boolean().optional(),
  files: z.array(WrittenFile),
  /** A copy of the descriptor: uninstalling must not depend on a file that may be gone. */
  page: z.unknown().optional(),
})

const FORMAT = 1
const Stamp = z.object({ format: z.int() })
const Manifest = z.object({ format: z.literal(FORMAT), installations: z.array(Installation) })

/** One file that an install wrote to. */
export type WrittenFile = z.infer<typeof WrittenFile>
/** Everything that one install wrote. */
export type Installation = z.infer<typeof Installation>

function createLaterError({ manifestFile }: Pick<Home, 'manifestFile'>, format: number): HoldfastError {
  return new HoldfastError(
    'settings-unreadable',
    `${manifestFile} was written by a later version of Holdfast (format ${format}).`,
    { hint: 'Install that version again to change connections. The hooks that it installed continue to work.' },
  )
}

/** Empty when nothing was ever installed. Throws when it cannot be read: an exact uninstall depends on it. */
export function readManifest(home: Pick<Home, 'manifestFile'>): readonly Installation[] {
  let text: string
  try {
    text = readFileSync(home.manifestFile, 'utf8')
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT') return []
    throw thrown
  }
  try {
    const stored: unknown = JSON.parse(text)
    const { format } = Stamp.parse(stored)
    if (format > FORMAT) throw createLaterError(home, format)
    return Manifest.parse(stored).installations
  } catch (cause) {
    if (cause instanceof HoldfastError) throw cause
    throw new HoldfastError('settings-unreadable', `${home.manifestFile} cannot be read.`, {
      hint: 'Move it away: uninstall then finds the entries of Holdfast by their shape.',
      cause,
    })
  }
}

export function writeManifest(home: Pick<Home, 'manifestFile' | 'root'>, installations: readonly Installation[]): void {
  ensurePrivateDir(dirname(home.manifestFile), home.root)
  writeFileAtomic(home.manifestFile, `${JSON.stringify({ format: FORMAT, installations }, undefined, 2)}\n`, {
    mode: 0o600,
  })
}
