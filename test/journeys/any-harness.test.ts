import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { connectors } from '../../src/harness/registry.ts'
import { Product } from '../support/product.ts'

const LAUNCHER = join(import.meta.dirname, '..', '..', 'dist', 'launcher.sh')
const SEED = 20_261_116

/** Payloads that no harness sends, and ones that are nearly right. */
const payload = fc.oneof(
  fc.constantFrom('{', 'null', '[]', '{"session_id":1}', ''),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
  fc
    .record({ session_id: fc.jsonValue(), cwd: fc.jsonValue(), tool_name: fc.jsonValue(), prompt: fc.jsonValue() })
    .map((fields) => JSON.stringify(fields)),
)

/** Every hook of every harness, and one that nobody knows. */
const calls = connectors.flatMap(({ id, hooks }) => [
  ...hooks.map(({ hook }) => ({ id, hook })),
  { id, hook: 'Anything' },
])
const inputs = fc.sample(payload, { numRuns: 2 * calls.length, seed: SEED })

async function send(product: Product, { id, hook }: { readonly id: string; readonly hook: string }, input: string) {
  const env = { HOLDFAST_NODE: process.execPath }
  const { code, stdout } = await product.run('/bin/bash', ['-p', LAUNCHER, id, hook], { input, env })
  expect({ id, hook, input, code }).toEqual({ id, hook, input, code: 0 })
  if (stdout !== '') expect(() => JSON.parse(stdout)).not.toThrow()
}

test('whatever a harness sends by any of its hooks, it ends well, prints nothing but JSON, and the daemon lives', async () => {
  await using product = new Product()
  await product.json(['daemon', 'start'])
  for (const [index, call] of calls.entries()) await send(product, call, inputs[index] ?? '')
  expect(await product.json(['daemon', 'status'])).toMatchObject({ isRunning: true })
}, 300_000)

test('the same while the daemon is away and cannot be started: it ends well, and what can be kept waits', async () => {
  // A home that is a file: there is nothing to start, and nowhere to spool.
  await using product = new Product()
  const env = { HOLDFAST_HOME: LAUNCHER }
  for (const [index, { id }] of connectors.entries()) {
    const hook = connectors[index]?.hooks[0]?.hook ?? 'Anything'
    const input = inputs[calls.length + index] ?? ''
    const ran = await product.run('/bin/bash', ['-p', LAUNCHER, id, hook], {
      input,
      env: { ...env, HOLDFAST_NODE: process.execPath },
    })
    expect({ id, input, code: ran.code, stdout: ran.stdout }).toEqual({ id, input, code: 0, stdout: '' })
  }
}, 300_000)
