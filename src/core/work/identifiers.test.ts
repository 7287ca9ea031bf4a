import { expect, test } from 'vitest'
import { identifiersIn, refsIn } from './identifiers.ts'

const names = (text: string) => identifiersIn(text).map(({ name }) => name)

test('names of two words and more are found in code and prose', () => {
  expect(names('call getUserName(user_id) in class HttpClient with MAX_RETRY_COUNT, please')).toEqual([
    'getUserName',
    'user_id',
    'HttpClient',
    'MAX_RETRY_COUNT',
  ])
})

test('prose, paths, data keys, ids and everyday names are not', () => {
  expect(
    names('Fix src/my_module/user_list.py and "html_url": 1, toolu_01AbCdEfGhIjKlMnOp, MDQ6VXNlcjM1MTkzNA, forEach'),
  ).toEqual([])
})

test('a member is told from a name that stands alone', () => {
  expect(identifiersIn('store.keepCheckpoint(x) then keepCheckpoint again, and x.listEvents()')).toEqual([
    { name: 'keepCheckpoint', isMember: false },
    { name: 'listEvents', isMember: true },
  ])
})

test('references are found, standards are not', () => {
  expect(refsIn('closes #123 and ENT-42, see UTF-8, SHA-256 and (#7)')).toEqual(['#123', 'ENT-42'])
})
