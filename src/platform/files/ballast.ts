import { existsSync, rmSync, statfsSync, unlinkSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ensurePrivateDir } from './atomic-file.ts'
import type { Home } from '../base/home.ts'

const BALLAST_BYTES = 1_000_000
/** A disk with less than this left keeps what it has for others. */
const MIN_FREE_BYTES = 4 * BALLAST_BYTES

function freeBytes(dir: string): number {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}

/** Puts one megabyte aside for the day on which the disk is full. Does nothing while there is one, or too little room for it. */
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
      // Random, because a file system that compresses would set nothing aside for zeros.
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

/** Gives the space up. False when there was none to give. */
export function releaseBallast({ ballastFile }: Pick<Home, 'ballastFile'>): boolean {
  try {
    unlinkSync(ballastFile)
    return true
  } catch {
    // Given up already, or never made: there is nothing to gain here.
    return false
  }
}
