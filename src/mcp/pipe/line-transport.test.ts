import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLineTransport } from './line-transport.ts'

function opened() {
  const written: string[] = []
  const received: JSONRPCMessage[] = []
  const ends: string[] = []
  const transport = createLineTransport({ write: (text) => written.push(text), end: () => ends.push('ended') })
  Object.assign(transport, {
    onmessage: (message: JSONRPCMessage) => received.push(message),
    onclose: () => ends.push('closed'),
  })
  return { transport, written, received, ends }
}

const bytes = (text: string) => new TextEncoder().encode(text)
const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' }) as const

test('a line that is not JSON is answered with a parse error, and the connection stays open', () => {
  const { transport, written, received } = opened()
  transport.feed(bytes(`{"jsonrpc":\n\n  \n${JSON.stringify(ping(1))}\n`))
  expect(written.map((line) => JSON.parse(line))).toEqual([
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.any(String) } },
  ])
  expect(received).toEqual([ping(1)])
})

test.each([['[1]'], ['"text"'], ['{"jsonrpc":"1.0","id":7,"method":"ping"}'], ['null']])(
  '%s is JSON and no message: refused, under its id where it has one',
  (line) => {
    const { transport, written, received } = opened()
    transport.feed(bytes(`${line}\n`))
    expect(written.map((text) => JSON.parse(text))).toEqual([
      { jsonrpc: '2.0', id: line.includes('7') ? 7 : null, error: { code: -32600, message: expect.any(String) } },
    ])
    expect(received).toEqual([])
  },
)

test('however the bytes are cut, the same messages come out', () => {
  const messages = [ping(1), { jsonrpc: '2.0', method: 'notifications/x', params: { text: 'grüße € 🙂\n' } }, ping(2)]
  const whole = bytes(`${messages.map((message) => JSON.stringify(message)).join('\n')}\n`)
  fc.assert(
    fc.property(fc.array(fc.nat({ max: whole.length })), (cuts) => {
      const { transport, received } = opened()
      const at = [0, ...cuts.toSorted((a, b) => a - b), whole.length]
      at.slice(1).forEach((end, index) => transport.feed(whole.slice(at[index], end)))
      expect(received).toEqual(messages)
    }),
  )
})

test('a peer that has said its last still gets its answers; then the connection closes', async () => {
  const { transport, written, received, ends } = opened()
  transport.feed(bytes(`${JSON.stringify(ping(1))}\n${JSON.stringify(ping(2))}`))
  transport.finish()
  expect(received).toEqual([ping(1), ping(2)])
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
  expect(ends).toEqual([])
  await transport.send({ jsonrpc: '2.0', id: 2, result: {} })
  expect(written).toHaveLength(2)
  expect(ends).toEqual(['ended', 'closed'])
})

test('a request that was called off is not waited for', () => {
  const { transport, ends } = opened()
  transport.feed(bytes(`${JSON.stringify(ping(1))}\n`))
  transport.feed(bytes('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n'))
  transport.finish()
  expect(ends).toEqual(['ended', 'closed'])
})

test('a message that is too long is refused under its id, and the next one is heard', () => {
  const { transport, written, received } = opened()
  const long = JSON.stringify({ method: 'x', params: { text: 'x'.repeat(1_100_000) }, jsonrpc: '2.0', id: 5 })
  transport.feed(bytes(`${long}\n${JSON.stringify(ping(6))}\n`))
  expect(written.map((line) => JSON.parse(line))).toMatchObject([{ id: 5, error: { code: -32600 } }])
  expect(received).toEqual([ping(6)])
})

test('a line without end is refused once, passed over, and not kept', () => {
  const { transport, written, received } = opened()
  const part = bytes('x'.repeat(6_000_000))
  for (let times = 0; times < 4; times += 1) transport.feed(part)
  transport.feed(bytes(`still the same line\n${JSON.stringify(ping(7))}\n`))
  expect(written.map((line) => JSON.parse(line))).toMatchObject([{ id: null, error: { code: -32600 } }])
  expect(received).toEqual([ping(7)])
})
