import fc from 'fast-check'
import { expect, test } from 'vitest'
import { discardedBy, lineDigests, undoneBy } from './undo.ts'

const editOf = (fragment: string, path = 'src/a.ts', seq = 1) => ({ path, seq, lines: lineDigests(fragment) })
const EDITED = ['src/a.ts', 'src/deep/b.ts', 'lib/c.ts'].map((path) => editOf('x\ny', path))

test('an edit that puts back what another one replaced takes it back', () => {
  const first = editOf('one\ntwo\nthree')
  expect(undoneBy(editOf('two\nthree\none'), [first])).toBe(first)
  expect(undoneBy(editOf('two\nthree\none', 'src/b.ts'), [first])).toBeUndefined()
  expect(undoneBy(editOf('one\ntwo\nthree'), [first])).toBeUndefined()
  expect(undoneBy(editOf('two\none\nthree'), [first])).toBeUndefined()
})

test('property: any change and its reverse, unless it changed nothing', () => {
  const text = fc.array(
    fc.string({ maxLength: 12 }).map((line) => line.replaceAll('\n', ' ')),
    { minLength: 1, maxLength: 8 },
  )
  fc.assert(
    fc.property(text, text, (before, after) => {
      const there = editOf([...before, ...after].join('\n'))
      const back = editOf([...after, ...before].join('\n'))
      const isSame = there.lines.every((line, at) => line === back.lines[at])
      expect(undoneBy(back, [there])).toBe(isSame ? undefined : there)
    }),
  )
})

test.each([
  ['git checkout -- src/a.ts', ['src/a.ts']],
  ['git checkout HEAD -- src/deep', ['src/deep/b.ts']],
  ['git checkout .', ['src/a.ts', 'src/deep/b.ts', 'lib/c.ts']],
  ['git restore lib/c.ts', ['lib/c.ts']],
  ['git restore --staged lib/c.ts', []],
  ['git reset --hard HEAD~1', ['src/a.ts', 'src/deep/b.ts', 'lib/c.ts']],
  ['git revert HEAD', ['src/a.ts', 'src/deep/b.ts', 'lib/c.ts']],
  ['git checkout main', []],
  ['git checkout -b fix', []],
  ['git stash', []],
  ['git status', []],
])('%j throws away %j', (command, files) => {
  expect(discardedBy(command, EDITED)).toEqual(files)
})
