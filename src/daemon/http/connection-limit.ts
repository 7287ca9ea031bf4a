import type { Socket } from 'node:net'

export interface ConnectionLimits {
  /** Connections that nobody has shown a credential on; beyond it the oldest idle ones go. */
  readonly unknown: number
  /** Beyond it they go at once, however young. */
  readonly unknownAtMost: number
  /** How long a new connection has to send its request before it can be taken for an idle one. */
  readonly graceMs: number
}

const LIMITS: ConnectionLimits = { unknown: 256, unknownAtMost: 1_024, graceMs: 250 }

export interface ConnectionLimit {
  /** A new connection. */
  admit(socket: Socket): void
  /** A request on it is under way until the returned function is called. */
  occupy(socket: Socket): () => void
  /** A request on it carried a credential: it no longer counts. */
  trust(socket: Socket): void
  /** Connections without a credential. */
  readonly unknown: number
}

/**
 * Any user of this machine can connect to a loopback port, so connections without a credential make room for each other and never
 * take it from those with one. The oldest idle one goes first: whoever means to send a request has sent it by then.
 *
 * The uid behind a connection (/proc/net/tcp) decides nothing: a container or root may rightly come as another user with the
 * token, and reading that table for every connection costs more than a flood of idle ones does.
 */
export function createConnectionLimit(monotonicMs: () => number, limits: ConnectionLimits = LIMITS): ConnectionLimit {
  /** Since when, oldest first. */
  const unknown = new Map<Socket, number>()
  const busy = new Set<Socket>()
  let sweeping: NodeJS.Timeout | undefined

  function drop(socket: Socket): void {
    unknown.delete(socket)
    socket.destroy()
  }

  /** The oldest that waits for nothing; when all are at work, the oldest. */
  function oldest(): Socket | undefined {
    for (const socket of unknown.keys()) if (!busy.has(socket)) return socket
    return unknown.keys().next().value
  }

  function sweep(): void {
    sweeping = undefined
    const youngestMs = monotonicMs() - limits.graceMs
    for (const [socket, sinceMs] of [...unknown]) {
      if (unknown.size <= limits.unknown || sinceMs > youngestMs) break
      if (!busy.has(socket)) drop(socket)
    }
    if (unknown.size > limits.unknown) sweepSoon()
  }

  function sweepSoon(): void {
    sweeping ??= setTimeout(sweep, limits.graceMs).unref()
  }

  return {
    admit(socket) {
      unknown.set(socket, monotonicMs())
      socket.once('close', () => unknown.delete(socket))
      if (unknown.size > limits.unknown) sweepSoon()
      const victim = unknown.size > limits.unknownAtMost ? oldest() : undefined
      if (victim !== undefined) drop(victim)
    },
    occupy(socket) {
      busy.add(socket)
      return () => busy.delete(socket)
    },
    trust: (socket) => unknown.delete(socket),
    get unknown() {
      return unknown.size
    },
  }
}
