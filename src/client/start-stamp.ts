import { closeSync, constants, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs'
import type { Processes } from '../kernel/ports.ts'
import { ensurePrivateDir, writeFileAtomic } from '../platform/files/atomic-file.ts'
import { wallMs } from '../platform/base/clock.ts'
import { errnoOf, isDiskFull } from '../platform/base/errno.ts'
import type { Home } from '../platform/base/home.ts'

/** A daemon that has not come up in this time never will. Shorter than anybody waits for one, so that a stamp nobody can check costs one call some patience and no failure. */
const STALE_MS = 6_000

interface Starter {
  readonly pid: number
  readonly startedAt?: string
}

function parseStarter(text: string): Starter | undefined {
  const [pid, startedAt] = text.split('\n')
  if (pid === undefined || !/^\d{1,10}$/.test(pid)) return undefined
  return { pid: Number(pid), ...(startedAt ? { startedAt } : {}) }
}

function formatStarter({ pid, startedAt }: Starter): string {
  return `${pid}\n${startedAt ?? ''}\n`
}

type StampHome = Pick<Home, 'root' | 'runDir' | 'startStampFile'>
type LiveCheck = Pick<Processes, 'isAlive' | 'startedAt'>

function isFresh(file: string, processes: LiveCheck): boolean {
  const age = wallMs() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  // A stamp from the future says that the clock moved, not that somebody starts.
  if (age > STALE_MS || age < -STALE_MS) return false
  try {
    const starter = parseStarter(readFileSync(file, 'utf8'))
    // Just made and not yet written counts as fresh.
    return starter === undefined ? age < 1_000 : processes.isAlive(starter)
  } catch {
    return false
  }
}

function create(file: string, starter: Starter): boolean {
  let fd: number | undefined
  try {
    fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o600)
    writeSync(fd, formatStarter(starter))
    return true
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') return false
    // Reading what is kept needs a daemon on a full disk too, and the stamp is only advice.
    if (isDiskFull(thrown)) return true
    throw thrown
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/**
 * Whether we are the one to start the daemon. Only advice, so that fifty hooks at once do not start fifty processes: the truth about who
 * is the daemon is its kernel lock. Throws when the folder cannot be written.
 */
export function claimStart(home: StampHome, processes: LiveCheck): boolean {
  ensurePrivateDir(home.runDir, home.root)
  const startedAt = processes.startedAt(process.pid)
  const self = { pid: process.pid, ...(startedAt === undefined ? {} : { startedAt }) }
  if (create(home.startStampFile, self)) return true
  if (isFresh(home.startStampFile, processes)) return false
  try {
    unlinkSync(home.startStampFile)
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown
  }
  return create(home.startStampFile, self)
}

/** From now on the stamp lives as long as the daemon that was started, not as long as we do. */
export function passStampTo(home: StampHome, pid: number, processes: LiveCheck): void {
  const startedAt = processes.startedAt(pid)
  try {
    writeFileAtomic(home.startStampFile, formatStarter({ pid, ...(startedAt === undefined ? {} : { startedAt }) }))
  } catch (thrown) {
    if (!isDiskFull(thrown)) throw thrown
  }
}
