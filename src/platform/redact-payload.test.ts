import { expect, test } from 'vitest'
import { tempDir } from '../../test/support/temp-dir.ts'
import { systemClock } from './base/clock.ts'
import { redactParsed } from './redactors.ts'

test("what touches the disk first holds no value of a package's own env file, nor of its repository's", async () => {
  using dir = tempDir()
  dir.write('.git/HEAD', 'ref: refs/heads/main\n')
  dir.write('.env', 'BILLING_PASSPHRASE=correct-horse-battery-42\n')
  dir.write('packages/api/.env', 'MAIL_PASSPHRASE=staple-of-the-north-7\n')
  dir.write('packages/web/.env', 'OTHER_PASSPHRASE=not-of-this-package-9\n')
  const cwd = `${dir.path}/packages/api`
  const prompt = 'use correct-horse-battery-42, staple-of-the-north-7 and not-of-this-package-9'
  expect(await redactParsed({ cwd, prompt }, systemClock)).toEqual({
    cwd,
    prompt: 'use [REDACTED:env-value], [REDACTED:env-value] and not-of-this-package-9',
  })
})

test('nor what a tool read of an env file that no longer exists', async () => {
  using dir = tempDir()
  const payload = { cwd: dir.path, tool_input: { file_path: `${dir.path}/.env` }, tool_response: 'A_B=hunter\nC=two' }
  expect(await redactParsed(payload, systemClock)).toEqual({ ...payload, tool_response: '[REDACTED:env-file]' })
})

test('with capture = commands the facts of a payload stay and everything that may have been said goes', async () => {
  using dir = tempDir()
  const home = { configFile: dir.write('config.json', '{"capture":"commands"}') }
  const payload = {
    session_id: 's',
    cwd: dir.path,
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'npm test', description: 'Run the tests', file_path: 'a.ts', new_string: 'text' },
    tool_response: { stdout: 'ok', items: ['one', { text: 'two' }], exitCode: 1 },
    prompt: 'words',
  }
  expect(await redactParsed(payload, systemClock, home)).toEqual({
    ...payload,
    tool_input: { command: 'npm test', description: '', file_path: 'a.ts', new_string: '' },
    tool_response: { stdout: '', items: ['', { text: '' }], exitCode: 1 },
    prompt: '',
  })
  dir.write('.holdfast/config.json', '{"capture":"off"}')
  expect(await redactParsed(payload, systemClock, home)).toBeUndefined()
})
