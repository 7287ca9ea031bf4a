import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { isObject } from '../../kernel/json-shape.ts'
import { jsonEntryEdit } from './json-entry.ts'

const isOurs = (value: unknown) => isObject(value) && value.by === 'us'
const entry = (at: readonly string[], value: unknown = { by: 'us' }) =>
  jsonEntryEdit({ id: 'mcp', kind: 'mcp', path: 'x.json', at, key: 'holdfast', value, isOurs })

describe('a property', () => {
  test('makes the way to its place, in the manner of the file', () => {
    expect(entry(['projects', '/a/b', 'mcpServers']).add('{\n    "n": 1\n}').text).toBe(
      '{\n    "n": 1,\n    "projects": {\n        "/a/b": {\n            "mcpServers": {\n                "holdfast": {\n                    "by": "us"\n                }\n            }\n        }\n    }\n}',
    )
    expect(entry(['mcpServers']).add('{"mcpServers":{"a":{}},"n":1}').text).toBe(
      '{"mcpServers":{"a":{},"holdfast":{"by":"us"}},"n":1}',
    )
  })

  test('leaves with every container that was made for it, also when the whole file was rewritten meanwhile', () => {
    const piece = entry(['projects', '/a/b', 'mcpServers'])
    const edit = piece.add('{"projects":{"/a/b":{"seen":true}},"n":1}')
    const rewritten = JSON.stringify({ ...parse(edit.text), n: 2 }, undefined, 2)
    expect(piece.remove(rewritten, edit)).toBe(
      JSON.stringify({ projects: { '/a/b': { seen: true } }, n: 2 }, undefined, 2),
    )
  })

  test('leaves a container that was there before, empty as it was', () => {
    const piece = entry(['mcpServers'])
    const edit = piece.add('{"mcpServers":{}}')
    expect(piece.remove(edit.text, edit)).toBe('{"mcpServers":{}}')
    expect(parse(piece.remove(JSON.stringify(parse(edit.text), undefined, 1), edit))).toEqual({ mcpServers: {} })
  })

  test('is taken out by what it is though comments around it hold commas', () => {
    const ours = '"mcpServers": {"holdfast": {"by": "us"}}'
    const piece = entry(['mcpServers'])
    expect(piece.remove(`{"a": 1 /* x, y */, ${ours}}`, undefined)).toBe('{"a": 1 /* x, y */}')
    expect(piece.remove(`{\n  "a": 1, // x, y\n  ${ours}\n}`, undefined)).toBe('{\n  "a": 1 // x, y\n  \n}')
    expect(piece.remove(`{${ours} /* x, y */, "a": 1}`, undefined)).toBe('{ /* x, y */"a": 1}')
  })

  test("does not touch somebody's own entry of that name, and says where it is", () => {
    const text = '{"mcpServers":{"holdfast":{"command":"holdfast","args":["mcp"]}}}'
    const piece = entry(['mcpServers'])
    expect(piece.findObstacle?.(text)).toBe('has an entry of its own at `mcpServers.holdfast`')
    expect(piece.find(text)).toEqual(new Map())
    expect(piece.remove(text, undefined)).toBe(text)
  })

  test('is refused where something else stands on the way', () => {
    expect(() => entry(['mcpServers']).add('{"mcpServers":[]}')).toThrow('`mcpServers` is not an object')
    expect(() => entry(['mcpServers']).add('[1]')).toThrow('is not a JSON object')
    expect(() => entry(['mcpServers']).add('{"mcpServers":')).toThrow(
      expect.objectContaining({ code: 'settings-unreadable' }),
    )
  })

  test('whatever the file holds, nothing but ours comes and goes', () => {
    const key = fc.constantFrom('a', 'b/c', '~', '', '__proto__')
    const value = fc.dictionary(
      fc.constantFrom('mcpServers', 'other', 'b/c'),
      fc.dictionary(key, fc.jsonValue({ maxDepth: 1 })),
    )
    const layout = fc.constantFrom<number | string>(0, 2, '\t')
    fc.assert(
      fc.property(value, layout, fc.array(key, { minLength: 1, maxLength: 2 }), (before, indent, at) => {
        const text = JSON.stringify(before, undefined, indent)
        const piece = entry(['mcpServers', ...at])
        let edit: ReturnType<typeof piece.add>
        try {
          edit = piece.add(text)
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'settings-unreadable' })
          return
        }
        expect([...piece.find(edit.text).values()]).toEqual([[{ by: 'us' }]])
        expect(piece.remove(edit.text, edit)).toBe(text)
        const rewritten = JSON.stringify(JSON.parse(edit.text), undefined, 3)
        expect(JSON.parse(piece.remove(rewritten, edit))).toEqual(JSON.parse(text))
      }),
      { seed: 7, numRuns: 300 },
    )
  })
})
