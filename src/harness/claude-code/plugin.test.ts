import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { asList, asObject, asText } from '../../kernel/json-shape.ts'
import { shippedFiles } from '../../install/edits/own-file.ts'
import { claudeCode } from './index.ts'
import { pluginFiles } from './plugin.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const license = readFileSync(join(root, 'LICENSE'), 'utf8')
const files = pluginFiles({ version, license, skills: shippedFiles(join(root, 'skills')) })
const hooks = asObject(JSON.parse(files['plugins/claude-code/hooks/hooks.json'] ?? '').hooks)

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-plugin-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function commandOf(hook: string): string {
  const [group] = asList(hooks[hook])
  const [entry] = asList(asObject(group).hooks)
  return asText(asObject(entry).command) ?? ''
}

test('what is in the package is what the code would write', () => {
  for (const [path, text] of Object.entries(files)) expect(readFileSync(join(root, path), 'utf8')).toBe(text)
})

test('it has every hook that we expect to see', () => {
  expect(Object.keys(hooks)).toEqual(claudeCode.hooks.map(({ hook }) => hook))
})

test.skipIf(process.platform === 'win32').each([
  ['no settings', undefined, 'called claude-code Stop'],
  [
    'settings of others',
    '{"hooks":{"Stop":[{"hooks":[{"command":"/x/launcher.sh other Stop"}]}]}}',
    'called claude-code Stop',
  ],
  ['our hooks', '{"command":"HOLDFAST_NODE=/n /bin/sh /opt/dist/launcher.sh claude-code Stop || :"}', ''],
  [
    'our hooks in a folder with a space',
    `{"command":"HOLDFAST_NODE=/n /bin/sh '/o p/launcher.sh' claude-code Stop || :"}`,
    '',
  ],
])('with %s its hook does what it should, and never fails', (_name, settings, said) => {
  const bin = join(dir, 'bin')
  mkdirSync(bin)
  mkdirSync(join(dir, '.claude'))
  writeFileSync(join(bin, 'holdfast'), '#!/bin/sh\nshift\necho "called $*"\nexit 3\n', { mode: 0o755 })
  if (settings !== undefined) writeFileSync(join(dir, '.claude', 'settings.json'), settings)
  const env = { HOME: dir, PATH: `${bin}:/usr/bin:/bin`, CLAUDE_PROJECT_DIR: join(dir, 'none') }
  expect(execFileSync('/bin/sh', ['-c', commandOf('Stop')], { env, encoding: 'utf8' }).trim()).toBe(said)
})

test.skipIf(process.platform === 'win32')('without the program its hook is silent and ends well', () => {
  const env = { HOME: dir, PATH: '/usr/bin:/bin', CLAUDE_PROJECT_DIR: dir }
  expect(execFileSync('/bin/sh', ['-c', commandOf('SessionStart')], { env, encoding: 'utf8', stdio: 'pipe' })).toBe('')
})
