import { expect, test } from 'vitest'
import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import { parse } from './parse.ts'

const Schema = z.object({ limit: z.number().max(5), names: z.array(z.string()).optional() })

function failure(value: unknown): HoldfastError {
  try {
    parse(Schema, value)
  } catch (error) {
    if (error instanceof HoldfastError) return error
  }
  throw new Error('Nothing was refused.')
}

test('unknown fields are removed and known ones stay', () => {
  expect(parse(Schema, { limit: 3, names: ['a'], other: true })).toEqual({ limit: 3, names: ['a'] })
})

test('a refusal names the path and the value', () => {
  const error = failure({ limit: 9, names: ['a', 7] })
  expect(error.code).toBe('invalid-input')
  expect(error.message).toMatchInlineSnapshot(
    `""limit" is 9. It must be at most 5. "names.1" is 7. It must be a text."`,
  )
})

test('a missing field and a missing input are reported as missing', () => {
  expect(failure({}).message).toContain('"limit" is missing.')
  expect(failure(undefined).message).toContain('The input is missing.')
})

test('a long value is cut in the message', () => {
  expect(failure({ limit: 'x'.repeat(10_000) }).message.length).toBeLessThan(200)
})
