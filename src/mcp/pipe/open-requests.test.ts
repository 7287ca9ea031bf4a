import { expect, test } from 'vitest'
import { LineBuffer } from './open-requests.ts'
import { OpenRequests } from './open-requests.ts'

const line = (message: unknown) => Buffer.from(`${JSON.stringify(message)}\n`)
const request = (id: number | string, method: string) => line({ jsonrpc: '2.0', id, method, params: {} })

test('after a break, questions are asked again and tool calls are handed back to the agent', () => {
  const open = new OpenRequests()
  const list = request(1, 'tools/list')
  open.onRequest(list)
  open.onRequest(request('two', 'tools/call'))
  open.onRequest(request(3, 'tools/call'))
  open.onRequest(line({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  open.onReply(line({ jsonrpc: '2.0', id: 3, result: {} }))
  const { again, answers } = open.onDisconnect()
  expect(again).toEqual([list])
  expect(answers.map((text) => JSON.parse(text))).toEqual([
    { jsonrpc: '2.0', id: 'two', result: { content: [{ type: 'text', text: expect.any(String) }], isError: true } },
  ])
  // The one that is asked again is still open, and a second break asks it once more.
  expect(open.onDisconnect()).toEqual({ again: [list], answers: [] })
})

test('when nobody will answer any more, every open request is refused once', () => {
  const open = new OpenRequests()
  open.onRequest(request(1, 'tools/list'))
  open.onRequest(request(2, 'tools/call'))
  open.onRequest(line({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }))
  open.onRequest(Buffer.from('{"no json\n'))
  expect(open.refuseAll('gone').map((text) => JSON.parse(text))).toEqual([
    { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'gone' } },
  ])
  expect(open.refuseAll('gone')).toEqual([])
})

test('lines are whole, whatever chunks they come in; the last needs no newline', () => {
  const lines = new LineBuffer()
  const taken = ['a', 'b\nc', '\n\nd'].flatMap((chunk) => lines.take(Buffer.from(chunk)).map(String))
  expect(taken).toEqual(['ab\n', 'c\n', '\n'])
  expect(String(lines.last())).toBe('d\n')
  expect(lines.last()).toBeUndefined()
})
