import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { HoldfastError, getErrorMessage } from '../kernel/errors.ts'
import type { Log } from '../kernel/ports/ports.ts'
import { type DurableFs, ensurePrivateDir, writeFileAtomic } from '../platform/files/atomic-file.ts'
import { wallMs } from '../platform/base/clock.ts'
import { releaseReservedSpace } from '../platform/files/reserved-space.ts'
import { syncFolder } from '../platform/files/durable-folder.ts'
import { getErrorCode, isDiskFull } from '../platform/base/errno.ts'
import type { Home } from '../platform/base/home.ts'
import { isProtectedHook, parseSpoolEntry, type SpoolEntry } from './spool-entry.ts'
import { formatSpoolName, hashId, parseSpoolName, type SpoolName } from './spool-entry.ts'

export interface SpoolOptions {
  readonly home: Pick<Home, 'root' | 'spoolDir' | 'deadSpoolDir' | 'reservedSpaceFile'>
  readonly log: Log
  /** Default: 64 MB. */
  readonly capBytes?: number
  readonly fs?: DurableFs
  /** Nanoseconds of wall time; default: the system clock. */
  readonly nowNs?: () => bigint
}

export interface DrainLimits {
  readonly maxFiles: number
  readonly maxMs: number
}

export interface DrainReport {
  readonly replayed: number
  /** Moved to the dead-letter folder. */
  readonly dead: number
  /** Still waiting. */
  readonly left: number
}

/** Hook calls that wait for the daemon, one file each. */
export interface Spool {
  /** Durable once it returns true; false when no room can be made. The payload must be redacted. Throws when the disk refuses. */
  put(entry: SpoolEntry): boolean
  /** Stores a call that cannot be an event; bounded, and never replayed. */
  putDead(entry: SpoolEntry): void
  /**
   * Hands entries over in order of arrival. `handle` resolves once its entry is durable elsewhere; only then the file goes, so a crash
   * anywhere means a second hand-over of the same id and never a loss. One that fails is tried again, three times in all, then set aside;
   * one that failed because the store is away waits without being counted.
   */
  drain(handle: (entry: SpoolEntry) => Promise<void>, limits: DrainLimits): Promise<DrainReport>
  backlog(): number
}

const CAP_BYTES = 64_000_000
const DEAD_CAP_FILES = 200
const MAX_FAILURES = 3
const MAX_ENTRY_BYTES = 8_000_000
const STALE_TEMPORARY_MS = 3_600_000
/** Not caused by the entry: retry later, however often it happens. */
const OUTAGE = new Set([
  'store-unavailable',
  'store-corrupt',
  'store-too-new',
  'store-too-old',
  'store-not-yours',
  'daemon-unavailable',
  'rate-limited',
])

/** Concerns this file only, so the next entries need not wait. Other errors, such as too many open files, concern all. */
const UNREADABLE = new Set(['ELOOP', 'EACCES', 'EPERM', 'EIO', 'ENXIO'])

interface SpooledFile {
  readonly file: string
  readonly name: SpoolName
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT') return []
    throw thrown
  }
}

function waitingIn(dir: string): readonly SpooledFile[] {
  return namesIn(dir)
    .toSorted()
    .flatMap((file) => {
      const name = parseSpoolName(file)
      return name === undefined ? [] : [{ file, name }]
    })
}

/** A hook that makes room may remove the file first. */
function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (thrown) {
    if (getErrorCode(thrown) !== 'ENOENT') throw thrown
  }
}

/** The text of a regular file; undefined for a link, a device, a file far too large, or one that cannot be read. */
function readOwn(path: string): string | undefined {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (thrown) {
    if (UNREADABLE.has(getErrorCode(thrown) ?? '')) return undefined
    throw thrown
  }
  try {
    const facts = fstatSync(fd)
    return facts.isFile() && facts.nlink === 1 && facts.size <= MAX_ENTRY_BYTES ? readFileSync(fd, 'utf8') : undefined
  } catch (thrown) {
    if (UNREADABLE.has(getErrorCode(thrown) ?? '')) return undefined
    throw thrown
  } finally {
    closeSync(fd)
  }
}

/** Wall-clock milliseconds plus the fraction of the monotonic clock, so that two files of one process never share a name. */
const systemNowNs = () => BigInt(wallMs()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n)

export function createSpool(options: SpoolOptions): Spool {
  const { home, log } = options
  const capBytes = options.capBytes ?? CAP_BYTES
  const nowNs = options.nowNs ?? systemNowNs
  const durably = { mode: 0o600, ...(options.fs === undefined ? {} : { fs: options.fs }) }
  let written = 0
  /** Files that can be neither read nor moved. Each is logged once. */
  const stuck = new Set<string>()

  function nameFor(entry: SpoolEntry, bytes: number, waiting: readonly SpooledFile[]): SpoolName {
    const now = nowNs()
    const newest = waiting.at(-1)?.name.arrival ?? 0n
    written += 1
    return {
      // A clock that was set back must not sort this event before waiting ones.
      arrival: now > newest ? now : newest + 1n,
      pid: process.pid,
      n: written % 10_000,
      idHash: hashId(entry.id),
      isProtected: isProtectedHook(entry.hook),
      bytes,
      failures: 0,
    }
  }

  /** Whether there is room for `bytes`, after dropping the oldest unprotected events if that helps. */
  function makeRoom(waiting: readonly SpooledFile[], bytes: number, isKept: boolean): boolean {
    let total = waiting.reduce((sum, { name }) => sum + name.bytes, bytes)
    let dropped = 0
    for (const { file, name } of waiting) {
      if (total <= capBytes) break
      if (name.isProtected) continue
      unlinkIfThere(join(home.spoolDir, file))
      total -= name.bytes
      dropped += 1
    }
    const hasRoom = total <= capBytes || isKept
    if (dropped > 0 || !hasRoom) log.warn('spool full', { dropped: hasRoom ? dropped : dropped + 1, capBytes })
    return hasRoom
  }

  function setAside({ file }: SpooledFile, reason: string): void {
    ensurePrivateDir(home.deadSpoolDir, home.root)
    renameSync(join(home.spoolDir, file), join(home.deadSpoolDir, file))
    syncFolder(home.deadSpoolDir)
    log.warn('spool entry set aside', { file, reason })
    boundDead()
  }

  /** As `setAside`. A file that cannot be moved either stays, and must not block the entries after it. */
  function setAsideOrSkip(next: SpooledFile, reason: string): 'dead' | 'gone' | 'stuck' {
    try {
      setAside(next, reason)
      return 'dead'
    } catch (thrown) {
      if (lstatSync(join(home.spoolDir, next.file), { throwIfNoEntry: false }) === undefined) return 'gone'
      if (!stuck.has(next.file)) log.error('spool entry skipped', { file: next.file, cause: getErrorMessage(thrown) })
      stuck.add(next.file)
      return 'stuck'
    }
  }

  function boundDead(): void {
    const names = namesIn(home.deadSpoolDir).toSorted()
    for (const name of names.slice(0, Math.max(0, names.length - DEAD_CAP_FILES)))
      unlinkIfThere(join(home.deadSpoolDir, name))
  }

  function removeStaleTemporaries(): void {
    for (const name of namesIn(home.spoolDir)) {
      if (!/^\..*\.tmp$/.test(name)) continue
      const path = join(home.spoolDir, name)
      const age = wallMs() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? wallMs())
      if (age > STALE_TEMPORARY_MS) unlinkIfThere(path)
    }
  }

  /** gone: dropped for room before its turn. stuck: stays where it is. outage: ends the drain. */
  async function replay(
    next: SpooledFile,
    handle: (entry: SpoolEntry) => Promise<void>,
  ): Promise<'done' | 'dead' | 'gone' | 'stuck' | 'outage'> {
    const path = join(home.spoolDir, next.file)
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return 'gone'
    const entry = parseSpoolEntry(readOwn(path) ?? '')
    if (entry === undefined) return setAsideOrSkip(next, 'unreadable')
    let current = next
    for (;;) {
      try {
        await handle(entry)
        unlinkIfThere(join(home.spoolDir, current.file))
        return 'done'
      } catch (thrown) {
        if (thrown instanceof HoldfastError && OUTAGE.has(thrown.code)) return 'outage'
        const failures = current.name.failures + 1
        log.warn('spool entry failed', { file: next.file, failures, cause: getErrorMessage(thrown) })
        if (failures >= MAX_FAILURES) return setAsideOrSkip(current, 'failed')
        const counted = renamed(current, failures)
        if (counted === undefined) return 'gone'
        current = counted
      }
    }
  }

  /** Undefined when a hook that made room removed the file meanwhile. */
  function renamed({ file, name }: SpooledFile, failures: number): SpooledFile | undefined {
    const counted = { ...name, failures }
    try {
      renameSync(join(home.spoolDir, file), join(home.spoolDir, formatSpoolName(counted)))
    } catch (thrown) {
      if (getErrorCode(thrown) === 'ENOENT') return undefined
      throw thrown
    }
    return { file: formatSpoolName(counted), name: counted }
  }

  return {
    put(entry) {
      ensurePrivateDir(home.spoolDir, home.root)
      const content = Buffer.from(JSON.stringify(entry))
      const waiting = waitingIn(home.spoolDir)
      if (!makeRoom(waiting, content.length, isProtectedHook(entry.hook))) return false
      const path = join(home.spoolDir, formatSpoolName(nameFor(entry, content.length, waiting)))
      try {
        writeFileAtomic(path, content, durably)
      } catch (thrown) {
        if (!isDiskFull(thrown) || !releaseReservedSpace(home)) throw thrown
        log.warn('disk full, reserved space released')
        writeFileAtomic(path, content, durably)
      }
      return true
    },

    putDead(entry) {
      ensurePrivateDir(home.deadSpoolDir, home.root)
      const content = Buffer.from(JSON.stringify(entry))
      writeFileAtomic(join(home.deadSpoolDir, formatSpoolName(nameFor(entry, content.length, []))), content, durably)
      boundDead()
    },

    async drain(handle, { maxFiles, maxMs }) {
      const startedAt = process.uptime()
      const waiting = waitingIn(home.spoolDir)
      const counts = { done: 0, dead: 0, gone: 0, stuck: 0 }
      for (const next of waiting) {
        if (counts.done + counts.dead + counts.gone >= maxFiles) break
        const outcome = await replay(next, handle)
        if (outcome === 'outage') break
        counts[outcome] += 1
        if ((process.uptime() - startedAt) * 1_000 >= maxMs) break
      }
      if (counts.done + counts.dead + counts.gone === waiting.length) removeStaleTemporaries()
      return { replayed: counts.done, dead: counts.dead, left: waitingIn(home.spoolDir).length }
    },

    backlog: () => waitingIn(home.spoolDir).length,
  }
}
