import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import type { SessionEvent } from '../../src/kernel/event.ts'
import { EventId, SessionKey } from '../../src/kernel/id.ts'
import { resolveHome } from '../../src/platform/base/home.ts'
import { ClaudeSession } from '../support/claude-session.ts'
import { isAlive, PATIENT, Product, waitUntil } from '../support/product.ts'
import { askJson, Daemon, PATIENCE_MS, record } from './support/daemon.ts'
import { readKeptLog } from './support/log-check.ts'

function aStart(id: string): SessionEvent {
  const at = new Date().toISOString()
  const base = { id: EventId(id), harness: 'claude-code', sessionKey: SessionKey(id), at, door: 'api' } as const
  return { ...base, kind: 'session-started', source: 'startup' }
}

async function idsIn(home: string): Promise<readonly string[]> {
  const listed = await askJson<{ events: { event: { id: string } }[] }>(home, { path: '/api/events?limit=500' })
  return listed.events.map(({ event }) => event.id)
}

/** Resolves once the kernel has the whole request; the answer is what came back until the connection ended. */
async function sendTo(port: number, token: string, body: unknown): Promise<{ answer: Promise<string> }> {
  const socket = connect({ host: '127.0.0.1', port })
  let said = ''
  socket.on('data', (chunk) => {
    said += chunk.toString('utf8')
  })
  socket.on('error', () => undefined)
  const answer = new Promise<string>((resolve) => socket.once('close', () => resolve(said)))
  await once(socket, 'connect')
  const text = JSON.stringify(body)
  const head = [
    'POST /api/events HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ]
  await new Promise<void>((resolve) => {
    socket.write(`${head.join('\r\n')}\r\n\r\n${text}`, () => resolve())
  })
  return { answer }
}

/** A daemon in a home of its own, with an event in it. */
async function aDaemon(product: Product): Promise<Daemon> {
  const daemon = await new Daemon(product.env).ready()
  expect(await record(product.home, [aStart('before')])).toEqual([1])
  return daemon
}

async function isGone(daemon: Daemon): Promise<void> {
  await waitUntil(() => daemon.isOver, 'the daemon whose home is gone has left', PATIENCE_MS)
}

test('a home that is deleted under its daemon: the daemon leaves by itself, and brings nothing of it back', async () => {
  await using product = new Product()
  const daemon = await aDaemon(product)
  rmSync(product.home, { recursive: true, force: true, maxRetries: 5 })
  await isGone(daemon)
  expect([await daemon.ended(), existsSync(product.home)]).toEqual(['SIGKILL', false])
})

test('hooks right after the home was deleted: one daemon is left, of the new home, and it keeps all of them', async () => {
  await using product = new Product()
  await product.connect()
  const project = await product.aProject('app')
  const old = product.daemonPid() ?? (await aDaemon(product)).pid
  const before = new ClaudeSession(product, project, { pid: product.anAgent(), env: PATIENT })
  await before.start()
  await before.prompt('In the home that goes away.')
  const running = product.daemonPid() ?? old
  rmSync(product.home, { recursive: true, force: true, maxRetries: 5 })
  const after = new ClaudeSession(product, project, { pid: product.anAgent(), env: PATIENT })
  for (const prompt of ['one', 'two', 'three']) await after.prompt(`Said in the new home: ${prompt}.`)
  await waitUntil(() => !isAlive(running), 'the daemon of the old home has left', PATIENCE_MS)
  await after.prompt('Said in the new home: four.')
  await waitUntil(
    async () => {
      const listed = await product.json(['events', 'list', '--limit', '100'])
      const text = JSON.stringify(listed)
      return ['one', 'two', 'three', 'four'].every((word) => text.includes(`new home: ${word}.`))
    },
    'the new home has every prompt',
    PATIENCE_MS,
  )
  const pid = product.daemonPid()
  expect(pid).not.toBe(running)
  expect(JSON.stringify(await product.json(['events', 'list', '--limit', '100']))).not.toContain('the home that goes')
  await product.killDaemon()
  expect(await readKeptLog(product.home)).toMatchObject({ findings: [] })
})

test('a home that is moved away and back: its daemon leaves, and the next one has everything', async () => {
  await using product = new Product()
  const daemon = await aDaemon(product)
  const away = `${product.home}-away`
  renameSync(product.home, away)
  await isGone(daemon)
  renameSync(away, product.home)
  await new Daemon(product.env).ready()
  expect(await record(product.home, [aStart('after')])).toEqual([2])
  expect(await idsIn(product.home)).toEqual(['before', 'after'])
})

test('a home that is replaced by another: the daemon of the first never writes to the second', async () => {
  await using product = new Product()
  await using other = new Product()
  const kept = await new Daemon(other.env).ready()
  expect(await record(other.home, [aStart('of-the-other-1'), aStart('of-the-other-2')])).toEqual([1, 2])
  await kept.signal('SIGTERM')

  const daemon = await aDaemon(product)
  // Asleep, so that it cannot leave before the other home is in place and a request waits at its port.
  process.kill(daemon.pid, 'SIGSTOP')
  const { endpointFile, tokenFile } = resolveHome(product.env)
  const { port }: { port: number } = JSON.parse(readFileSync(endpointFile, 'utf8'))
  const token = readFileSync(tokenFile, 'utf8').trim()
  renameSync(product.home, `${product.home}-first`)
  renameSync(other.home, product.home)
  const next = await new Daemon(product.env).ready()
  const waiting = await sendTo(port, token, { events: [aStart('late')] })
  process.kill(daemon.pid, 'SIGCONT')
  expect(await waiting.answer).toBe('')
  await isGone(daemon)
  // The one that took over still has its socket, its address and its database to itself.
  expect(await record(product.home, [aStart('after')])).toEqual([3])
  expect(await idsIn(product.home)).toEqual(['of-the-other-1', 'of-the-other-2', 'after'])
  expect(product.daemonPid()).toBe(next.pid)
  await next.signal('SIGTERM')
  const again = await new Daemon(product.env).ready()
  expect(await idsIn(product.home)).toEqual(['of-the-other-1', 'of-the-other-2', 'after'])
  await again.signal('SIGTERM')
})
