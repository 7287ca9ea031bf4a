import { expect, test } from 'vitest'
import { writerPresets } from '../harness/registry.ts'
import { DEFAULT_CONFIG } from '../kernel/config.ts'
import { getWriter, listPresetNames, resolveWriter } from './presets.ts'

const aConfig = (command: string, model = '') => ({ ...DEFAULT_CONFIG.digest, command, model })

test('nothing is configured by default, and the refusal names the presets', () => {
  expect(resolveWriter(DEFAULT_CONFIG.digest, writerPresets)).toBeUndefined()
  expect(() => getWriter(DEFAULT_CONFIG.digest, writerPresets)).toThrow('No program is configured')
  expect(listPresetNames(writerPresets)).toEqual(['claude', 'codex', 'gemini', 'opencode', 'local'])
})

test('every preset of a harness starts its program without hooks or tools, and with the chosen model', () => {
  const lines = writerPresets.map(({ name }) => {
    const spec = getWriter(aConfig(name, 'small'), writerPresets)
    return spec.kind === 'program' ? [...spec.words, ...Object.keys(spec.env)].join(' ') : ''
  })
  expect(lines).toMatchInlineSnapshot(`
    [
      "claude -p --output-format text --tools  --strict-mcp-config --settings {"disableAllHooks":true} --no-session-persistence --model small",
      "codex exec --skip-git-repo-check --sandbox read-only --ephemeral --disable hooks --color never --model small",
      "gemini -p Print the handoff that the text above asks for. --output-format text --approval-mode plan --skip-trust --extensions none --allowed-mcp-server-names none --model small",
      "opencode run --pure --model small OPENCODE_CONFIG_CONTENT OPENCODE_DISABLE_PROJECT_CONFIG OPENCODE_DISABLE_SHARE",
    ]
  `)
})

test('a program is split into arguments; one that needs a shell is refused', () => {
  expect(resolveWriter(aConfig(`/opt/write "two words" --fast`), writerPresets)).toEqual({
    kind: 'program',
    words: ['/opt/write', 'two words', '--fast'],
    env: {},
  })
  expect(() => resolveWriter(aConfig('a | b'), writerPresets)).toThrow('needs a shell')
})
