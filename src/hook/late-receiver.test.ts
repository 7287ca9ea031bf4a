import { once } from 'node:events'
import { existsSync, mkdirSync, statSync, utimesSync } from 'node:fs'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rememberingLog } from '../../test/support/recording-log.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import { resolveHome } from '../platform/base/home.ts'
import { writeLateFile } from '../platform/launcher-file.ts'
import type { HookCall } from './deliver.ts'
import { openLateReceiver } from './late-receiver.ts'

const HOOK = '/hook/claude-code/Stop'
const PAYLOAD = JSON.stringify({ session_id: 's', cwd: '/tmp' })

async function opened(isKept = true) {
  const dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: join(dir.path, 'home') })
  mkdirSync(home.runDir, { recursive: true })
  const calls: HookCall[] = []
  const receiver = await openLateReceiver({
    home,
    log: rememberingLog(),
    spoolCall: async (call) => {
      calls.push(call)
      return isKept
    },
  })
  const post = (path: string, body: string, headers: Readonly<Record<string, string>>, socketPath?: string) =>
    new Promise<number>((resolve, reject) => {
      const where = socketPath === undefined ? { host: '127.0.0.1', port: receiver.port } : { socketPath }
      request({ ...where, path, method: 'POST', headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      })
        .on('error', reject)
        .end(body)
    })
  return {
    home,
    calls,
    receiver,
    post,
    allowed: { authorization: `Bearer ${receiver.token}` },
    async [Symbol.asyncDispose]() {
      await receiver.close()
      dir[Symbol.dispose]()
    },
  }
}

test('a call is kept under its own id before it is answered', async () => {
  await using at = await opened()
  const headers = { ...at.allowed, 'holdfast-event-id': 'event-0001', 'holdfast-pid': '42' }
  expect(await at.post(HOOK, PAYLOAD, headers)).toBe(200)
  expect(at.calls).toMatchObject([{ harness: 'claude-code', hook: 'Stop', eventId: 'event-0001', pid: 42 }])
  expect([at.calls[0]?.body.toString('utf8'), at.receiver.taken]).toEqual([PAYLOAD, 1])
})

test('what was not kept is said, so that its launcher keeps it', async () => {
  await using at = await opened(false)
  expect([await at.post(HOOK, PAYLOAD, at.allowed), at.receiver.taken]).toEqual([503, 0])
})

test('nobody is heard over TCP without the token of this stand-in', async () => {
  await using at = await opened()
  for (const authorization of ['', 'Bearer ', `Bearer ${'x'.repeat(at.receiver.token.length)}`])
    expect(await at.post(HOOK, PAYLOAD, { authorization })).toBe(401)
  expect(at.calls).toEqual([])
})

test('the socket is open to its owner alone, who needs no token', async () => {
  await using at = await opened()
  expect(statSync(at.receiver.socket).mode & 0o077).toBe(0)
  expect(await at.post(HOOK, PAYLOAD, {}, at.receiver.socket)).toBe(200)
})

test.each([
  ['garbage', '{"cwd":'],
  ['no folder', '{"session_id":"s"}'],
  ['a folder that is relative', '{"cwd":"here"}'],
])('a payload with %s is left to the Node client, which knows the env files of its own folder', async (_, body) => {
  await using at = await opened()
  expect([await at.post(HOOK, body, at.allowed), at.calls]).toEqual([503, []])
})

test('of two at once, the end of one leaves the socket of the other', async () => {
  await using at = await opened()
  const other = await openLateReceiver({ home: at.home, log: rememberingLog(), spoolCall: async () => true })
  expect(await at.post(HOOK, PAYLOAD, {}, at.receiver.socket)).toBe(200)
  await other.close()
  expect(await at.post(HOOK, PAYLOAD, {}, at.receiver.socket)).toBe(200)
  expect([existsSync(other.socket), other.socket.length]).toEqual([false, at.home.socket.length])
})

test('a socket that a killed one left behind is removed, one that is in use or named is not', async () => {
  await using at = await opened()
  const socket = (suffix: string) => `${at.home.lateSocketPrefix}${suffix}`
  const servers = await Promise.all(
    ['old', 'new', 'use'].map(async (suffix) => {
      const server = createServer().listen(socket(suffix))
      await once(server, 'listening')
      return server
    }),
  )
  for (const suffix of ['old', 'use']) utimesSync(socket(suffix), 0, 0)
  const { port, token } = at.receiver
  const target = { port, hookToken: token, pid: process.pid, nodePath: process.execPath, socket: socket('use') }
  writeLateFile(at.home, target)
  const other = await openLateReceiver({ home: at.home, log: rememberingLog(), spoolCall: async () => true })
  expect(['old', 'new', 'use'].map((suffix) => existsSync(socket(suffix)))).toEqual([false, true, true])
  await other.close()
  for (const server of servers) server.close()
})

test('a connection on which nothing is sent does not keep it open', async () => {
  await using at = await opened()
  const strangers = [connect(at.receiver.port, '127.0.0.1'), connect(at.receiver.socket)]
  await Promise.all(strangers.map((stranger) => once(stranger, 'connect')))
  // An answer to a later caller shows that the server has accepted the earlier ones.
  expect(await at.post(HOOK, PAYLOAD, at.allowed)).toBe(200)
  expect(await at.post(HOOK, PAYLOAD, {}, at.receiver.socket)).toBe(200)
  const closed = strangers.map((stranger) => once(stranger.resume(), 'close'))
  await at.receiver.close()
  await Promise.all(closed)
})

test('other paths and payloads that no hook may send are refused', async () => {
  await using at = await opened()
  expect(await at.post('/api/events', PAYLOAD, at.allowed)).toBe(404)
  expect(await at.post(HOOK, 'x'.repeat(1_000_001), at.allowed)).toBe(413)
  expect(at.calls).toEqual([])
})
