import { existsSync, rmSync, statfsSync, unlinkSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ensurePrivateDir } from './atomic-file.ts'
import type { Home } from '../base/home.ts'

const BALLAST_BYTES = 1_000_000
/** With less free space than this, no ballast is made. */
const MIN_FREE_BYTES = 4 * BALLAST_BYTES

function freeBytes(dir: string): number {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}

/** Reserves one megabyte for when the disk is full. Does nothing if it exists already or space is short. */
export async function ensureBallast({ ballastFile, root }: Pick<Home, 'ballastFile' | 'root'>): Promise<void> {
  if (existsSync(ballastFile)) return
  const dir = dirname(ballastFile)
  ensurePrivateDir(dir, root)
  if (freeBytes(dir) < MIN_FREE_BYTES) return
  const temporary = `${ballastFile}.new`
  rmSync(temporary, { force: true })
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      // Random, because a compressing file system would reserve nothing for zeros.
      await file.writeFile(process.getBuiltinModule('node:crypto').randomBytes(BALLAST_BYTES))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, ballastFile)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Frees the space. False when there was none. */
export function releaseBallast({ ballastFile }: Pick<Home, 'ballastFile'>): boolean {
  try {
    unlinkSync(ballastFile)
    return true
  } catch {
    // Freed already, or never made.
    return false
  }
}
