import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { SessionId } from '../../kernel/id.ts'
import type { Announcement } from '../../kernel/ports/ports.ts'
import { createServer } from 'node:http'
import { createEventStream, type StreamLimits } from './sse.ts'
import { OWNER } from './identify.ts'
import { HEADER } from '../../wire/headers.ts'
import { aStart, type FakeContinuityApp, fakeContinuityApp, memoryLog } from '../../../test/support/daemon-setup.ts'

interface Open extends AsyncDisposable {
  readonly stream: ReturnType<typeof createEventStream>
  readonly engine: FakeContinuityApp
  readonly log: ReturnType<typeof memoryLog>
  read(afterSeq?: number, pageToken?: string): Promise<{ readonly socket: Socket; text(): string }>
}

async function openStream(limits: Partial<StreamLimits> = {}): Promise<Open> {
  const engine = fakeContinuityApp()
  const log = memoryLog()
  const stream = createEventStream({
    continuity: engine,
    log,
    limits,
  })
  const server = createServer((incoming, outgoing) => {
    const after = new URL(incoming.url ?? '/', 'http://x').searchParams.get('after')
    const env = { incoming, outgoing, principal: OWNER, arrivedMs: 0, leave: () => undefined }
    const response = stream.open(env, after === null ? undefined : Number(after))
    if (typeof response !== 'symbol' && response.status !== 200) outgoing.writeHead(response.status).end()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const sockets: Socket[] = []
  return {
    stream,
    engine,
    log,
    async read(afterSeq, pageToken) {
      const socket = connect(port, '127.0.0.1')
      sockets.push(socket)
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk) => {
        text += String(chunk)
      })
      const page = pageToken === undefined ? '' : `${HEADER.page}: ${pageToken}\r\n`
      socket.write(`GET /${afterSeq === undefined ? '' : `?after=${afterSeq}`} HTTP/1.1\r\nHost: x\r\n${page}\r\n`)
      await until(() => text.includes('\r\n\r\n'))
      return { socket, text: () => text }
    },
    async [Symbol.asyncDispose]() {
      stream.close()
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let round = 0; round < 6_000 && !isTrue(); round += 1) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(isTrue()).toBe(true)
}

const said = (seq: number, detail = 'turn-ended'): Announcement => ({
  seq,
  kind: 'event',
  sessionId: SessionId('s/1'),
  detail,
})
const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))

test('a reader hears what happens, redacted, with ids only where it can resume', async () => {
  await using open = await openStream()
  const reader = await open.read()
  open.stream.announce(said(7, 'PASSWORD=hunter2x9'))
  open.stream.announce({ seq: 3, kind: 'checkpoint', detail: 'kept', trigger: 'periodic' })
  await until(() => reader.text().includes('checkpoint'))
  expect(idsIn(reader.text())).toEqual([7])
  expect(reader.text()).toContain(
    'event: event\ndata: {"seq":7,"kind":"event","sessionId":"s/1","detail":"PASSWORD=[REDACTED:password]"}\n\n',
  )
})

test('a reader that comes back gets what it missed once, and then the rest', async () => {
  await using open = await openStream({ replayPage: 2 })
  for (let n = 1; n <= 5; n += 1) await open.engine.record(aStart('s', `event-${n}`))
  const reader = await open.read(2)
  open.stream.announce(said(5))
  open.stream.announce(said(6))
  await until(() => idsIn(reader.text()).includes(6))
  expect(idsIn(reader.text())).toEqual([3, 4, 5, 6])
  await until(() => reader.text().split('event: position').length === 3)
  expect(reader.text()).toContain('event: position\ndata: {"seq":5,"kind":"position","detail":"","behind":3}\n\n')
  expect(reader.text()).toContain('event: position\ndata: {"seq":5,"kind":"position","detail":"","behind":0}\n\n')
})

test('a reader that does not read is dropped, and the others go on', async () => {
  await using open = await openStream({ bufferBytes: 50_000 })
  const slow = await open.read()
  const good = await open.read()
  slow.socket.pause()
  for (let n = 1; n <= 2_000 && open.stream.size > 1; n += 1) {
    open.stream.announce(said(n, 'x'.repeat(4_000)))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(open.stream.size).toBe(1)
  expect(open.log.lines.some((line) => line.includes('event stream dropped'))).toBe(true)
  open.stream.announce(said(9_999))
  await until(() => idsIn(good.text()).includes(9_999))
})

test('a reader that stays behind is dropped when its time is up', async () => {
  await using open = await openStream({ bufferBytes: 100_000_000, patienceMs: 30 })
  const slow = await open.read()
  slow.socket.pause()
  for (let n = 1; n <= 200; n += 1) open.stream.announce(said(n, 'x'.repeat(50_000)))
  await until(() => open.stream.size === 0)
})

test('there are only so many readers', async () => {
  await using open = await openStream({ clients: 2 })
  await open.read()
  const second = await open.read()
  const third = await open.read()
  expect(third.text()).toContain('429')
  second.socket.destroy()
  await until(() => open.stream.size === 1)
  expect((await open.read()).text()).toContain('200')
})

test('a silent stream says that it is still here', async () => {
  await using open = await openStream({ heartbeatMs: 10 })
  const reader = await open.read()
  await until(() => reader.text().includes(': still here'))
})

test('a page that logs out gets no more, and its neighbour does', async () => {
  await using open = await openStream()
  const [out, stays] = [await open.read(undefined, 'token-1'), await open.read(undefined, 'token-2')]
  open.stream.end('token-1')
  await until(() => open.stream.size === 1)
  open.stream.announce(said(8))
  await until(() => idsIn(stays.text()).includes(8))
  expect(idsIn(out.text())).toEqual([])
})
