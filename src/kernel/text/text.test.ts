import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../../test/support/any-text.ts'
import {
  clip,
  closingSentences,
  cutUnits,
  isAnswer,
  lastQuestion,
  leadingSentences,
  oneLine,
  isSubstantiveRequest,
  withoutAnsi,
  withoutCode,
} from './text.ts'

describe('shortening', () => {
  test('cuts between words and says so', () => {
    expect(clip('move the validator into the session package', 30)).toBe('move the validator into the…')
  })

  test('keeps whole sentences where they fit', () => {
    expect(leadingSentences('Fix the parser. Then run the tests. Then commit everything there is.', 40)).toBe(
      'Fix the parser. Then run the tests.',
    )
  })

  test('the number of an item is not told without the item', () => {
    const list = 'Find out what to review. Choose the kind of review: 1. All that is not committed 2. One commit.'
    expect(leadingSentences(list, 60)).toBe('Find out what to review.')
  })

  test('a question that ends in a number ends there', () => {
    expect(leadingSentences('Why do we get only 3? The other two went missing on the way from here.', 50)).toBe(
      'Why do we get only 3?',
    )
  })

  test('a heading is kept with the text under it, or not at all', () => {
    const plan =
      'Implement this plan: # Faster parser ## Context The parser reads every line twice. ## Steps First the lexer.'
    expect(leadingSentences(plan, 90)).toBe(
      'Implement this plan: # Faster parser ## Context The parser reads every line twice.',
    )
    expect(leadingSentences(plan, 80)).toBe('Implement this plan: # Faster parser')
    expect(leadingSentences(plan, 30)).toBe('Implement this plan: # Faster…')
  })

  test('clips a first sentence that is too long by itself', () => {
    expect(leadingSentences('one two three four five six seven eight nine ten. End.', 24)).toBe(
      'one two three four five…',
    )
  })

  test.each([clip, leadingSentences, closingSentences, cutUnits])(
    '%o never exceeds its limit and never splits a character',
    (shorten) => {
      fc.assert(
        fc.property(anyText({ maxLength: 40 }), fc.integer({ min: 0, max: 60 }), (text, max) => {
          const short = shorten(oneLine(text), max)
          return short.length <= Math.max(1, max) && short.isWellFormed()
        }),
      )
    },
  )
})

test('the last question is found; undefined without a question', () => {
  expect(lastQuestion('I did it. Shall I push? Let me know.', 100)).toBe('Shall I push?')
  expect(lastQuestion('Done.', 100)).toBeUndefined()
})

describe('how a statement ended', () => {
  const OPTIONS = [
    '## Findings',
    'Two things are left, and neither is hard.',
    '```ts',
    'const example = 1',
    '```',
    '- **Guard** the second call',
    '- Leave it as it is',
    '',
    'Which one shall I take?',
  ].join('\n')

  test('is its last sentences and list, without code and marks', () => {
    expect(closingSentences(OPTIONS, 80)).toBe('Guard the second call Leave it as it is Which one shall I take?')
  })

  test('begins with a part of what came before where that is worth reading', () => {
    expect(closingSentences(OPTIONS, 100)).toBe('Guard the second call Leave it as it is Which one shall I take?')
    expect(closingSentences(`${'The cache is never emptied, '.repeat(4)}so it grows. Shall I mend it?`, 100)).toBe(
      'The cache is never emptied, The cache is never emptied, The cache is never… Shall I mend it?',
    )
  })

  test('is empty where nothing was said in words', () => {
    expect(closingSentences('```\nnpm test\n```\n---', 80)).toBe('')
  })
})

test.each([
  ['yes', true],
  ['c', true],
  ['1+2', true],
  ['ok, do it', true],
  ['yeah, apply this to the other one too', true],
  ['too slow.', true],
  ['commit this', false],
  ['now the lexer, please', false],
  ['note that the lexer is slow', false],
  [`yes, and ${'then the next one '.repeat(10)}`, false],
])('whether "%s" needs what it answers: %s', (ask, isNeeded) => {
  expect(isAnswer(ask)).toBe(isNeeded)
})

test('colours and terminal titles go, the words stay', () => {
  expect(withoutAnsi('\u001b[31mred\u001b[0m \u001b]0;title\u0007text')).toBe('red text')
})

test.each([
  ['Make the parser accept empty lines.', true],
  ['Do not push by itself any more: the user must be asked first, see the issue.', true],
  ['Fix the crash in the commit-msg hook', true],
  ['Push notifications do not arrive on iOS', true],
  ['The commit parser drops the footer', true],
  ['Rename the flag, then commit and push', true],
  ['yes, go on', false],
  ['ok, please push it to the remote', false],
  ['looks good: stage all and commit', false],
  ['Make a nice commit message and commit.', false],
  ['Commit the changes we have so far', false],
])('whether "%s" says what a session is for: %s', (ask, isSaid) => {
  expect(isSubstantiveRequest(ask)).toBe(isSaid)
})

test.each([
  ['a\n```ts\nb\n```\nc', 'a\nc'],
  ['a\n  ~~~\nb\n```\nc\n  ~~~\nd', 'a\nd'],
  ['a\n```\nb\nc', 'a'],
  ['a `b` c', 'a `b` c'],
])('%j without its code is %j', (text, rest) => {
  expect(withoutCode(text)).toBe(rest)
})
