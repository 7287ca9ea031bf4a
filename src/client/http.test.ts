import { createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../test/support/temp-dir.ts'
import { exchange, type HttpRequest } from './http.ts'

interface Served extends AsyncDisposable {
  readonly socketPath: string
  readonly received: () => string
}

async function serve(answer: (socket: Socket) => void): Promise<Served> {
  const dir = tempDir()
  const socketPath = join(dir.path, 's.sock')
  const sockets = new Set<Socket>()
  let received = ''
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    let isAnswered = false
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (!isAnswered && received.includes('\r\n\r\n')) {
        isAnswered = true
        answer(socket)
      }
    })
  }).listen(socketPath)
  await once(server, 'listening')
  return {
    socketPath,
    received: () => received,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      dir[Symbol.dispose]()
    },
  }
}

const request = (socketPath: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  socketPath,
  method: 'POST',
  path: '/x',
  deadlineMs: 5_000,
  maxReplyBytes: 1_000,
  ...more,
})

const textOf = async (answer: (socket: Socket) => void) => {
  await using at = await serve(answer)
  const { status, body } = await exchange(request(at.socketPath))
  return [status, body.toString('utf8')]
}

describe('an exchange over the socket', () => {
  test('sends method, path, headers and the length in bytes', async () => {
    await using at = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
    await exchange(request(at.socketPath, { body: 'ä', headers: { 'X-One': '1' } }))
    expect(at.received()).toBe(
      'POST /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\nX-One: 1\r\n\r\n\u00c3\u00a4',
    )
  })

  test.each([
    ['by its length', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhällo'.replace('5', '6'), 'hällo'],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n', 'abcde'],
    ['up to the end', 'HTTP/1.0 200 OK\r\n\r\nall of it', 'all of it'],
    ['not at all', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', ''],
  ])('reads a body told %s', async (_how, reply, body) => {
    expect(await textOf((socket) => socket.end(reply))).toEqual([200, body])
  })

  test('reads a reply that comes byte by byte', async () => {
    const reply = Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno')
    const dribble = async (socket: Socket) => {
      for (const byte of reply) {
        socket.write(Buffer.from([byte]))
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    expect(await textOf((socket) => void dribble(socket))).toEqual([404, 'no'])
  })

  test('a 204 has no body even while the connection stays open', async () => {
    expect(await textOf((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))).toEqual([204, ''])
  })

  test.each([
    ['garbage', 'SSH-2.0-x\r\n\r\n'],
    ['nothing', ''],
    ['half a head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['half a body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'],
    ['half a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a length that is none', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['far too much', `HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n${'x'.repeat(99_999)}`],
    ['a head without end', 'x'.repeat(40_000)],
  ])('%s is a broken reply', async (_what, reply) => {
    await using at = await serve((socket) => socket.end(reply))
    await expect(exchange(request(at.socketPath))).rejects.toMatchObject({ fault: 'broken' })
  })

  test('nobody there is absent; somebody who does not answer is late', async () => {
    using dir = tempDir()
    await expect(exchange(request(join(dir.path, 'none')))).rejects.toMatchObject({ fault: 'absent' })
    await expect(exchange(request(dir.write('file', '')))).rejects.toMatchObject({ fault: 'absent' })
    await using at = await serve(() => undefined)
    await expect(exchange(request(at.socketPath, { deadlineMs: 50 }))).rejects.toMatchObject({ fault: 'late' })
  })
})
