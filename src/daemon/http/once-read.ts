import type { ServerResponse } from 'node:http'

/** Linux resets a connection that is closed with bytes unread; elsewhere that may look like any other end. */
export function hearsOfUnread({ shouldKeepAlive }: ServerResponse): boolean {
  return process.platform === 'linux' && !shouldKeepAlive
}

/**
 * Calls back once the caller has read the whole answer and closed the connection; never, if it gave up before. For a caller
 * that wants the connection closed. Call it before the answer is sent.
 */
export function onceRead(outgoing: ServerResponse, read: () => void): void {
  // Else Node closes both directions with the last byte, and nobody hears what became of it.
  outgoing.shouldKeepAlive = true
  // Taken now: an answer that is finished has none any more.
  const { socket } = outgoing
  outgoing.once('finish', () => {
    socket?.once('close', (hadError) => {
      if (!hadError) read()
    })
    socket?.end()
  })
}
