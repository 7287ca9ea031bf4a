import { describe, expect, test } from 'vitest'
import { clipMiddle, wellFormed } from './clip.ts'

describe('clip', () => {
  test('leaves a text within its limit as the very same string', () => {
    expect(clipMiddle('as it is', 8)).toBe('as it is')
  })

  test('keeps head and tail, cut between words, and counts what it left out', () => {
    const text = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ')
    expect(clipMiddle(text, 80)).toMatchInlineSnapshot(
      `"word0 word1 word2 word3 word4 … [220 characters left out] … word37 word38 word39"`,
    )
  })

  test('goes to the end of a line where one is near', () => {
    const text = `${'first line of it\n'.repeat(20)}${'last line of it\n'.repeat(20)}`
    expect(clipMiddle(text, 160)).toMatchInlineSnapshot(`
      "first line of it
      first line of it
      first line of it
      first line of it … [545 characters left out] … last line of it
      last line of it
      last line of it
      "
    `)
  })

  test('lets go of a word that does not fit rather than cutting it', () => {
    expect(clipMiddle(`begin ${'x'.repeat(500)} end`, 80)).toMatchInlineSnapshot(
      `"begin  … [500 characters left out] …  end"`,
    )
    expect(clipMiddle('x'.repeat(500), 80)).toMatchInlineSnapshot(`" … [500 characters left out] … "`)
  })

  test('cuts JSON without spaces between its members', () => {
    const text = JSON.stringify(
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`name${index}`, `value${index}`])),
    )
    expect(clipMiddle(text, 160)).toMatchInlineSnapshot(
      `"{"name0":"value0","name1":"value1","name2":"value2","name3":"value3", … [444 characters left out] … "name28":"value28","name29":"value29"}"`,
    )
  })

  test('does not leave a value in the tail whose name it cut off', () => {
    const text = `${'word '.repeat(60)}authorization: Bearer thevalueitself ${'word '.repeat(12)}`
    const clipped = clipMiddle(text, 180)
    expect(clipped.includes('authorization') || !clipped.includes('thevalueitself')).toBe(true)
  })

  test('does not part a command from the flag that holds its password', () => {
    const text = `${'word '.repeat(60)}mysql -u root -h db.internal -pswordfish ${'word '.repeat(12)}`
    for (let limit = 80; limit < 400; limit += 1) {
      const clipped = clipMiddle(text, limit)
      expect(clipped.includes('mysql') || !clipped.includes('swordfish')).toBe(true)
    }
  })

  test('is empty where not even the mark fits', () => {
    expect(clipMiddle('far too long for that', 5)).toBe('')
  })
})

describe('wellFormed', () => {
  test('repairs lone surrogates and leaves whole characters alone', () => {
    expect(wellFormed('a\ud83db')).toBe('a\ufffdb')
    expect(wellFormed('a\u{1f600}b')).toBe('a\u{1f600}b')
  })
})
