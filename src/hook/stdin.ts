import { constants, fstatSync, openSync, readSync } from 'node:fs'
import { Socket } from 'node:net'

export interface StdinLimits {
  readonly fd: number
  readonly maxBytes: number
  /** From now; later input is not read. */
  readonly deadlineMs: number
}

export interface Stdin {
  readonly bytes: Buffer
  /** More was sent than the limit; `bytes` is only the beginning. */
  readonly isTooLarge: boolean
  /** The sender did not close its end. */
  readonly isCutOff: boolean
}

/** Turns of the event loop in which input that has already arrived is still read. */
const LAST_TURNS = 50

const EMPTY_STDIN: Stdin = { bytes: Buffer.alloc(0), isTooLarge: false, isCutOff: false }

/** Compiling `concat` takes a noticeable part of a hook's time, and a payload is nearly always one chunk. */
function joinChunks(chunks: readonly Buffer[]): Buffer {
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
  return { bytes: joinChunks(chunks).subarray(0, maxBytes), isTooLarge: size > maxBytes, isCutOff: false }
}

interface ReadyInput {
  readonly chunks: readonly Buffer[]
  readonly isOver: boolean
}

/**
 * Reads what has already arrived, without waiting. Once Node is up that is nearly always everything, and a stream would cost
 * 2 ms. On Linux the same pipe can be opened again as non-blocking without an effect on the sender.
 */
function readReady(fd: number, maxBytes: number): ReadyInput {
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

/** Reads and discards what exceeds the limit, so that the sender's write does not fail. */
function readStream({ fd, maxBytes, deadlineMs }: StdinLimits, ready: readonly Buffer[]): Promise<Stdin> {
  return new Promise((resolve) => {
    const socket = new Socket({ fd, readable: true, writable: false })
    const chunks = [...ready]
    let size = ready.reduce((sum, chunk) => sum + chunk.length, 0)
    const settle = (isCutOff: boolean) => {
      clearTimeout(timer)
      resolve({ bytes: Buffer.concat(chunks).subarray(0, maxBytes), isTooLarge: size > maxBytes, isCutOff })
    }
    // A process that got no CPU time finds deadline and payload at once; the payload is read first.
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

/** The payload, whether stdin is a file, a pipe or a socket; empty when it is closed or a terminal. */
export async function readStdin(limits: StdinLimits): Promise<Stdin> {
  try {
    const facts = fstatSync(limits.fd)
    // By the descriptor itself: an opened copy would start at the beginning, and the launcher may have read a part.
    if (facts.isFile()) return readToEnd(limits.fd, limits.maxBytes)
    if (!facts.isFIFO() && !facts.isSocket()) return EMPTY_STDIN
    const { chunks, isOver } = readReady(limits.fd, limits.maxBytes)
    if (isOver) return { bytes: joinChunks(chunks), isTooLarge: false, isCutOff: false }
    return await readStream(limits, chunks)
  } catch {
    // EBADF: the harness started the hook without stdin.
    return EMPTY_STDIN
  }
}
