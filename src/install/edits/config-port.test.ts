import { expect, test } from 'vitest'
import { addPort, removePort } from './config-port.ts'

test.each(['', '{}', '{\n  "daemon": {\n    "idleExitMs": 5000\n  }\n}\n', '{"log":{"level":"warn"}}'])(
  'a port goes into %j and comes out again, byte for byte',
  (text) => {
    const edit = addPort(text, 41_999, 'config.json')
    expect(JSON.parse(edit.text)).toMatchObject({ daemon: { port: 41_999 } })
    expect(removePort(edit.text, edit)).toBe(text)
  },
)

test('a port that the user named is theirs', () => {
  const text = '{"daemon":{"port":80}}'
  expect(addPort(text, 41_999, 'config.json')).toEqual({ text, insertions: [], created: [] })
})

test('edited around, it is still removed; what cannot be separated from the user’s edits stays', () => {
  const edit = addPort('{"log":{"level":"warn"}}', 41_999, 'config.json')
  expect(removePort(edit.text.replace('warn', 'error'), edit)).toBe('{"log":{"level":"error"}}')
  const [insertion] = edit.insertions
  const twice = edit.text.replace('{', `{"a":1${insertion?.text ?? ''},`)
  expect(removePort(twice, edit)).toBe(twice)
})
