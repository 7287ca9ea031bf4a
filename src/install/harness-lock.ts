import { mkdirSync, rmdirSync, statSync } from 'node:fs'
import { HoldfastError } from '../kernel/errors.ts'
import { sleepSync, wallMs } from '../platform/base/clock.ts'
import { getErrorCode } from '../platform/base/errno.ts'

/** The same as proper-lockfile 4, which harnesses use: a holder touches its folder every few seconds. */
const STALE_MS = 10_000
const WAIT_MS = 50
const PATIENCE_MS = 10_000

function release(path: string): void {
  try {
    rmdirSync(path)
  } catch (thrown) {
    // Taken over as stale, or gone with its folder: it is not ours any more.
    if (getErrorCode(thrown) !== 'ENOENT') throw thrown
  }
}

/** `absent` where the folder for the lock does not exist: then no file can be written there either. */
function take(path: string): 'taken' | 'held' | 'absent' {
  try {
    mkdirSync(path)
    return 'taken'
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT') return 'absent'
    if (getErrorCode(thrown) === 'EEXIST') return 'held'
    throw thrown
  }
}

function isStale(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false })
  return facts !== undefined && wallMs() - facts.mtimeMs > STALE_MS
}

/** Runs `work` while holding the harness's own lock on the file. Throws when the harness does not release it. */
export function withHarnessLock(path: string | undefined, work: () => void, patienceMs = PATIENCE_MS): void {
  if (path === undefined) return work()
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += WAIT_MS) {
    const state = take(path)
    if (state === 'absent') return work()
    if (state === 'taken') {
      try {
        return work()
      } finally {
        release(path)
      }
    }
    if (isStale(path)) release(path)
    else sleepSync(WAIT_MS)
  }
  throw new HoldfastError('conflict', `Another program holds ${path}.`, {
    hint: 'Run the command again once it has ended. If nothing runs, delete that folder.',
  })
}
