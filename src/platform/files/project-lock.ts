import { closeSync, constants, lstatSync, openSync, unlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { HoldfastError } from '../../kernel/errors.ts'
import { wallMs } from '../base/clock.ts'
import { errnoOf } from '../base/errno.ts'
import { type ProjectPath, withProjectFolder } from './project-file.ts'

/** What runs under the lock takes milliseconds: an older one was left by a process that was killed. */
const STALE_MS = 10_000
const PATIENCE_MS = 5_000
const PAUSE_MS = 15

function tryTake(path: string): boolean {
  try {
    closeSync(
      openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o600),
    )
    return true
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EEXIST') throw thrown
  }
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found !== undefined && Math.abs(wallMs() - found.mtimeMs) > STALE_MS) remove(path)
  return false
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch (thrown) {
    // Somebody else has removed the same stale lock.
    if (errnoOf(thrown) !== 'ENOENT') throw thrown
  }
}

/** Runs alone among all processes that change this file through Holdfast: read, decide and write inside `run`. */
export async function withProjectLock<T>(at: ProjectPath, run: () => T): Promise<T> {
  const parts = at.path.split('/')
  const lock = { root: at.root, path: [...parts.slice(0, -1), `.${parts.at(-1)}.holdfast-lock`].join('/') }
  const givenUpMs = wallMs() + PATIENCE_MS
  while (!withProjectFolder(lock, tryTake)) {
    if (wallMs() > givenUpMs)
      throw new HoldfastError('conflict', `${at.path} is being changed by another process.`, {
        hint: `Try again. If no other process is at work, delete ${lock.path}.`,
      })
    await sleep(PAUSE_MS)
  }
  try {
    return run()
  } finally {
    withProjectFolder(lock, remove)
  }
}
