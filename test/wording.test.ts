import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

const script = pathToFileURL(join(import.meta.dirname, '../scripts/check-wording.mjs')).href
const { findingsIn }: { findingsIn: (path: string, text: string) => readonly string[] } = await import(script)

const DOOR = '"door": write API, entry point'

test.each([
  ['a line comment', 'a.ts', 'const a = 1 // opens the door\n', [`a.ts:1: ${DOOR}`]],
  ['a block comment', 'a.ts', '\n/**\n * Opens the door.\n */\n', [`a.ts:3: ${DOOR}`]],
  ['a message', 'a.ts', "throw new Error('The door is closed.')\n", [`a.ts:1: ${DOOR}`]],
  ['a template', 'a.ts', 'const text = `The door\nof ${name}`\n', [`a.ts:1: ${DOOR}`]],
  [
    'a comment with a name of code that a rename left',
    'a.ts',
    '// The files that it namesFile, by path.\n',
    ['a.ts:1: "namesFile": write the word that was meant, or the name in backticks'],
  ],
  [
    'product code that names no actor',
    'a.ts',
    '// Nobody waits for it.\n',
    ['a.ts:1: "Nobody": write the person, process or session that acts: "no client", "the author"'],
  ],
  ['Markdown', 'a.md', '# Title\n\nOpen the door.\n', [`a.md:3: ${DOOR}`]],
])('the wording check finds an avoided word in %s', (_, path, text, findings) => {
  expect(findingsIn(path, text)).toEqual(findings)
})

test.each([
  ['identifiers', 'a.ts', 'const door = rooms.door(anew)\n'],
  ['one-word strings such as field names', 'a.ts', "const field = 'door'\n"],
  ['regular expressions', 'a.ts', 'const words = /the door anew/\n'],
  ['code in a comment', 'a.ts', '// `door` is a stored field\n'],
  ['names of tests that name no actor', 'a.test.ts', "test('nobody waits for it', () => {})\n"],
  ['code in Markdown', 'a.md', 'The field `door`.\n\n```\nopen the door\n```\n'],
  ['a line with a stated reason', 'a.ts', '// the door of a room, in a quotation: wording-ok\n'],
])('the wording check leaves out %s', (_, path, text) => {
  expect(findingsIn(path, text)).toEqual([])
})
