import { fstatSync, readSync } from 'node:fs'
import { Socket } from 'node:net'

export interface StdinLimits {
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

const NOTHING: Stdin = { bytes: Buffer.alloc(0), isTooLarge: false, isCutOff: false }

function readFile(maxBytes: number): Stdin {
  const buffer = Buffer.allocUnsafe(maxBytes + 1)
  let size = 0
  while (size < buffer.length) {
    const count = readSync(0, buffer, size, buffer.length - size, null)
    if (count === 0) break
    size += count
  }
  return { bytes: buffer.subarray(0, Math.min(size, maxBytes)), isTooLarge: size > maxBytes, isCutOff: false }
}

/** Goes on reading past the limit without keeping, so that a sender is not cut off in the middle of a write. */
function readPipe({ maxBytes, deadlineMs }: StdinLimits): Promise<Stdin> {
  return new Promise((resolve) => {
    const socket = new Socket({ fd: 0, readable: true, writable: false })
    const chunks: Buffer[] = []
    let size = 0
    const settle = (isCutOff: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ bytes: Buffer.concat(chunks).subarray(0, maxBytes), isTooLarge: size > maxBytes, isCutOff })
    }
    const timer = setTimeout(() => settle(true), deadlineMs)
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
    const facts = fstatSync(0)
    if (facts.isFIFO() || facts.isSocket()) return await readPipe(limits)
    return facts.isFile() ? readFile(limits.maxBytes) : NOTHING
  } catch {
    // EBADF: the host started us without one.
    return NOTHING
  }
}
