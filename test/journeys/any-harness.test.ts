import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { connectors } from '../../src/harness/registry.ts'
import { Product } from '../support/product.ts'

const LAUNCHER = join(import.meta.dirname, '..', '..', 'dist', 'launcher.sh')
const PER_HARNESS = 5

/** Payloads that no harness sends, and ones that are nearly right. */
const payloads = fc.sample(
  fc.oneof(
    fc.constantFrom('{', 'null', '[]', '{"session_id":1}'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
    fc
      .record({ session_id: fc.jsonValue(), cwd: fc.jsonValue(), tool_name: fc.jsonValue(), prompt: fc.jsonValue() })
      .map((payload) => JSON.stringify(payload)),
  ),
  { numRuns: PER_HARNESS * connectors.length, seed: 20_261_116 },
)

test('whatever a harness sends, its hook ends well, prints nothing but JSON, and the daemon lives', async () => {
  await using product = new Product()
  await product.json(['daemon', 'start'])
  for (const [index, { id, hooks }] of connectors.entries()) {
    const hook = hooks[0]?.hook ?? 'Anything'
    for (const input of payloads.slice(index * PER_HARNESS, (index + 1) * PER_HARNESS)) {
      const env = { HOLDFAST_NODE: process.execPath }
      const { code, stdout } = await product.run('/bin/bash', ['-p', LAUNCHER, id, hook], { input, env })
      expect({ id, input, code }).toEqual({ id, input, code: 0 })
      if (stdout !== '') expect(() => JSON.parse(stdout)).not.toThrow()
    }
  }
  expect(await product.json(['daemon', 'status'])).toMatchObject({ isRunning: true })
}, 180_000)
