import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitArguments } from './command-line.ts'

test.each([
  ['npm run smoke', ['npm', 'run', 'smoke']],
  ['  node  "a b.js" --x=\'y z\' ', ['node', 'a b.js', '--x=y z']],
  ['pytest -k "not slow"', ['pytest', '-k', 'not slow']],
  [String.raw`echo "say \"hi\"" a\ b`, ['echo', 'say "hi"', 'a b']],
])('%j is %j', (command, words) => {
  expect(splitArguments(command)).toEqual(words)
})

test.each([
  'npm test && rm -rf /',
  'a | b',
  'a; b',
  'echo $(id)',
  'echo "$HOME"',
  'a > b',
  'echo `id`',
  'a "b',
  '',
  '  ',
])('refuses %j: no shell will read it', (command) => {
  expect(() => splitArguments(command)).toThrow('needs a shell')
})

test('a list is taken as it is', () => {
  expect(splitArguments(['sh', '-c', 'a && b'])).toEqual(['sh', '-c', 'a && b'])
})

test('any word in single quotes arrives as one argument, byte for byte', () => {
  fc.assert(
    fc.property(
      fc.string().filter((word) => !word.includes("'")),
      (word) => {
        expect(splitArguments(`run '${word}'`)).toEqual(['run', word])
      },
    ),
  )
})
