import fc from 'fast-check'
import { expect, test } from 'vitest'
import { identifiersIn, mayHoldName, namesUsedIn, refsIn } from './identifiers.ts'

test('names of two words and more are found in code and prose', () => {
  expect(identifiersIn('call getUserName(user_id) in class HttpClient with MAX_RETRY_COUNT, please')).toEqual([
    'getUserName',
    'user_id',
    'HttpClient',
    'MAX_RETRY_COUNT',
  ])
})

test('prose, paths, data keys, ids and everyday names are not', () => {
  expect(
    identifiersIn(
      'Fix src/my_module/user_list.py and "html_url": 1, toolu_01AbCdEfGhIjKlMnOp, MDQ6VXNlcjM1MTkzNA, forEach',
    ),
  ).toEqual([])
})

test('ids with few digits are no names either', () => {
  const ids = 'toolu_01UGvNSWPwWyJpCs1ZoTNrNg PRRC_kwDOQyo98M6lhODS'
  expect(identifiersIn(`${ids} TestE2E_RewindToCheckpoint parse_V2HeaderFromBase64`)).toEqual([
    'TestE2E_RewindToCheckpoint',
    'parse_V2HeaderFromBase64',
  ])
})

test('what begins with a digit is no name, nor is the rest of it', () => {
  expect(identifiersIn('7f3a-9cbMOeUtuieeCIxVc keepRow 2ndAttempt')).toEqual(['keepRow'])
  expect(namesUsedIn('9cbMOeUtuieeCIxVc keepRow', 5)).toEqual(['keepRow'])
})

test('a member is told by what it belongs to, unless it stands alone as well', () => {
  expect(
    identifiersIn('strings.HasPrefix(name); store.keepRow(row); function keepRow(row) { return [...someRows] }'),
  ).toEqual(['keepRow', 'someRows'])
})

test('the names that a text uses most come first', () => {
  const text =
    'keepCheckpoint(x); listEvents(); store.keepCheckpoint(); src/my_module/user_list.py; forEach(); forEach()'
  expect(namesUsedIn(text, 10)).toEqual(['keepCheckpoint', 'listEvents'])
  expect(namesUsedIn(text, 1)).toEqual(['keepCheckpoint'])
})

test('references are found, standards are not', () => {
  expect(refsIn('closes #123 and ENT-42, see UTF-8, SHA-256 and (#7)')).toEqual(['#123', 'ENT-42'])
})

test('the address of an issue or a pull request is a reference', () => {
  const text =
    'see https://github.com/o/r/issues/950, https://gitlab.com/o/r/-/merge_requests/12 and https://x.dev/pulls'
  expect(refsIn(text)).toEqual(['#950', '#12'])
})

test('property: a line that may hold no name holds none', () => {
  const line = fc.array(fc.constantFrom('parse', 'Line', '_', 'ID', 'x9', ' ', '.', '/', '"', 'ok', '$'), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(
      line.map((parts) => parts.join('')),
      (text) => {
        if (!mayHoldName(text)) expect([namesUsedIn(text, 60), identifiersIn(text)]).toEqual([[], []])
      },
    ),
  )
})

test('a word behind two underscores is a name, one of the language is none', () => {
  expect(identifiersIn('`__apply` and __init__ and __x')).toEqual(['__apply'])
})

test('a variable of the environment is a name, whatever it is taken from; another member is none by itself', () => {
  expect(identifiersIn('import.meta.env.VITE_API_URL ?? settings.baseUrl')).toEqual(['VITE_API_URL'])
})

test('a variable of the shell is one name with and without its sign; other names keep theirs', () => {
  expect(identifiersIn('APP_PID=1; kill $APP_PID; echo ${APP_PID} $storeState $Store_Of')).toEqual([
    'APP_PID',
    '$storeState',
    '$Store_Of',
  ])
  expect(namesUsedIn('run_it $APP_PID APP_PID run_it $APP_PID', 5)).toEqual(['APP_PID', 'run_it'])
})
