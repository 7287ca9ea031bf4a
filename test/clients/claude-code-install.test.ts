import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ClaudeSetup } from './support/claude-setup.ts'
import { say } from './support/model-script.ts'
import { GOAL } from './support/parser-work.ts'

const MEMORY = 'The staging database listens on port 6543.'
const QUESTION = 'Which port does the staging database listen on?'

test('a memory reaches the model with the prompt that it fits, once, and no other prompt', async () => {
  await using world = await ClaudeSetup.connected()
  const { claude, holdfast, model } = world
  await holdfast.cli(['remember', MEMORY])
  model.script.onPrompt(GOAL, [say('Understood.')])
  const { sessionId } = await claude.run(GOAL)
  expect(model.turnsOf(sessionId).at(-1)?.seen).not.toContain(MEMORY)
  model.script.onPrompt(QUESTION, [say('On 6543.')])
  await claude.run(QUESTION, { resume: sessionId })
  model.script.onPrompt('And the production database, which port?', [say('Unknown.')])
  await claude.run('And the production database, which port?', { resume: sessionId })
  const [, asked, again] = model.turnsOf(sessionId).map((turn) => turn.seen.split(MEMORY).length - 1)
  expect([asked, again]).toEqual([1, 1])
})

test('uninstall gives the settings back byte for byte, and the client runs on without us', async () => {
  await using world = await ClaudeSetup.unconnected()
  const { claude, holdfast, model } = world
  const file = join(claude.configDir, 'settings.json')
  const settings = '{\n    "permissions": { "allow": ["Bash(ls:*)"] },   "hooks": {}\n}'
  await writeFile(file, settings)
  const environment = { CLAUDE_CONFIG_DIR: claude.configDir }
  await holdfast.connect('claude-code', environment)
  model.script.onPrompt(GOAL, [say('Understood.')])
  const connected = await claude.run(GOAL)
  await holdfast.cli(['uninstall', '--harness', 'claude-code', '--yes'], environment)
  expect(await readFile(file, 'utf8')).toBe(settings)

  model.script.onPrompt('Are you still there?', [say('Yes.')])
  expect(await claude.run('Are you still there?')).toMatchObject({ exitCode: 0, said: 'Yes.' })
  expect((await holdfast.sessions()).map((session) => session.key)).toEqual([connected.sessionId])
})
