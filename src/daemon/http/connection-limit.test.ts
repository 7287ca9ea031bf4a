import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import type { Clock } from '../../kernel/ports/ports.ts'
import { systemClock } from '../../platform/base/clock.ts'
import { createConnectionLimit } from './listen.ts'
import { startDaemon } from '../start.ts'
import {
  daemonOptions,
  fakeClock,
  type RawReply,
  requestBytes,
  sendRaw,
  temporaryHome,
} from '../../../test/support/daemon-setup.ts'

const open = new Set<Socket>()
afterEach(() => {
  for (const socket of open) socket.destroy()
  open.clear()
})

/** More at once overflow the queue of the kernel: a client then believes in a connection that the daemon never gets. */
const AT_ONCE = 200

/** Connections that are made and then say nothing, as any user of the machine can make them. */
async function idleConnections(port: number, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - sockets.length) }, () => {
      const socket = connect({ host: '127.0.0.1', port })
      // Dropped by the daemon: that is the point.
      socket.on('error', () => undefined)
      open.add(socket)
      return socket
    })
    await Promise.all(
      batch.map(
        (socket) => new Promise<void>((resolve) => socket.once('connect', resolve).once('close', () => resolve())),
      ),
    )
    sockets.push(...batch)
  }
  return sockets
}

async function aDaemon(clock: Clock = systemClock) {
  const place = temporaryHome()
  const result = await startDaemon(daemonOptions(place.home, { clock }))
  if (result.kind !== 'started') throw new Error('Another daemon runs.')
  const { port } = result.daemon.endpoint
  const hookToken = readFileSync(place.home.hookTokenFile, 'utf8').trim()
  const apiToken = readFileSync(place.home.tokenFile, 'utf8').trim()
  const host: readonly [string, string] = ['Host', `127.0.0.1:${port}`]
  const json: readonly [string, string] = ['Content-Type', 'application/json']
  return {
    port,
    /** As Claude Code calls an HTTP hook. */
    hook: (): Promise<RawReply> =>
      sendRaw(
        { port },
        requestBytes({
          method: 'POST',
          target: '/hook/claude-code/UserPromptSubmit',
          headers: [host, json, ['Authorization', `Bearer ${hookToken}`]],
          body: JSON.stringify({ session_id: 's', hook_event_name: 'UserPromptSubmit', cwd: '/', prompt: 'hi' }),
        }),
      ),
    anonymous: (target: string): Promise<RawReply> => sendRaw({ port }, requestBytes({ target, headers: [host] })),
    async newLink(): Promise<string> {
      const headers = [host, json, ['Authorization', `Bearer ${apiToken}`] as const]
      const reply = await sendRaw(
        { port },
        requestBytes({ method: 'POST', target: '/api/login-codes', headers, body: '{}' }),
      )
      return `/login?code=${String(Object(JSON.parse(reply.body)).code)}`
    },
    async [Symbol.asyncDispose]() {
      await result.daemon.stop('the test is over')
      await place[Symbol.asyncDispose]()
    },
  }
}

test('1,200 idle connections keep neither hooks nor a login out, and the oldest of them are dropped', async () => {
  await using daemon = await aDaemon()
  const link = await daemon.newLink()
  const sockets = await idleConnections(daemon.port, 1_200)
  for (let n = 0; n < 20; n += 1) expect((await daemon.hook()).status).toBe(200)
  expect((await daemon.anonymous(link)).status).toBe(303)
  await vi.waitFor(() => expect(sockets.filter((socket) => !socket.closed).length).toBeLessThanOrEqual(256), 60_000)
  expect(sockets[0]?.closed).toBe(true)
}, 90_000)

test('connections without a credential that keep coming do not take the room of those with one', async () => {
  await using daemon = await aDaemon()
  const flood = { isOn: true }
  const flooding = (async () => {
    while (flood.isOn) await idleConnections(daemon.port, 100)
  })()
  const statuses: number[] = []
  for (let n = 0; n < 20; n += 1) statuses.push((await daemon.hook()).status)
  flood.isOn = false
  await flooding
  expect(statuses).toEqual(Array.from({ length: 20 }, () => 200))
}, 30_000)

test('a flood of anonymous requests does not lock the owner out: their code has room of its own', async () => {
  // Time stands still: what the flood used up does not come back.
  await using daemon = await aDaemon(fakeClock())
  const link = await daemon.newLink()
  const statuses: number[] = []
  for (let n = 0; n < 120; n += 1)
    statuses.push((await daemon.anonymous(n % 2 === 0 ? '/login?code=guess' : '/')).status)
  // Control: the flood is one, and guesses get nowhere.
  expect(new Set(statuses)).toEqual(new Set([401, 429]))
  expect((await daemon.anonymous('/')).status).toBe(429)
  expect((await daemon.anonymous(link)).status).toBe(303)
  expect((await daemon.anonymous(link)).status).toBe(429)
}, 30_000)

class FakeSocket extends EventEmitter {
  isGone = false
  destroy(): this {
    this.isGone = true
    this.emit('close')
    return this
  }
}
const isSocket = (value: object): value is Socket => value instanceof FakeSocket
function aSocket(): Socket & { readonly isGone: boolean } {
  const socket = new FakeSocket()
  if (!isSocket(socket)) throw new Error('unreachable')
  return Object.assign(socket, {})
}

test('the oldest idle one goes, and none that is at work, new, or has shown a credential', () => {
  vi.useFakeTimers()
  try {
    let nowMs = 0
    const limit = createConnectionLimit(() => nowMs, { unknown: 2, unknownAtMost: 6, graceMs: 100 })
    const sockets = Array.from({ length: 6 }, aSocket)
    const gone = () => sockets.map(({ isGone }) => isGone)
    for (const socket of sockets.slice(0, 4)) limit.admit(socket)
    if (sockets[0] !== undefined) limit.trust(sockets[0])
    const leave = limit.occupy(sockets[1] ?? aSocket())
    nowMs = 50
    vi.advanceTimersByTime(100)
    expect(gone()).toEqual([false, false, false, false, false, false])
    nowMs = 150
    vi.advanceTimersByTime(100)
    expect(gone()).toEqual([false, false, true, false, false, false])
    expect(limit.unknown).toBe(2)
    leave()
    for (const socket of sockets.slice(4)) limit.admit(socket)
    nowMs = 260
    vi.advanceTimersByTime(100)
    expect(gone()).toEqual([false, true, true, true, false, false])
    // The last resort does not wait.
    const many = Array.from({ length: 5 }, aSocket)
    for (const socket of many) limit.admit(socket)
    expect(gone()).toEqual([false, true, true, true, true, false])
    expect(limit.unknown).toBe(6)
  } finally {
    vi.useRealTimers()
  }
})
