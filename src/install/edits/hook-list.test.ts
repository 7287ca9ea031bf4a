import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { HoldfastError } from '../../kernel/errors.ts'
import { launcherCommand } from './launcher-command.ts'
import type { TextEdit } from '../contract/settings-text.ts'
import {
  type HookEntry,
  type HookWiring,
  hookEntries,
  hookGroups,
  isOurHook,
} from '../../harness/claude-code/hook-entries.ts'
import { hookListEdit } from './hook-list.ts'

const options = {
  harness: 'claude-code',
  distDir: '/opt/hold fast/dist',
  nodePath: '/usr/bin/node',
  platform: 'linux',
  pidVariable: 'CLAUDE_PID',
  exists: (path: string) => path === '/bin/bash',
} as const
const wiring: HookWiring = { command: (hook) => launcherCommand({ ...options, hook }) }
const hooks = hookEntries(wiring)
const withHttp = hookEntries({ ...wiring, http: { port: 41_999, token: 'hook-token' } })
const pieceOf = (entries: ReadonlyMap<string, HookEntry>) =>
  hookListEdit({ path: 'settings.json', hooks: hookGroups(entries), isOurs: isOurHook })
const piece = pieceOf(hooks)
const add = (text: string, entries = hooks) => pieceOf(entries).add(text)
const remove = (text: string, edit?: Omit<TextEdit, 'text'>) => piece.remove(text, edit)

const OTHERS = {
  model: 'opus',
  hooks: {
    SessionStart: [{ matcher: 'startup', hooks: [{ type: 'command', command: 'someone-elses-tool' }] }],
    Stop: [],
    PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'guard' }] }],
  },
}

describe('what is installed', () => {
  test('is the smallest thing that works in an empty file', () => {
    const [first] = hooks
    expect(add('', new Map(first === undefined ? [] : [first])).text).toMatchInlineSnapshot(`
      "{
        "hooks": {
          "SessionStart": [
            {
              "hooks": [
                {
                  "type": "command",
                  "command": "HOLDFAST_PID=$CLAUDE_PID HOLDFAST_NODE=/usr/bin/node /bin/bash -p '/opt/hold fast/dist/launcher.sh' claude-code SessionStart 2>/dev/null || :",
                  "timeout": 10
                }
              ]
            }
          ]
        }
      }
      "
    `)
  })

  test('stands beside what others have there', () => {
    const { hooks: after, model } = parse(add(JSON.stringify(OTHERS, undefined, 2)).text)
    expect(model).toBe('opus')
    expect(after.SessionStart).toEqual([OTHERS.hooks.SessionStart[0], { hooks: [hooks.get('SessionStart')] }])
    expect(after.Stop).toEqual([{ hooks: [hooks.get('Stop')] }])
    const forEdits = { matcher: expect.stringContaining('Edit|MultiEdit|Write'), hooks: [hooks.get('PreToolUse')] }
    expect(after.PreToolUse).toEqual([...OTHERS.hooks.PreToolUse, forEdits])
  })

  test('keeps the indentation, newlines and order it finds', () => {
    const text = '{\r\n\t"z": 1,\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{ "hooks": [] }\r\n\t\t]\r\n\t}\r\n}\r\n'
    expect(add(text, new Map([['Stop', { type: 'command', command: 'x', timeout: 5 }]])).text).toBe(
      '{\r\n\t"z": 1,\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{ "hooks": [] },\r\n\t\t\t{\r\n\t\t\t\t"hooks": [\r\n\t\t\t\t\t{\r\n\t\t\t\t\t\t"type": "command",\r\n\t\t\t\t\t\t"command": "x",\r\n\t\t\t\t\t\t"timeout": 5\r\n\t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}\r\n',
    )
  })

  test('a file on one line stays on one line', () => {
    expect(add('{"a":1}').text).not.toContain('\n')
  })

  test('times out in seconds, and by HTTP only where a lost event can be made good', () => {
    expect([...withHttp].map(([hook, entry]) => [hook, entry.type, entry.timeout])).toEqual([
      ['SessionStart', 'command', 10],
      ['UserPromptSubmit', 'command', 5],
      ['PreToolUse', 'http', 1],
      ['PostToolUse', 'http', 1],
      ['PostToolUseFailure', 'http', 1],
      ['SubagentStart', 'http', 1],
      ['SubagentStop', 'http', 1],
      ['PreCompact', 'command', 10],
      ['PostCompact', 'command', 5],
      ['Stop', 'command', 5],
      ['SessionEnd', 'command', 5],
    ])
    expect(withHttp.get('PostToolUse')).toEqual({
      type: 'http',
      url: 'http://127.0.0.1:41999/hook/claude-code/PostToolUse',
      headers: { Authorization: 'Bearer hook-token' },
      timeout: 1,
    })
  })

  test('is recognised as ours, and nothing of others is', () => {
    for (const entry of [...hooks.values(), ...withHttp.values()]) expect(isOurHook(entry)).toBe(true)
    for (const entry of [
      { type: 'command', command: 'launcher.sh' },
      { type: 'command', command: "'/x/launcher.sh' claude-code Stop && rm -rf" },
      { type: 'http', url: 'http://127.0.0.1:8080/hook/other/Stop' },
      { type: 'http', url: 'https://example.com/hook/claude-code/Stop' },
      'launcher.sh claude-code Stop',
      null,
    ])
      expect(isOurHook(entry)).toBe(false)
  })

  test('can be listed again', () => {
    expect(piece.find(add('{}').text)).toEqual(new Map([...hooks].map(([hook, entry]) => [hook, [entry]])))
  })
})

describe('what is refused, untouched', () => {
  test.each([
    ['{'],
    ['{"a":1,,}'],
    ['[]'],
    ['"x"'],
    ['{"hooks": []}'],
    ['{"hooks": {"Stop": {}}}'],
    ['{"a":1} trailing'],
    ['nonsense'],
  ])('%s', (text) => {
    expect(() => add(text)).toThrow(HoldfastError)
  })

  test('nesting deep enough to overflow a parser', () => {
    expect(() => add('['.repeat(200_000))).toThrow(HoldfastError)
  })
})

describe('uninstall', () => {
  test.each([
    ['nothing', ''],
    ['an empty object', '{}'],
    ['an empty object over two lines', '{\n}\n'],
    ['an object with only a comment', '{\n  // mine\n}\n'],
    ['a block comment', '{ /* mine */ }'],
    ['a byte order mark', '\uFEFF{\n  "a": 1\n}'],
    ['CRLF', '{\r\n    "a": 1\r\n}\r\n'],
    ['tabs', '{\n\t"hooks": {}\n}'],
    ['hooks of others', JSON.stringify(OTHERS, undefined, 3)],
    ['hooks of others on one line', JSON.stringify(OTHERS)],
    ['an inline list', '{\n  "hooks": { "Stop": [{ "hooks": [] }] }\n}\n'],
    [
      'comments everywhere',
      '{ // a\n  "hooks": { // b, c\n    "Stop": [ // d\n      {"hooks": []}, // e\n    ], /* f, */\n  }, // g\n}',
    ],
    ['a trailing comma', '{\n  "a": [1,],\n}'],
    ['two of the same key', '{"hooks": {"Stop": [1]}, "hooks": {"Stop": []}}'],
  ])('gives back exactly what install was given: %s', (_name, text) => {
    for (const entries of [hooks, withHttp]) {
      const edit = add(text, entries)
      expect(edit.text).not.toBe(text)
      expect(remove(edit.text, edit)).toBe(text)
    }
  })

  test('without a manifest, what only held ours goes with it', () => {
    const text = JSON.stringify({ model: 'opus', hooks: { PreToolUse: [{ hooks: [] }] } }, undefined, 2)
    expect(remove(add(text).text)).toBe(text)
    expect(parse(remove(add('{\n  "a": 1\n}').text))).toEqual({ a: 1 })
  })

  test.each([
    ['{\n  "a": 1,\n  "hooks": []\n}', '`hooks` is not an object'],
    ['{\n  "a": 1,\n  "hooks": { "Stop": {} }\n}', '`hooks.Stop` is not a list'],
  ])('an empty one of another kind, put where ours stood, is not ours to take out or to replace: %s', (theirs, why) => {
    const edit = add('{\n  "a": 1\n}')
    const rest = remove(theirs, edit)
    expect(rest).toBe(theirs)
    expect(() => add(rest)).toThrow(why)
  })

  test('an entry of ours that the user altered goes too; one they put beside it stays', () => {
    const edit = add('{\n  "a": 1\n}')
    const settings = parse(edit.text)
    settings.hooks.Stop[0].hooks[0].timeout = 99
    settings.hooks.Stop[0].hooks.push({ type: 'command', command: 'mine' })
    settings.hooks.SessionEnd.push({ hooks: [{ type: 'command', command: 'bye' }] })
    expect(parse(remove(JSON.stringify(settings, undefined, 2), edit))).toEqual({
      a: 1,
      hooks: {
        Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }],
        SessionEnd: [{ hooks: [{ type: 'command', command: 'bye' }] }],
      },
    })
  })

  test('a group of ours to which the user gave a property of their own stays, empty', () => {
    const stop = hooks.get('Stop')
    const group = { hooks: [stop], note: 'mine' }
    expect(parse(remove(JSON.stringify({ hooks: { Stop: [group] } })))).toEqual({
      hooks: { Stop: [{ ...group, hooks: [] }] },
    })
  })

  test('what the file must have beside hooks stays as long as somebody’s hooks are in the list that we made', () => {
    const versioned = hookListEdit({
      path: 'hooks.json',
      hooks: hookGroups(hooks),
      isOurs: isOurHook,
      defaults: { version: 1 },
    })
    const edit = versioned.add('')
    const file: unknown = parse(edit.text)
    expect(file).toMatchObject({ version: 1 })
    const theirs = { hooks: [{ type: 'command', command: 'mine' }] }
    const shared = edit.text.replace('"Stop": [', `"Stop": [\n      ${JSON.stringify(theirs)},`)
    expect(parse(versioned.remove(shared, edit))).toEqual({ version: 1, hooks: { Stop: [theirs] } })
    expect(versioned.remove(edit.text, edit)).toBe('')
  })

  test('a property the user put after ours in a file we created stays', () => {
    const edit = add('{}')
    const edited = `${edit.text.slice(0, -2)},\n  "theme": "dark"\n}`
    expect(remove(edited, edit)).toBe('{\n  "theme": "dark"\n}')
  })

  test('comments between entries survive being edited around', () => {
    const edit = add('{\n  "hooks": {\n    "Stop": [\n      {"hooks": [1]} // keep me\n    ]\n  }\n}')
    const edited = edit.text.replace('{\n', '{\n  // new\n').replace('"hooks": [1]', '"hooks": [1, 2]')
    expect(remove(edited, edit)).toBe(
      '{\n  // new\n  "hooks": {\n    "Stop": [\n      {"hooks": [1, 2]} // keep me\n    ]\n  }\n}',
    )
  })
})

const HOOK_NAMES = ['SessionStart', 'Stop', 'PreToolUse', 'PostToolUse', 'Custom'] as const
const foreignHook = fc.record({ type: fc.constant('command'), command: fc.stringMatching(/^[a-z $'"\\/]{1,20}$/) })
const foreignGroup = fc.record(
  { matcher: fc.constantFrom('', 'Bash', 'Edit|Write'), hooks: fc.array(foreignHook, { maxLength: 2 }) },
  { requiredKeys: ['hooks'] },
)
const settingsValue = fc.record(
  {
    model: fc.string(),
    env: fc.dictionary(
      fc.stringMatching(/^[A-Z_]{1,8}$/),
      fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
    ),
    hooks: fc.dictionary(fc.constantFrom(...HOOK_NAMES), fc.array(foreignGroup, { maxLength: 3 })),
    permissions: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: [] },
)

interface Manner {
  indent: number | string
  crlf: boolean
  bom: boolean
  end: string
  comment: boolean
}
const manner = fc.record<Manner>({
  indent: fc.constantFrom<number | string>(0, 1, 2, 4, '\t', 7),
  crlf: fc.boolean(),
  bom: fc.boolean(),
  end: fc.constantFrom('', '\n', '\n\n  '),
  comment: fc.boolean(),
})

function write(value: unknown, { indent, crlf, bom, end, comment }: Manner): string {
  const json = JSON.stringify(value, undefined, indent)
  const commented =
    comment && json.includes('\n')
      ? json.replace('\n', ' // a note, with a comma\n').replace(/\n(\s*)([\]}])/, '\n$1/* end */ $2')
      : json
  const text = `${bom ? '\uFEFF' : ''}${commented}${end}`
  return crlf ? text.replaceAll('\n', '\r\n') : text
}

describe('properties', () => {
  test('whatever the settings are and however they are written, uninstall gives back every byte', () => {
    fc.assert(
      fc.property(settingsValue, manner, fc.boolean(), (value, style, useHttp) => {
        const text = write(value, style)
        const edit = add(text, useHttp ? withHttp : hooks)
        expect(remove(edit.text, edit)).toBe(text)
        expect(piece.find(edit.text).size).toBe(11)
      }),
      { numRuns: 400 },
    )
  })

  test('an edit between install and uninstall is kept, and nothing else differs', () => {
    const MARK = 'EDIT_ME_LATER'
    fc.assert(
      fc.property(settingsValue, manner, fc.constantFrom('first', 'last', 'hook'), (value, style, where) => {
        const marked =
          where === 'first'
            ? { note: MARK, ...value }
            : where === 'last'
              ? { ...value, note: MARK }
              : {
                  ...value,
                  hooks: {
                    ...value.hooks,
                    Stop: [{ hooks: [{ type: 'command', command: MARK }] }, ...(value.hooks?.Stop ?? [])],
                  },
                }
        const text = write(marked, style)
        const edit = add(text)
        const change = (settings: string) => settings.replace(MARK, 'edited by the user, and longer')
        expect(remove(change(edit.text), edit)).toBe(change(text))
      }),
      { numRuns: 400 },
    )
  })

  test('settings rewritten by another program lose ours and nothing else', () => {
    fc.assert(
      fc.property(settingsValue, manner, manner, (value, style, rewritten) => {
        const edit = add(write(value, style))
        const again = write(parse(edit.text.replace(/^\uFEFF/, '')), { ...rewritten, comment: false })
        const without = parse(remove(again, edit).replace(/^\uFEFF/, ''))
        expect(without).toEqual(parse(write(value, { ...style, comment: false }).replace(/^\uFEFF/, '')))
      }),
      { numRuns: 300 },
    )
  })

  test('a control: an uninstall that leaves one entry behind is noticed', () => {
    const edit = add('{"a":1}')
    const careless = edit.text.replace(/"Stop":\[.*?\]\}\],/, '')
    expect(careless).not.toBe('{"a":1}')
    expect(piece.find(careless).size).toBe(10)
  })
})
