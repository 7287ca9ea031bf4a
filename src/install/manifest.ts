import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { HoldfastError } from '../kernel/errors.ts'
import { ensurePrivateDir, writeFileAtomic } from '../platform/files/atomic-file.ts'
import { errnoOf } from '../platform/base/errno.ts'
import type { Home } from '../platform/base/home.ts'
import { PIECE_KINDS } from './contract/settings-edit.ts'

const WrittenFile = z.object({
  path: z.string(),
  /** What it is: a piece of ours, or the port in our own configuration. The first version knew hooks alone, and called them settings. */
  role: z.preprocess((role) => (role === 'settings' ? 'hooks' : role), z.enum([...PIECE_KINDS, 'config'])),
  /** The piece's id; that of the first version's only piece where it is absent. */
  piece: z.string().default('hooks'),
  shape: z.enum(['entry', 'file']).default('entry'),
  isCreated: z.boolean(),
  createdFolders: z.array(z.string()),
  /** Exactly what was put in, in the coordinates of the text before; the text itself is not copied: it may hold secrets. */
  insertions: z.array(z.object({ offset: z.number().int(), text: z.string() })),
  created: z.array(z.string()),
  hashBefore: z.string(),
  hashAfter: z.string(),
  /** The hash of what was ours in it, whatever the layout. */
  entriesHash: z.string().optional(),
  /** The hash of what of ours this took the place of: that is still there if the machine stopped before the file was written. */
  replaced: z.string().optional(),
})

const Installation = z.object({
  harness: z.string(),
  scope: z.enum(['user', 'project', 'local']),
  version: z.string(),
  /** The project, for a scope that is about one. */
  cwd: z.string().optional(),
  /** What the user did not want. */
  leftOut: z.array(z.enum(PIECE_KINDS)).default([]),
  /** Whether the user asked for hooks that call the daemon by HTTP. Absent also where an older version chose them by itself. */
  http: z.boolean().optional(),
  files: z.array(WrittenFile),
  /** What described the harness, as it was then: uninstalling must not depend on a file that may be gone. */
  page: z.unknown().optional(),
})

const Manifest = z.object({ format: z.literal(1), installations: z.array(Installation) })

/** One file that an install wrote to. */
export type WrittenFile = z.infer<typeof WrittenFile>
/** Everything one install wrote. */
export type Installation = z.infer<typeof Installation>

/** Empty when nothing was ever installed. Refuses one that cannot be read: it is what an exact uninstall rests on. */
export function readManifest(home: Pick<Home, 'manifestFile'>): readonly Installation[] {
  let text: string
  try {
    text = readFileSync(home.manifestFile, 'utf8')
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return []
    throw thrown
  }
  try {
    return Manifest.parse(JSON.parse(text)).installations
  } catch (cause) {
    throw new HoldfastError('settings-unreadable', `${home.manifestFile} cannot be read.`, {
      hint: 'Move it away: uninstall then finds our entries by their shape.',
      cause,
    })
  }
}

export function writeManifest(home: Pick<Home, 'manifestFile' | 'root'>, installations: readonly Installation[]): void {
  ensurePrivateDir(dirname(home.manifestFile), home.root)
  writeFileAtomic(home.manifestFile, `${JSON.stringify({ format: 1, installations }, undefined, 2)}\n`, { mode: 0o600 })
}
