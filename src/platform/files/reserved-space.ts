import { existsSync, rmSync, statfsSync, unlinkSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ensurePrivateDir } from './atomic-file.ts'
import type { Home } from '../base/home.ts'

const RESERVED_BYTES = 1_000_000
/** With less free space than this, none is reserved. */
const MIN_FREE_BYTES = 4 * RESERVED_BYTES

function freeBytes(dir: string): number {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}

/** Reserves one megabyte for when the disk is full. Does nothing if it exists already or space is short. */
export async function reserveSpace({
  reservedSpaceFile,
  root,
}: Pick<Home, 'reservedSpaceFile' | 'root'>): Promise<void> {
  if (existsSync(reservedSpaceFile)) return
  const dir = dirname(reservedSpaceFile)
  ensurePrivateDir(dir, root)
  if (freeBytes(dir) < MIN_FREE_BYTES) return
  const temporary = `${reservedSpaceFile}.new`
  rmSync(temporary, { force: true })
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      // Random, because a compressing file system would reserve nothing for zeros.
      await file.writeFile(process.getBuiltinModule('node:crypto').randomBytes(RESERVED_BYTES))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, reservedSpaceFile)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Frees the space. False when there was none. */
export function releaseReservedSpace({ reservedSpaceFile }: Pick<Home, 'reservedSpaceFile'>): boolean {
  try {
    unlinkSync(reservedSpaceFile)
    return true
  } catch {
    // Freed already, or never made.
    return false
  }
}
