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

test('what is no JSON is answered with a parse error, and the connection goes on', () => {
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
