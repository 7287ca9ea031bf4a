import { expect, test } from 'vitest'
import * as z from 'zod'
import { MAX_KEY_CHARS } from '../../kernel/id.ts'
import { SessionIdSchema, SessionKeySchema } from '../../wire/fields.ts'
import { decisionList, session, verbatim } from './arguments.ts'

const kept = [{ decision: 'Keep  it; really ' }, { decision: 'Drop the rest' }]

test.each<[string, unknown]>([
  ['a list', ['Keep  it; really ', { decision: 'Drop the rest' }]],
  ['JSON in a string', JSON.stringify(kept)],
  ['lines', 'Keep  it; really \nDrop the rest'],
])('decisions are read from %s: a digest is not lost for their shape', (_shape, given) => {
  expect(decisionList.parse(given)).toEqual(kept)
})

test('no decisions are none, however that is said', () => {
  expect([decisionList.parse(null), decisionList.parse(undefined), decisionList.parse('')]).toEqual([
    undefined,
    undefined,
    [],
  ])
})

test('a verbatim text has more than spaces, and keeps its own', () => {
  expect([verbatim.parse('  a  '), verbatim.safeParse(' \n').success, verbatim.safeParse('').success]).toEqual([
    '  a  ',
    false,
    false,
  ])
})

test('a session key that is accepted here is accepted by every other entry point', () => {
  const [longest, over] = [MAX_KEY_CHARS, MAX_KEY_CHARS + 1].map((length) => 'k'.repeat(length))
  const named = (key: unknown) => z.object(session).safeParse({ session_id: key }).success
  const isKey = (key: unknown) => SessionKeySchema.safeParse(key).success
  expect([named(longest), isKey(longest), named(over), isKey(over)]).toEqual([true, true, false, false])
  expect(SessionIdSchema.safeParse(`claude-code/${longest}`).success).toBe(true)
  expect([named(''), named(null), named(undefined)]).toEqual([true, true, true])
})
