import { once } from 'node:events'
import { mkdirSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rememberingLog } from '../../test/support/remembering-log.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import { homeOf } from '../platform/home.ts'
import type { HookCall } from './call.ts'
import { openLateReceiver } from './late-receiver.ts'

const HOOK = '/hook/claude-code/Stop'
const PAYLOAD = JSON.stringify({ session_id: 's', cwd: '/tmp' })

async function opened(isKept = true) {
  const dir = tempDir()
  const home = homeOf({ HOLDFAST_HOME: join(dir.path, 'home') })
  mkdirSync(home.runDir, { recursive: true })
  const calls: HookCall[] = []
  const receiver = await openLateReceiver({
    home,
    log: rememberingLog(),
    keep: async (call) => {
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
  expect(statSync(at.home.lateSocket).mode & 0o077).toBe(0)
  expect(await at.post(HOOK, PAYLOAD, {}, at.home.lateSocket)).toBe(200)
})

test.each([
  ['garbage', '{"cwd":'],
  ['no folder', '{"session_id":"s"}'],
  ['a folder that is relative', '{"cwd":"here"}'],
])('a payload with %s is left to the Node client, which knows the env files of its own folder', async (_, body) => {
  await using at = await opened()
  expect([await at.post(HOOK, body, at.allowed), at.calls]).toEqual([503, []])
})

test('a connection on which nothing is sent does not keep it open', async () => {
  await using at = await opened()
  const strangers = [connect(at.receiver.port, '127.0.0.1'), connect(at.home.lateSocket)]
  await Promise.all(strangers.map((stranger) => once(stranger, 'connect')))
  // An answer to a later caller shows that the server has accepted the earlier ones.
  expect(await at.post(HOOK, PAYLOAD, at.allowed)).toBe(200)
  expect(await at.post(HOOK, PAYLOAD, {}, at.home.lateSocket)).toBe(200)
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
