// oxlint-disable no-control-regex -- a terminal colours its text with escapes, which are control characters
import { describe, expect, test } from 'vitest'
import {
  ALPHANUMERIC,
  BARE,
  WHITESPACE,
  CONSONANT,
  DELIMITED,
  ENV,
  endOfRun,
  isInClass,
  KEY_LETTER,
  LETTER,
  NAME,
  SCHEME,
  SPELT,
  TOKEN_PART,
  TYPE,
  USER_INFO,
} from './chars.ts'

const everyCode = Array.from({ length: 0x1_0000 }, (_, code) => code)

describe('character classes', () => {
  test.each([
    ['a letter', LETTER, /[A-Za-z]/],
    ['a letter or digit', ALPHANUMERIC, /[A-Za-z0-9]/],
    ['a small consonant', CONSONANT, /[b-df-hj-np-tv-xz]/],
    ['a name', NAME, /[\w.-]/],
    ['a part of a web token', TOKEN_PART, /[\w-]/],
    ['a value without quotes', BARE, /[^\s\u001b"'`\\,;&|<>(){}[\]]/],
    ['a value of an env file', ENV, /[^\s\u001b"'`\\;&|<>]/],
    ['a word that is looked up again', DELIMITED, /[^\s"'`\\,;|<>(){}[\]]/],
    ['a login', USER_INFO, /[^\s/?#"'`<>\\]/],
    ['a word of a text', SPELT, /[^\s{}]/],
    ['a type', TYPE, /[\w.<>|[\]*&' \t]/],
    ['a scheme', SCHEME, /[A-Za-z-]/],
    ['a key', KEY_LETTER, /[A-Za-z0-9+/=]/],
    ['whitespace', WHITESPACE, /\s/],
  ])('is the same for %s as a pattern would say, for every 16-bit unit', (_, kind, regexp) => {
    const differing = everyCode.filter((code) => isInClass(kind, code) !== regexp.test(String.fromCharCode(code)))
    expect(differing).toEqual([])
  })

  test('a run ends at the first other character, at the text’s end, or when it is long enough', () => {
    expect([
      endOfRun(NAME, 'a.b=c', 0, 10),
      endOfRun(NAME, 'a.b', 1, 10),
      endOfRun(NAME, 'abcdef', 1, 3),
      endOfRun(NAME, '=', 0, 3),
    ]).toEqual([3, 3, 4, 0])
  })
})
