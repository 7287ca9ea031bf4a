import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { resolveHome } from '../platform/base/home.ts'
import { setup as cursorSetup } from './cursor/setup.ts'
import { setup as openClawSetup } from './openclaw/setup.ts'
import { setup as openCodeSetup } from './opencode/setup.ts'
import type { EntryEdit, SettingsEdit } from '../install/contract/settings-edit.ts'
import { setup as rooSetup } from './roo/setup.ts'
import type { TextEdit } from '../install/contract/settings-text.ts'
import type { HarnessSetup, Scope, SetupPorts } from '../install/contract/setup.ts'
import { setup as windsurfSetup } from './windsurf/setup.ts'

const root = join(import.meta.dirname, '..', '..')
const nowhere = mkdtempSync(join(tmpdir(), 'hf-round-trip-'))

const ports: SetupPorts = {
  env: { HOME: join(nowhere, 'home'), HOLDFAST_HOME: join(nowhere, 'it is "mine"') },
  cwd: join(nowhere, 'project'),
  home: resolveHome({ HOLDFAST_HOME: join(nowhere, 'it is "mine"') }),
  distDir: join(nowhere, 'package', 'dist'),
  skillsDir: join(root, 'skills'),
  platform: 'linux',
  nodePath: '/usr/bin/node',
}

function isEntry(piece: SettingsEdit): piece is EntryEdit {
  return piece.shape === 'entry'
}

/** Our entries by the file they are for: what lands in one file is one change of it. */
function filesOf(setup: HarnessSetup, scope: Scope): ReadonlyMap<string, readonly EntryEdit[]> {
  const entries = setup.edits(ports, scope, undefined).filter(isEntry)
  const paths = [...new Set(entries.map(({ path }) => path))]
  return new Map(paths.map((path) => [path, entries.filter((piece) => piece.path === path)]))
}

interface Installed {
  readonly text: string
  readonly edits: readonly (readonly [EntryEdit, TextEdit])[]
}

function install(text: string, pieces: readonly EntryEdit[]): Installed {
  return pieces.reduce<Installed>(
    (before, piece) => {
      const edit = piece.add(before.text)
      return { text: edit.text, edits: [...before.edits, [piece, edit]] }
    },
    { text, edits: [] },
  )
}

function uninstall(text: string, edits: Installed['edits']): string {
  return edits.toReversed().reduce((rest, [piece, edit]) => piece.remove(rest, edit), text)
}

const server = fc.record({
  command: fc.constantFrom('npx', 'uvx', '/opt/tool'),
  args: fc.array(fc.string(), { maxLength: 2 }),
})
const servers = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), server, { maxKeys: 3 })
const entry = fc.record({ command: fc.stringMatching(/^[a-z ./-]{1,20}$/) })
const hooks = fc.dictionary(
  fc.constantFrom('sessionStart', 'stop', 'pre_user_prompt', 'preCompact', 'other'),
  fc.array(entry, { maxLength: 2 }),
)
const plugins = fc.record({
  entries: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.record({ enabled: fc.boolean() })),
})

/** What a settings file of any of them may hold of others. */
const settings = fc.record(
  {
    $schema: fc.webUrl(),
    version: fc.constant(1),
    theme: fc.string(),
    mcp: fc.oneof(servers, fc.record({ servers })),
    mcpServers: servers,
    hooks,
    plugins,
    agents: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: [] },
)

interface Manner {
  readonly indent: number | string
  readonly isCrlf: boolean
  readonly hasBom: boolean
  readonly end: string
  readonly isCommented: boolean
}
const manner = fc.record<Manner>({
  indent: fc.constantFrom<number | string>(0, 1, 2, 4, '\t', 7),
  isCrlf: fc.boolean(),
  hasBom: fc.boolean(),
  end: fc.constantFrom('', '\n', '\n\n  '),
  isCommented: fc.boolean(),
})

function write(value: unknown, { indent, isCrlf, hasBom, end, isCommented }: Manner): string {
  const json = JSON.stringify(value, undefined, indent)
  const commented =
    isCommented && json.includes('\n')
      ? json.replace('\n', ' // a note, with a comma\n').replace(/\n(\s*)([\]}])/, '\n$1/* end */ $2')
      : json
  const text = `${hasBom ? '\uFEFF' : ''}${commented}${end}`
  return isCrlf ? text.replaceAll('\n', '\r\n') : text
}

/**
 * OpenCode keeps its servers right under `mcp`, OpenClaw one level down: a file holds the one or the other. Cursor's has a version, which
 * stays as long as there is anything else.
 */
function fitting(harness: string, given: Record<string, unknown>): Record<string, unknown> {
  const value = harness === 'cursor' ? { ...given, version: 1 } : given
  const { mcp, ...rest } = value
  if (mcp === undefined) return rest
  const isNested = typeof mcp === 'object' && mcp !== null && 'servers' in mcp && Object.keys(mcp).length === 1
  return isNested === (harness === 'openclaw') ? value : rest
}

const cases = [
  [openCodeSetup, 'user'],
  [openCodeSetup, 'project'],
  [openClawSetup, 'user'],
  [cursorSetup, 'user'],
  [cursorSetup, 'project'],
  [windsurfSetup, 'user'],
  [windsurfSetup, 'project'],
  [rooSetup, 'user'],
  [rooSetup, 'project'],
] as const

describe.each(cases.map(([setup, scope]) => ({ name: `${setup.id}, ${scope}`, setup, scope })))(
  '$name',
  ({ setup, scope }) => {
    const files = [...filesOf(setup, scope)]
    const json = files.filter(([path]) => /\.jsonc?$/.test(path)).map(([, pieces]) => pieces)
    const prose = files.filter(([path]) => path.endsWith('.md')).map(([, pieces]) => pieces)

    test('has something to write', () => {
      expect(json.length).toBeGreaterThan(0)
    })

    test('whatever the settings are and however they are written, an uninstall gives back every byte', () => {
      fc.assert(
        fc.property(fc.constantFrom(...json), settings, manner, (pieces, value, style) => {
          const text = write(fitting(setup.id, value), style)
          const { text: installed, edits } = install(text, pieces)
          for (const piece of pieces) expect(piece.find(installed).size).toBeGreaterThan(0)
          expect(uninstall(installed, edits)).toBe(text)
        }),
        { numRuns: 150, seed: 5 },
      )
    })

    test('what a user changes between install and uninstall is kept, and nothing else differs', () => {
      const MARK = 'EDIT_ME_LATER'
      fc.assert(
        fc.property(fc.constantFrom(...json), settings, manner, fc.boolean(), (pieces, value, style, isFirst) => {
          const others = fitting(setup.id, value)
          const text = write(isFirst ? { note: MARK, ...others } : { ...others, note: MARK }, style)
          const { text: installed, edits } = install(text, pieces)
          const change = (before: string) => before.replace(MARK, 'changed by the user, and longer')
          expect(uninstall(change(installed), edits)).toBe(change(text))
        }),
        { numRuns: 150, seed: 5 },
      )
    })

    test('settings that another program rewrote lose our entries and nothing else', () => {
      fc.assert(
        fc.property(fc.constantFrom(...json), settings, manner, manner, (pieces, value, style, again) => {
          const others = fitting(setup.id, value)
          const { text: installed, edits } = install(write(others, style), pieces)
          const rewritten = write(parse(installed.replace(/^\uFEFF/, '')), { ...again, isCommented: false })
          const left: unknown = parse(uninstall(rewritten, edits).replace(/^\uFEFF/, ''))
          expect(left).toEqual(parse(JSON.stringify(others)))
        }),
        { numRuns: 100, seed: 5 },
      )
    })

    test('a second look finds what the first install wrote, and similar names are not ours', () => {
      for (const pieces of json) {
        const { text } = install('{}', pieces)
        for (const piece of pieces) {
          expect(piece.findObstacle?.(text)).toBeUndefined()
          expect(piece.find('{}').size).toBe(0)
        }
      }
    })

    test('prose gets our lines at its end and loses them again', () => {
      for (const pieces of prose)
        for (const text of ['', '# Mine\n', '# Mine\r\n\r\nBe terse.\r\n', 'no newline']) {
          const { text: installed, edits } = install(text, pieces)
          expect(installed.startsWith(text)).toBe(true)
          expect(uninstall(installed, edits)).toBe(text)
        }
    })
  },
)

test('a control: an entry that is left behind is noticed', () => {
  const [pieces = []] = [...filesOf(cursorSetup, 'user').values()]
  const { text } = install('{}', pieces)
  expect(uninstall(text, [])).not.toBe('{}')
})

test('an entry of the same name that is not ours is left alone, and that is said', () => {
  const [piece] = [...filesOf(openCodeSetup, 'user').values()].flat().filter(({ id }) => id === 'mcp')
  const theirs = '{"mcp":{"holdfast":{"type":"local","command":["my-own"]}}}'
  expect(piece?.findObstacle?.(theirs)).toContain('mcp.holdfast')
  expect(piece?.find(theirs).size).toBe(0)
})

describe('locator', () => {
  const paths = (setup: HarnessSetup, env: NodeJS.ProcessEnv, scope: Scope) =>
    setup.edits({ ...ports, env: { ...ports.env, ...env } }, scope, undefined).map(({ path }) => path)

  test("OpenCode's own variables are heeded", () => {
    const chosen = paths(openCodeSetup, { OPENCODE_CONFIG_DIR: '/o/c', XDG_CONFIG_HOME: '/x' }, 'user')
    expect(chosen.slice(0, 3)).toEqual(['/o/c/plugins/holdfast.js', '/o/c/opencode.json', '/x/opencode/AGENTS.md'])
    expect(paths(openCodeSetup, { XDG_CONFIG_HOME: '/x' }, 'user')[0]).toBe('/x/opencode/plugins/holdfast.js')
  })

  test("OpenClaw's own variables are heeded", () => {
    const chosen = paths(openClawSetup, { OPENCLAW_STATE_DIR: '/s', OPENCLAW_CONFIG_PATH: '/c/own.json' }, 'user')
    expect(chosen).toContain('/c/own.json')
    expect(chosen.some((path) => path.startsWith('/s/skills/'))).toBe(true)
    expect(paths(openClawSetup, { OPENCLAW_HOME: '/h' }, 'user')).toContain('/h/.openclaw/openclaw.json')
  })

  test('the home that was installed with is found again, whatever its name', () => {
    for (const setup of [openCodeSetup, openClawSetup, cursorSetup, windsurfSetup]) {
      const piece = setup.edits(ports, 'user', undefined).find(({ reach }) => reach !== undefined)
      const text = piece?.shape === 'file' ? piece.content : piece?.add('{}').text
      expect([setup.id, piece?.reach?.findHome(text ?? '')]).toEqual([setup.id, ports.home.root])
    }
  })

  test.each([
    ['{"plugins":{"enabled":false}}', 'plugins.enabled'],
    ['{"plugins":{"allow":["other"]}}', 'plugins.allow'],
    ['{"plugins":{"deny":["holdfast"]}}', 'plugins.deny'],
    ['{"plugins":{"allow":["holdfast"]}}', undefined],
    ['{}', undefined],
  ])('what keeps OpenClaw from loading us in %s is %s', (text, silencer) => {
    expect(openClawSetup.findDisablingSetting(text, 'openclaw.json')).toBe(silencer)
  })
})
