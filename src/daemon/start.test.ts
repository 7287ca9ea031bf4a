import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../kernel/config.ts'
import type { Home } from '../platform/base/home.ts'
import { HEADER } from '../wire/headers.ts'
import { HealthReply } from '../wire/daemon.ts'
import { findEndpoint } from './http/endpoint.ts'
import { type DaemonOptions, type RunningDaemon, startDaemon } from './start.ts'
import {
  aStart,
  daemonOptions,
  FAKE_SECRET,
  fakeBackend,
  fakeClock,
  fakeContinuityApp,
  memoryLog,
  requestBytes,
  type RequestParts,
  sendRaw,
  temporaryHome,
} from '../../test/support/daemon-setup.ts'

const never = () => new Promise<never>(() => undefined)
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const tokenIn = (file: string) => readFileSync(file, 'utf8').trim()

async function start(home: Home, more: Partial<DaemonOptions> = {}): Promise<RunningDaemon & AsyncDisposable> {
  const result = await startDaemon(daemonOptions(home, more))
  if (result.kind !== 'started') throw new Error('Another daemon runs.')
  const { daemon } = result
  return Object.assign(daemon, { [Symbol.asyncDispose]: () => daemon.stop('the test is over') })
}

function overTcp(daemon: RunningDaemon, home: Home, parts: RequestParts) {
  const { port } = daemon.endpoint
  const headers = [
    ['Host', `127.0.0.1:${port}`] as const,
    ['Authorization', `Bearer ${tokenIn(home.tokenFile)}`] as const,
  ]
  return sendRaw({ port }, requestBytes({ ...parts, headers: [...headers, ...(parts.headers ?? [])] }))
}

function overSocket(home: Home, parts: RequestParts) {
  const headers = [['Host', 'localhost'] as const, ['Content-Type', 'application/json'] as const]
  return sendRaw({ path: home.socket }, requestBytes({ ...parts, headers: [...headers, ...(parts.headers ?? [])] }))
}

test('nothing that the daemon makes is for other users, whatever the umask', async () => {
  await using place = temporaryHome()
  const { home } = place
  const before = process.umask(0)
  try {
    await using daemon = await start(home)
    const folders = [home.root, home.runDir, home.logDir, home.spoolDir]
    const files = [home.tokenFile, home.hookTokenFile, home.endpointFile, home.launcherFile, home.socket]
    expect(folders.map(modeOf)).toEqual(folders.map(() => '700'))
    expect(files.map(modeOf)).toEqual(files.map(() => '600'))
    expect(findEndpoint(home)).toEqual(daemon.endpoint)
  } finally {
    process.umask(before)
  }
})

test('a second daemon finds the first and leaves it alone', async () => {
  await using place = temporaryHome()
  const { home } = place
  await using first = await start(home)
  const results = await Promise.all(Array.from({ length: 5 }, () => startDaemon(daemonOptions(home))))
  expect(results).toEqual(results.map(() => ({ kind: 'already-running', endpoint: first.endpoint })))
  expect((await overSocket(home, { target: '/api/health' })).status).toBe(200)
})

test('after a stop nothing is left behind, and the next daemon starts with the same tokens', async () => {
  await using place = temporaryHome()
  const { home } = place
  const first = await start(home)
  const tokens = [tokenIn(home.tokenFile), tokenIn(home.hookTokenFile)]
  await first.stop('test')
  await first.stopped
  expect([home.socket, home.endpointFile, home.launcherFile].filter((path) => existsSync(path))).toEqual([])
  await using _second = await start(home)
  expect([tokenIn(home.tokenFile), tokenIn(home.hookTokenFile)]).toEqual(tokens)
})

test('a socket left behind by a killed daemon is replaced', async () => {
  await using place = temporaryHome()
  const { home } = place
  await (await start(home)).stop('test')
  // A child that binds the socket and dies without a word leaves the file, as kill -9 does.
  const { spawnSync } = await import('node:child_process')
  spawnSync(process.execPath, [
    '-e',
    `require('net').createServer().listen(${JSON.stringify(home.socket)}, () => process.kill(process.pid, 'SIGKILL'))`,
  ])
  expect(existsSync(home.socket)).toBe(true)
  await using _daemon = await start(home)
  expect((await overSocket(home, { target: '/api/health' })).status).toBe(200)
})

test('a configured port that another program has is left to it', async () => {
  await using place = temporaryHome()
  const foreign = createServer().listen(0, '127.0.0.1')
  await once(foreign, 'listening')
  const address = foreign.address()
  const taken = typeof address === 'object' && address !== null ? address.port : 0
  try {
    const log = memoryLog()
    const config = { ...DEFAULT_CONFIG, daemon: { ...DEFAULT_CONFIG.daemon, port: taken } }
    await using daemon = await start(place.home, { config, log })
    expect(daemon.endpoint.port).not.toBe(taken)
    expect(log.lines.filter((line) => line.includes('port taken'))).toHaveLength(1)
    expect((await overTcp(daemon, place.home, { target: '/api/counts' })).status).toBe(200)
  } finally {
    foreign.close()
  }
})

test('health answers while the store hangs, and says so', async () => {
  await using place = temporaryHome()
  const { home } = place
  const clock = fakeClock()
  const engine = fakeContinuityApp({ counts: never, listSessions: never, listCheckpoints: never })
  const openBackend = async () => fakeBackend(engine, { lastSeq: never })
  await using daemon = await start(home, { openApp: openBackend, clock })
  const health = async () => HealthReply.parse(JSON.parse((await overSocket(home, { target: '/api/health' })).body))
  expect(await health()).toMatchObject({ status: 'degraded', store: 'slow', nonce: daemon.endpoint.nonce })
  clock.advance(6_000)
  expect(await health()).toMatchObject({ status: 'degraded', store: 'unavailable', uptimeMs: 6_000 })
  const page = await overSocket(home, { target: '/' })
  expect(page.body).toContain('The store does not answer')
})

test('the nonce is for callers with a credential only', async () => {
  await using place = temporaryHome()
  await using daemon = await start(place.home)
  const { port, nonce } = daemon.endpoint
  const anonymous = await sendRaw(
    { port },
    requestBytes({ target: '/api/health', headers: [['Host', `localhost:${port}`]] }),
  )
  expect(anonymous.status).toBe(200)
  expect(anonymous.body).not.toContain(nonce)
  expect((await overTcp(daemon, place.home, { target: '/api/health' })).body).toContain(nonce)
})

test('a daemon that was late and is awake again calls the launchers back', async () => {
  await using place = temporaryHome()
  const clock = fakeClock()
  await using daemon = await start(place.home, { clock })
  writeFileSync(place.home.lateFile, '')
  clock.advance(5_000)
  await daemon.tick()
  expect(existsSync(place.home.lateFile)).toBe(false)
})

test('a daemon whose program was replaced makes way for the new one, live sessions or not', async () => {
  await using place = temporaryHome()
  const clock = fakeClock()
  let isCurrent = true
  const engine = fakeContinuityApp({ liveSessions: async () => 1 })
  const openBackend = async () => fakeBackend(engine)
  await using daemon = await start(place.home, { clock, openApp: openBackend, isCurrent: () => isCurrent })
  const after = async (ms: number) => {
    clock.advance(ms)
    await daemon.tick()
    return existsSync(place.home.endpointFile)
  }
  expect(await after(60_000)).toBe(true)
  isCurrent = false
  expect(await after(59_000)).toBe(true)
  await after(1_000)
  await daemon.stopped
  expect(existsSync(place.home.endpointFile)).toBe(false)
})

test('the daemon leaves after the idle time, not while a session lives or somebody uses it', async () => {
  await using place = temporaryHome()
  const { home } = place
  const clock = fakeClock()
  let live = 1
  const engine = fakeContinuityApp({ liveSessions: async () => live })
  const daemon = await start(home, { clock, openApp: async () => fakeBackend(engine) })
  let hasStopped = false
  void daemon.stopped.then(() => {
    hasStopped = true
  })
  const wait = async (minutes: number) => {
    clock.advance(minutes * 60_000)
    await daemon.tick()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await wait(60)
  live = 0
  await wait(14)
  await overSocket(home, { target: '/api/counts' })
  await wait(14)
  // Looking in on its health is not using it.
  await overSocket(home, { target: '/api/health' })
  expect(hasStopped).toBe(false)
  await wait(2)
  await daemon.stopped
  expect(existsSync(home.socket)).toBe(false)
})

test('a shutdown waits for nothing longer than its limit', async () => {
  await using place = temporaryHome()
  const { home } = place
  const log = memoryLog()
  const engine = fakeContinuityApp({ drain: never, counts: never })
  const openBackend = async () => ({ ...fakeBackend(engine), close: never })
  const daemon = await start(home, { openApp: openBackend, log, shutdownLimitMs: 50 })
  const hanging = overSocket(home, { target: '/api/counts' }).catch(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, 20))
  await daemon.stop('test')
  await hanging
  expect(log.lines.filter((line) => line.includes('is late')).length).toBeGreaterThan(0)
  expect([home.socket, home.endpointFile].filter((path) => existsSync(path))).toEqual([])
  await using next = await start(home)
  expect(next.endpoint.pid).toBe(process.pid)
})

test('what was accepted is composed and kept before the daemon goes', async () => {
  await using place = temporaryHome()
  const order: string[] = []
  const engine = fakeContinuityApp({ drain: async () => void order.push('composed') })
  const openBackend = async () => ({ ...fakeBackend(engine), close: async () => void order.push('closed') })
  const daemon = await start(place.home, { openApp: openBackend })
  const reply = await overSocket(place.home, { method: 'POST', target: '/api/shutdown', body: '{}' })
  expect(reply).toMatchObject({ status: 200, body: '{"ok":true}' })
  await daemon.stopped
  expect(order).toEqual(['composed', 'closed'])
})

test('a flood is answered with 429 and a time to come back', async () => {
  await using place = temporaryHome()
  const clock = fakeClock()
  await using daemon = await start(place.home, { clock })
  const { port } = daemon.endpoint
  const ask = () => sendRaw({ port }, requestBytes({ target: '/api/health', headers: [['Host', `127.0.0.1:${port}`]] }))
  const statuses: number[] = []
  for (let round = 0; round < 101; round += 1) statuses.push((await ask()).status)
  expect(statuses).toEqual([...Array.from({ length: 100 }, () => 200), 429])
  expect((await ask()).head).toMatch(/^retry-after: 1$/im)
  // Others are not made to pay for it.
  expect((await overTcp(daemon, place.home, { target: '/api/health' })).status).toBe(200)
  clock.advance(1_000)
  expect((await ask()).status).toBe(200)
})

test('a body over the limit is refused, declared or not; that of a hook may be larger', async () => {
  await using place = temporaryHome()
  const { home } = place
  const engine = fakeContinuityApp()
  await using _daemon = await start(home, { openApp: async () => fakeBackend(engine) })
  const target = '/api/events'
  const declared = await overSocket(home, { method: 'POST', target, body: 'x'.repeat(1_048_577) })
  expect(declared.status).toBe(413)
  const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`
  const streamed = await sendRaw(
    { path: home.socket },
    `POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}`,
  )
  expect(streamed.status).toBe(413)
  expect(engine.recorded).toEqual([])
  const hook = '/hook/claude-code/UserPromptSubmit'
  const prompt = `Read this.\n${'a line\n'.repeat(200_000)}`
  const body = JSON.stringify({ session_id: 's1', hook_event_name: 'UserPromptSubmit', cwd: '/p', prompt })
  expect((await overSocket(home, { method: 'POST', target: hook, body })).status).toBe(200)
  expect(engine.recorded).toMatchObject([{ kind: 'prompt-submitted', prompt: expect.stringContaining('Read this.') }])
  const huge = await overSocket(home, { method: 'POST', target: hook, body: 'x'.repeat(16_000_001) })
  expect(huge.status).toBe(413)
})

test('events in our own vocabulary are recorded, and bad ones named', async () => {
  await using place = temporaryHome()
  const { home } = place
  const engine = fakeContinuityApp()
  await using _daemon = await start(home, { openApp: async () => fakeBackend(engine) })
  const post = (body: unknown) =>
    overSocket(home, { method: 'POST', target: '/api/events', body: JSON.stringify(body) })
  expect((await post({ events: [aStart()] })).status).toBe(200)
  expect(engine.recorded).toEqual([aStart()])
  const bad = await post({ events: [{ ...aStart(), source: 'nowhere' }] })
  expect(bad.status).toBe(400)
  expect(JSON.parse(bad.body)).toEqual({
    error: { code: 'invalid-input', message: expect.stringContaining('"events.0.source" is "nowhere"') },
  })
  const unknown = await overSocket(home, { method: 'DELETE', target: '/api/memories/none' })
  expect([unknown.status, JSON.parse(unknown.body)]).toEqual([
    404,
    { error: { code: 'not-found', message: 'There is none.' } },
  ])
})

test('the event stream sends the log, stays open, and sends new events', async () => {
  await using place = temporaryHome()
  const { home } = place
  const engine = fakeContinuityApp()
  await using _daemon = await start(home, { openApp: async () => fakeBackend(engine) })
  await engine.record(aStart())
  const call = request({
    socketPath: home.socket,
    path: '/api/events?afterSeq=0',
    headers: { host: 'localhost', accept: 'text/event-stream' },
  }).end()
  const [response] = await once(call, 'response')
  let text = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  await expect.poll(() => text).toContain('"detail":"session-started"')
  engine.announce({ seq: 2, kind: 'event', detail: 'turn-ended' })
  await expect.poll(() => text).toContain('"detail":"turn-ended"')
  expect(text).not.toContain('Error')
  call.destroy()
})

test('a secret that is in the store all the same does not leave through an answer', async () => {
  await using place = temporaryHome()
  const engine = fakeContinuityApp({
    previewRecovery: async () => ({ text: `use ${FAKE_SECRET}`, sources: [], reasons: [], offered: [] }),
  })
  await using _daemon = await start(place.home, { openApp: async () => fakeBackend(engine) })
  const reply = await overSocket(place.home, { target: '/api/recovery?cwd=/p' })
  expect(reply.status).toBe(200)
  expect(reply.body).not.toContain(FAKE_SECRET)
})

test('metrics tell of hooks and answers', async () => {
  await using place = temporaryHome()
  const { home } = place
  await using _daemon = await start(home)
  await overSocket(home, {
    method: 'POST',
    target: '/hook/claude-code/UserPromptSubmit',
    headers: [[HEADER.client, 'test']],
    body: '{}',
  })
  const { body } = await overSocket(home, { target: '/api/metrics' })
  expect(body).toContain('holdfast_requests_total{status="200"} 1')
  expect(body).toContain('holdfast_hook_seconds_count 1')
  expect(body).toMatch(/^process_resident_memory_bytes \d+$/m)
})
