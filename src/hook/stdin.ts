import { constants, fstatSync, openSync, readSync } from 'node:fs'
import { Socket } from 'node:net'

export interface StdinLimits {
  readonly fd: number
  readonly maxBytes: number
  /** From now; what has arrived by then is all there is. */
  readonly deadlineMs: number
}

export interface Stdin {
  readonly bytes: Buffer
  /** More was sent than may be kept; `bytes` is then only its beginning. */
  readonly isTooLarge: boolean
  /** The sender never said that it was done. */
  readonly isCutOff: boolean
}

/** Rounds of the event loop in which what has arrived already is read, each piece and then the end. */
const LAST_TURNS = 50

const NOTHING: Stdin = { bytes: Buffer.alloc(0), isTooLarge: false, isCutOff: false }

/** Compiling `concat` is a noticeable part of a hook's life, and a payload is nearly always in one piece. */
function joined(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

function readToEnd(fd: number, maxBytes: number): Stdin {
  const chunks: Buffer[] = []
  let size = 0
  while (size <= maxBytes) {
    const chunk = Buffer.allocUnsafe(65_536)
    const count = readSync(fd, chunk, 0, chunk.length, null)
    if (count === 0) break
    chunks.push(chunk.subarray(0, count))
    size += count
  }
  return { bytes: joined(chunks).subarray(0, maxBytes), isTooLarge: size > maxBytes, isCutOff: false }
}

interface Ready {
  readonly chunks: readonly Buffer[]
  readonly isOver: boolean
}

/**
 * What has arrived already, without waiting. By the time Node is up that is nearly always everything, and a stream for it would
 * cost 2 ms. A new description of the same pipe can be made non-blocking without the sender noticing; only Linux has that.
 */
function readReady(fd: number, maxBytes: number): Ready {
  const chunks: Buffer[] = []
  if (process.platform !== 'linux') return { chunks, isOver: false }
  try {
    const again = openSync(`/proc/self/fd/${fd}`, constants.O_RDONLY | constants.O_NONBLOCK)
    for (let size = 0; size <= maxBytes; ) {
      const chunk = Buffer.allocUnsafe(65_536)
      const count = readSync(again, chunk, 0, chunk.length, null)
      if (count === 0) return { chunks, isOver: true }
      chunks.push(chunk.subarray(0, count))
      size += count
    }
  } catch {
    // EAGAIN: the rest is still to come. ENXIO: a socket, which cannot be opened again.
  }
  return { chunks, isOver: false }
}

/** Goes on reading past the limit without keeping, so that a sender is not cut off in the middle of a write. */
function readStream({ fd, maxBytes, deadlineMs }: StdinLimits, ready: readonly Buffer[]): Promise<Stdin> {
  return new Promise((resolve) => {
    const socket = new Socket({ fd, readable: true, writable: false })
    const chunks = [...ready]
    let size = ready.reduce((sum, chunk) => sum + chunk.length, 0)
    const settle = (isCutOff: boolean) => {
      clearTimeout(timer)
      resolve({ bytes: Buffer.concat(chunks).subarray(0, maxBytes), isTooLarge: size > maxBytes, isCutOff })
    }
    // A process that had no time to run finds its deadline and the payload waiting together: the payload is looked at first.
    const expire = (turns: number): void => void setImmediate(() => (turns === 0 ? settle(true) : expire(turns - 1)))
    const timer = setTimeout(() => expire(LAST_TURNS), deadlineMs)
    socket.on('data', (chunk) => {
      if (size < maxBytes) chunks.push(chunk)
      size += chunk.length
    })
    socket.on('end', () => settle(false))
    socket.on('error', () => settle(true))
  })
}

/** What the harness wrote, whatever kind of thing our stdin is; nothing when it is closed or a terminal. */
export async function readStdin(limits: StdinLimits): Promise<Stdin> {
  try {
    const facts = fstatSync(limits.fd)
    // By the descriptor itself: opened again, a file would begin anew, and the launcher may have read a part of it.
    if (facts.isFile()) return readToEnd(limits.fd, limits.maxBytes)
    if (!facts.isFIFO() && !facts.isSocket()) return NOTHING
    const { chunks, isOver } = readReady(limits.fd, limits.maxBytes)
    if (isOver) return { bytes: joined(chunks), isTooLarge: false, isCutOff: false }
    return await readStream(limits, chunks)
  } catch {
    // EBADF: the host started us without one.
    return NOTHING
  }
}
