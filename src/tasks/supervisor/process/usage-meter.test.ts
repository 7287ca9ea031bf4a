import { expect, test } from 'vitest'
import { OutputTail } from './run-command.ts'
import { UsageMeter } from './run-command.ts'

const message = (id: string, output: number) =>
  `${JSON.stringify({ type: 'assistant', message: { id, usage: { input_tokens: 10, output_tokens: output, cache_read_input_tokens: 100 } } })}\n`

test('a message printed in parts counts once, with its last usage', () => {
  const meter = new UsageMeter()
  expect(meter.tokens).toBeUndefined()
  meter.add(message('m1', 1))
  meter.add(message('m1', 5))
  meter.add(message('m2', 7))
  expect(meter.tokens).toBe(115 + 117)
})

test('a result has the total of all messages, and finished turns add up', () => {
  const claude = new UsageMeter()
  claude.add(message('m1', 5))
  claude.add(`${JSON.stringify({ type: 'result', usage: { input_tokens: 300, output_tokens: 200 } })}\n`)
  expect(claude.tokens).toBe(500)
  // Printed again at the end with the total.
  claude.add(`${JSON.stringify({ type: 'result', usage: { input_tokens: 400, output_tokens: 300 } })}\n`)
  expect(claude.tokens).toBe(700)
  const codex = new UsageMeter()
  const turn = `${JSON.stringify({ type: 'turn.completed', usage: { input_tokens: 30, output_tokens: 2 } })}\n`
  codex.add(turn)
  codex.add(turn)
  expect(codex.tokens).toBe(64)
})

test('partial lines and lines that are not JSON are handled', () => {
  const meter = new UsageMeter()
  const line = message('m1', 5)
  meter.add(`"input_tokens": what?\n{"usage": 1, "x_tokens": 2}\n${line.slice(0, 20)}`)
  expect(meter.tokens).toBeUndefined()
  meter.add(line.slice(20))
  expect(meter.tokens).toBe(115)
})

test('the tail holds the end of the output, in order, without split characters', () => {
  const tail = new OutputTail(10)
  const bytes = Buffer.from('äöü')
  expect(tail.add('out', bytes.subarray(0, 3))).toBe('ä')
  expect(tail.add('err', Buffer.from('!'))).toBe('!')
  expect(tail.add('out', bytes.subarray(3))).toBe('öü')
  expect(tail.text).toBe('ä!öü')
  tail.add('out', Buffer.from('x'.repeat(30)))
  expect([tail.text, tail.totalBytes]).toEqual(['x'.repeat(10), 37])
})
