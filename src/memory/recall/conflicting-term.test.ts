import { expect, test } from 'vitest'
import { findRival, spokenOf } from './conflicting-term.ts'

const rivalOf = (prompt: string, text: string) => findRival(spokenOf(prompt), spokenOf(text))

test.each([
  ['the production database', 'The staging database is small', { asked: 'production', said: 'stag' }],
  ['deploy to prod', 'Deploy to staging by hand', { asked: 'prod', said: 'stag' }],
  ['billing API v2', 'The billing API v1 is slow', { asked: 'v2', said: 'v1' }],
  ['flags of Node 18', 'Node 20 needs flags', { asked: '18', said: '20' }],
  ['phase 2 of the move', 'Phase 1 of the move', { asked: '2', said: '1' }],
  ['the EU cluster', 'The UK cluster', { asked: 'eu', said: 'uk' }],
  ['quota of eu-west', 'The ap-west quota', { asked: 'eu', said: 'ap' }],
  ['run it with pnpm', 'Run it with npm', { asked: 'pnpm', said: 'npm' }],
])('%j is not what %j is about', (prompt, text, rival) => {
  expect(rivalOf(prompt, text)).toEqual(rival)
})

test.each([
  ['the production database', 'Production and staging databases are alike'],
  ['staging or production?', 'Staging is small'],
  ['deploy to prod', 'Production is deployed by hand'],
  ['the production database', 'The database is small'],
  ['why does the parser drop blank lines?', 'The parser treats blank lines as separators'],
  ['fix these 2 parser tests', 'Parser tests need 30 seconds'],
  ["what's the port?", 'The UK port is closed'],
  ['billing API v2', 'The billing API listens on port 5433'],
  ['why does the client time out after 30 seconds?', 'The server times out after 30 seconds'],
  ['rewrite the parser in TypeScript', 'The JavaScript parser drops comments'],
  ['the export of invoices is slow', 'Invoices are slow to import'],
  ['move the dev build into the sandbox', 'The dev build needs a token'],
  ['my parser is slow', 'ox parser, qt parser and all others'],
])('%j may be what %j is about', (prompt, text) => {
  expect(rivalOf(prompt, text)).toBeUndefined()
})
