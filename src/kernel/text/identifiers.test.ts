import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findIdentifiers, mayHoldName, countIdentifiers, findReferences } from './identifiers.ts'

test('names of two words and more are found in code and prose', () => {
  expect(findIdentifiers('call getUserName(user_id) in class HttpClient with MAX_RETRY_COUNT, please')).toEqual([
    'getUserName',
    'user_id',
    'HttpClient',
    'MAX_RETRY_COUNT',
  ])
})

test('prose, paths, data keys, ids and everyday names are not', () => {
  expect(
    findIdentifiers(
      'Fix src/my_module/user_list.py and "html_url": 1, toolu_01AbCdEfGhIjKlMnOp, MDQ6VXNlcjM1MTkzNA, forEach',
    ),
  ).toEqual([])
})

test('ids with few digits are not names either', () => {
  const ids = 'toolu_01UGvNSWPwWyJpCs1ZoTNrNg PRRC_kwDOQyo98M6lhODS'
  expect(findIdentifiers(`${ids} TestE2E_RewindToCheckpoint parse_V2HeaderFromBase64`)).toEqual([
    'TestE2E_RewindToCheckpoint',
    'parse_V2HeaderFromBase64',
  ])
})

test('a word that begins with a digit is not a name, nor is a part of it', () => {
  expect(findIdentifiers('7f3a-9cbMOeUtuieeCIxVc keepRow 2ndAttempt')).toEqual(['keepRow'])
  expect(countIdentifiers('9cbMOeUtuieeCIxVc keepRow', 5)).toEqual(['keepRow'])
})

test('a member is not a name unless it also occurs alone', () => {
  expect(
    findIdentifiers('strings.HasPrefix(name); store.keepRow(row); function keepRow(row) { return [...someRows] }'),
  ).toEqual(['keepRow', 'someRows'])
})

test('the names that a text uses most come first', () => {
  const text =
    'keepCheckpoint(x); listEvents(); store.keepCheckpoint(); src/my_module/user_list.py; forEach(); forEach()'
  expect(countIdentifiers(text, 10)).toEqual(['keepCheckpoint', 'listEvents'])
  expect(countIdentifiers(text, 1)).toEqual(['keepCheckpoint'])
})

test('references are found, standards are not', () => {
  expect(findReferences('closes #123 and ENT-42, see UTF-8, SHA-256 and (#7)')).toEqual(['#123', 'ENT-42'])
})

test('the address of an issue or a pull request is a reference', () => {
  const text =
    'see https://github.com/o/r/issues/950, https://gitlab.com/o/r/-/merge_requests/12 and https://x.dev/pulls'
  expect(findReferences(text)).toEqual(['#950', '#12'])
})

test('property: a line that may hold no name holds none', () => {
  const line = fc.array(fc.constantFrom('parse', 'Line', '_', 'ID', 'x9', ' ', '.', '/', '"', 'ok', '$'), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(
      line.map((parts) => parts.join('')),
      (text) => {
        if (!mayHoldName(text)) expect([countIdentifiers(text, 60), findIdentifiers(text)]).toEqual([[], []])
      },
    ),
  )
})

test('a word behind two underscores is a name, one of the language is none', () => {
  expect(findIdentifiers('`__apply` and __init__ and __x')).toEqual(['__apply'])
})

test('a variable of the environment is a name, whatever it is taken from; another member is none by itself', () => {
  expect(findIdentifiers('import.meta.env.VITE_API_URL ?? settings.baseUrl')).toEqual(['VITE_API_URL'])
})

test('a variable of the shell is one name with and without its sign; other names keep theirs', () => {
  expect(findIdentifiers('APP_PID=1; kill $APP_PID; echo ${APP_PID} $storeState $Store_Of')).toEqual([
    'APP_PID',
    '$storeState',
    '$Store_Of',
  ])
  expect(countIdentifiers('run_it $APP_PID APP_PID run_it $APP_PID', 5)).toEqual(['APP_PID', 'run_it'])
})
