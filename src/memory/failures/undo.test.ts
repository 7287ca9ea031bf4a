import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listDiscarded, lineDigests, findUndoneEdit } from './undo.ts'

const anEdit = (fragment: string, path = 'src/a.ts', seq = 1) => ({ path, seq, lines: lineDigests(fragment) })
const EDITED = ['src/a.ts', 'src/deep/b.ts', 'lib/c.ts'].map((path) => anEdit('x\ny', path))

test('an edit that restores what another one replaced reverts it', () => {
  const first = anEdit('one\ntwo\nthree')
  expect(findUndoneEdit(anEdit('two\nthree\none'), [first])).toBe(first)
  expect(findUndoneEdit(anEdit('two\nthree\none', 'src/b.ts'), [first])).toBeUndefined()
  expect(findUndoneEdit(anEdit('one\ntwo\nthree'), [first])).toBeUndefined()
  expect(findUndoneEdit(anEdit('two\none\nthree'), [first])).toBeUndefined()
})

test('property: any change and its reverse, unless it changed nothing', () => {
  const text = fc.array(
    fc.string({ maxLength: 12 }).map((line) => line.replaceAll('\n', ' ')),
    { minLength: 1, maxLength: 8 },
  )
  fc.assert(
    fc.property(text, text, (before, after) => {
      const there = anEdit([...before, ...after].join('\n'))
      const back = anEdit([...after, ...before].join('\n'))
      const isSame = there.lines.every((line, at) => line === back.lines[at])
      expect(findUndoneEdit(back, [there])).toBe(isSame ? undefined : there)
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
])('%j discards %j', (command, files) => {
  expect(listDiscarded(command, EDITED)).toEqual(files)
})
