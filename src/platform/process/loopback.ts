import { connect } from 'node:net'
import type { Loopback } from '../../kernel/ports/ports.ts'

const TIMEOUT_MS = 150
const HOSTS = ['127.0.0.1', '::1'] as const

/** Undefined if neither a connection nor a refusal came in time. */
function canConnect(host: string, port: number): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const finish = (answer: boolean | undefined) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(TIMEOUT_MS, () => finish(undefined))
    socket.once('connect', () => finish(true))
    // EADDRNOTAVAIL: a machine without IPv6 has nothing that listens there.
    socket.once('error', (error: NodeJS.ErrnoException) =>
      finish(error.code === 'ECONNREFUSED' || error.code === 'EADDRNOTAVAIL' ? false : undefined),
    )
  })
}

export const systemLoopback: Loopback = {
  async isListening(port) {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined
    const answers = await Promise.all(HOSTS.map((host) => canConnect(host, port)))
    return answers.includes(true) ? true : answers.every((answer) => answer === false) ? false : undefined
  },
}
