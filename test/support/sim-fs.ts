import { dirname } from 'node:path'
import type { DurableFs } from '../../src/platform/files/atomic-file.ts'

interface SimFile {
  bytes: number[]
  /** What the disk holds for certain. */
  synced: number[]
}

export interface SimFs {
  /** A file that has been there, durably, all along. */
  put(path: string, text: string): void
  /** The same file system, which loses power (throws) after so many calls. */
  crashingAfter(calls: number): DurableFs
  /** What is there when power returns: anything not fsynced may or may not have made it. */
  afterPowerLoss(): ReadonlyMap<string, string>
}

/** A disk that keeps only what was asked of it: file bytes after fsync, names after fsync of their folder. */
export function createSimFs(seed: number): SimFs {
  let state = seed | 0
  const coin = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 16) % 2 === 0
  }
  const names = new Map<string, SimFile>()
  const durableNames = new Map<string, SimFile>()
  /** Changes of names not yet fsynced, per folder, in order. */
  const pending: { dir: string; apply: () => void }[] = []
  const open: (SimFile | undefined)[] = []

  function fileOf(fd: number): SimFile {
    const file = open[fd]
    if (file === undefined) throw new Error('EBADF')
    return file
  }

  function rename(path: string, apply: (of: Map<string, SimFile>) => void): void {
    apply(names)
    pending.push({ dir: dirname(path), apply: () => apply(durableNames) })
  }

  return {
    put(path, text) {
      const bytes = [...Buffer.from(text)]
      const file = { bytes, synced: bytes }
      names.set(path, file)
      durableNames.set(path, file)
    },
    crashingAfter(calls) {
      let left = calls
      const step = <A extends readonly unknown[], R>(call: (...args: A) => R) => {
        return (...args: A): R => {
          if (left <= 0) throw new Error('power lost')
          left -= 1
          return call(...args)
        }
      }
      return {
        create: step((path: string) => {
          if (names.has(path)) throw new Error('EEXIST')
          const file: SimFile = { bytes: [], synced: [] }
          rename(path, (of) => of.set(path, file))
          return open.push(file) - 1
        }),
        write: step((fd: number, bytes: Uint8Array, offset: number) => {
          const part = bytes.subarray(offset, offset + 3)
          fileOf(fd).bytes = [...fileOf(fd).bytes, ...part]
          return part.length
        }),
        fsync: step((fd: number) => {
          fileOf(fd).synced = fileOf(fd).bytes
        }),
        close: step((fd: number) => {
          open[fd] = undefined
        }),
        rename: step((from: string, to: string) => {
          const file = names.get(from)
          if (file === undefined) throw new Error('ENOENT')
          rename(to, (of) => {
            of.delete(from)
            of.set(to, file)
          })
        }),
        unlink: step((path: string) => rename(path, (of) => of.delete(path))),
        fsyncDir: step((path: string) => {
          for (const change of pending.splice(0)) if (change.dir === path) change.apply()
        }),
      }
    },
    afterPowerLoss() {
      // A journal keeps the order of names: some first part of the pending changes made it.
      for (const change of pending.splice(0)) {
        if (!coin()) break
        change.apply()
      }
      return new Map(
        [...durableNames].map(([path, file]) => [path, Buffer.from(coin() ? file.bytes : file.synced).toString()]),
      )
    },
  }
}
