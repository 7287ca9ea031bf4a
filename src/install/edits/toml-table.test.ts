import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { isObject } from '../../kernel/json-shape.ts'
import { tomlTableEdit } from './toml-table.ts'

const value = { command: '/usr/bin/node', args: ['/opt/bin/holdfast', 'mcp'], env: { HOLDFAST_HOME: '/h' } }
const piece = tomlTableEdit({
  id: 'mcp',
  kind: 'mcp',
  path: 'config.toml',
  table: ['mcp_servers', 'holdfast'],
  value,
  isOurs: (known) => isObject(known) && Array.isArray(known.args) && known.args[1] === 'mcp',
})

const OTHERS = '# mine\nmodel = "o5"\n\n[mcp_servers.github]\ncommand = "npx" # so\n'

describe('a table of ours', () => {
  test('is put at the end, between marks', () => {
    expect(piece.add(OTHERS).text).toMatchInlineSnapshot(`
      "# mine
      model = "o5"

      [mcp_servers.github]
      command = "npx" # so

      # holdfast: begin. Written by \`holdfast init\`, taken out by \`holdfast uninstall\`.
      [mcp_servers.holdfast]
      command = "/usr/bin/node"
      args = [ "/opt/bin/holdfast", "mcp" ]

      [mcp_servers.holdfast.env]
      HOLDFAST_HOME = "/h"
      # holdfast: end.
      "
    `)
    expect(piece.find(piece.add(OTHERS).text)).toEqual(new Map([['mcp_servers.holdfast', [value]]]))
  })

  test.each([
    ['nothing', ''],
    ['others', OTHERS],
    ['no newline at the end', 'a = 1'],
    ['Windows newlines and a BOM', '\uFEFFa = 1\r\n[b]\r\nc = 2\r\n'],
  ])('leaves exactly what was there: %s', (_name, text) => {
    const edit = piece.add(text)
    expect(piece.remove(edit.text, edit)).toBe(text)
  })

  test('leaves what the user or the harness wrote around it', () => {
    const edit = piece.add(OTHERS)
    const around = `# above\n${edit.text}\n[projects."/a"]\ntrust_level = "trusted"\n`
    expect(piece.remove(around, edit)).toBe(`# above\n${OTHERS}\n[projects."/a"]\ntrust_level = "trusted"\n`)
  })

  test('is found by its name when the marks and the record are gone', () => {
    const bare = piece.add(OTHERS).text.replace(/^# holdfast: .*\n/gm, '')
    const altered = `${bare.replace('args', 'startup_timeout_sec = 9\nargs')}\n[zz]\na = 1\n`
    const left = piece.remove(altered, undefined)
    expect(parse(left)).toEqual({ ...parse(OTHERS), zz: { a: 1 } })
    expect(left).toContain('# so')
  })

  test("stands back for somebody's own", () => {
    const text = '[mcp_servers.holdfast]\ncommand = "holdfast"\nargs = ["serve"]\n'
    expect(piece.findObstacle?.(text)).toBe('has an entry of its own at `mcp_servers.holdfast`')
    expect(piece.remove(text, undefined)).toBe(text)
    expect(piece.findObstacle?.(OTHERS)).toBeUndefined()
  })

  test.each([
    ['what is not TOML', 'a = '],
    ['an inline table in its way', 'mcp_servers = { a = { command = "a" } }\n'],
    ['a value in its way', 'mcp_servers = 1\n'],
  ])('is refused for %s, and nothing is changed', (_name, text) => {
    expect(() => piece.add(text)).toThrow(expect.objectContaining({ code: 'settings-unreadable' }))
  })

  test('a key that strayed into our table goes with it, and into no other one', () => {
    const edit = piece.add(OTHERS)
    const stray = edit.text.replace('# holdfast: end.', 'mine = 1\n# holdfast: end.')
    expect(parse(piece.remove(stray, edit))).toEqual(parse(OTHERS))
  })
})
