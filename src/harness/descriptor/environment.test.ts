import { expect, test } from 'vitest'
import { readEnvironment } from './environment.ts'
import { harnessEnvironments } from './known-harnesses.ts'
import { connectors } from '../registry.ts'

const known = [
  { harness: 'a', sessionKey: ['A_NEW', 'A_OLD'], directory: ['A_DIR'] },
  { harness: 'b', sessionKey: ['B'], directory: [] },
]

test('the generated list has what each connector declares (`npm run docs` writes it)', () => {
  expect(harnessEnvironments).toEqual(connectors.map(({ environment }) => environment))
  expect(harnessEnvironments.map(({ harness }) => harness)).toEqual(connectors.map(({ id }) => id))
})

test.each([
  [{}, {}],
  [{ A_OLD: 'one' }, { harness: 'a', sessionKey: 'one' }],
  [
    { A_OLD: 'one', A_NEW: 'two', A_DIR: '/w' },
    { harness: 'a', sessionKey: 'two', directory: '/w' },
  ],
  [
    { B: 'three', A_NEW: '', A_DIR: '/w' },
    { harness: 'b', sessionKey: 'three', directory: '/w' },
  ],
  [{ A_DIR: '/w' }, { directory: '/w' }],
])('%j means %j', (variables, caller) => {
  expect(readEnvironment(variables, known)).toEqual(caller)
})
