import { expect, test } from 'vitest'
import { parseQuestion } from './question.ts'

test('a question has its keywords, their other forms at half weight, and the files it names', () => {
  expect(parseQuestion('Why does the db config in src/store/open.ts fail?')).toEqual({
    terms: ['db', 'config', 'src', 'stor', 'open', 'ts', 'fail'],
    related: new Map([
      ['databas', 0.5],
      ['configuration', 0.5],
      ['cfg', 0.5],
      ['typescript', 0.5],
    ]),
    files: ['src/store/open.ts'],
  })
})

test.each([
  ['ERR_MODULE_NOT_FOUND', 'errmodulenotfound'],
  ['TS2345', 'ts2345'],
  ['getUserById', 'getuserbyid'],
  ['max_pool_size', 'maxpoolsiz'],
])('%s is searched as a whole and by its parts', (text, whole) => {
  const { terms } = parseQuestion(text)
  expect(terms[0]).toBe(whole)
  expect(terms.length).toBeGreaterThan(1)
})
