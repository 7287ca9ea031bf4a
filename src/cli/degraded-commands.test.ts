import { expect, test } from 'vitest'
import { tempDir } from '../../test/support/temp-dir.ts'
import { COMMANDS } from './command-table.ts'
import { refuseIfDegraded } from './shared/refuse-if-degraded.ts'

function isRefused(
  entry: Parameters<typeof refuseIfDegraded>[0]['entry'],
  given: Parameters<typeof refuseIfDegraded>[1],
  options: Readonly<Record<string, unknown>> = {},
): boolean {
  try {
    refuseIfDegraded({ entry, options }, given)
    return false
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'forbidden' })
    return true
  }
}

test('in the shell of an agent, a command is refused while a session is degraded unless it declares that it reads or saves', () => {
  using dir = tempDir()
  dir.write('tasks/t/logs/long-context/s.json', '{ "session_id": "s", "sandbox": { "since": "x" } }')
  dir.write('tasks/t/json/sessions/s.json', '{ "state": "active" }')
  const agent = { cwd: dir.path, env: { CLAUDECODE: '1' } }
  const refused = COMMANDS.filter((entry) => isRefused(entry, agent)).map(({ name }) => name)
  for (const name of [
    'forget',
    'entities forget',
    'sync add',
    'sync run',
    'team join',
    'demo',
    'import',
    'erase',
    'run',
  ])
    expect(refused).toContain(name)
  expect(isRefused({ name: 'a command of a later version' }, agent)).toBe(true)
  expect(COMMANDS.filter(({ effect }) => effect === 'saves').map(({ name }) => name)).toEqual([
    'entities register',
    'remember',
    'rules add',
    'mcp',
    'daemon start',
    'daemon run',
  ])
  expect(isRefused({ name: 'doctor', effect: 'reads', writesWith: ['fix'] }, agent, { fix: true })).toBe(true)
  expect(isRefused({ name: 'doctor', effect: 'reads', writesWith: ['fix'] }, agent)).toBe(false)
  // A person's terminal.
  expect(COMMANDS.filter((entry) => isRefused(entry, { ...agent, env: {} }))).toEqual([])
})

test('an option with which a command does more is one that it has', async () => {
  for (const { load, writesWith = [] } of COMMANDS)
    for (const option of writesWith) {
      const { createCommand } = await import('commander')
      const command = createCommand('x')
      ;(await load()).configure(command)
      expect(command.options.map((known) => known.attributeName())).toContain(option)
    }
})
