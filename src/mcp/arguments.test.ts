import { expect, test } from 'vitest'
import { decisionList, verbatim } from './arguments.ts'

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

test('a text that is kept byte for byte has more than blanks, and keeps its own', () => {
  expect([verbatim.parse('  a  '), verbatim.safeParse(' \n').success, verbatim.safeParse('').success]).toEqual([
    '  a  ',
    false,
    false,
  ])
})
