import { expect, test } from 'vitest'
import { ClaudeCode, claudeCode } from './support/claude-code.ts'
import { callTool, say, SUMMARY, UNSCRIPTED } from './support/model-script.ts'
import { ScriptedModel } from './support/scripted-model.ts'
import { Workspace } from './support/workspace.ts'

test('the real client does what the script says, and the model sees the results', async () => {
  await using workspace = await Workspace.create()
  await using model = await ScriptedModel.start()
  const claude = await ClaudeCode.create({ workspace, model })
  model.script.onPrompt('Say hello twice', [
    callTool('Bash', { command: 'echo first-output' }),
    callTool('Bash', { command: 'echo second-output; exit 4' }),
    say('Said it twice.'),
  ])
  const run = await claude.run('Say hello twice')
  expect(run).toMatchObject({ exitCode: 0, said: 'Said it twice.', isError: false })
  const turns = model.turnsOf(run.sessionId)
  expect(turns).toHaveLength(3)
  expect(turns[1]?.seen).toContain('first-output')
  expect(turns[2]?.seen).toContain('Exit code 4')
  expect(model.strangers).toEqual([])
})

test('a compaction is answered with a summary and leaves the script where it was', async () => {
  await using workspace = await Workspace.create()
  await using model = await ScriptedModel.start()
  const claude = await ClaudeCode.create({ workspace, model })
  model.script.onPrompt('Work for long', [
    callTool('Bash', { command: 'echo one' }, { contextTokens: 180_000 }),
    callTool('Bash', { command: 'echo two' }, { contextTokens: 180_000 }),
    say('Done after the summary.'),
  ])
  const run = await claude.run('Work for long', { autocompact: '100k' })
  expect(run.said).toBe('Done after the summary.')
  expect(model.turns.map((turn) => turn.purpose)).toEqual(['turn', 'turn', 'summary', 'turn'])
  expect(model.turns.at(-1)?.seen).toContain(SUMMARY)
})

test('a prompt that no script knows is answered as such, so that a forgotten script cannot pass for work done', async () => {
  await using workspace = await Workspace.create()
  await using model = await ScriptedModel.start()
  const claude = await ClaudeCode.create({ workspace, model })
  const run = await claude.run('Nobody scripted this')
  expect(run.said).toBe(UNSCRIPTED)
})

test(`the client is the pinned one`, async () => {
  await using workspace = await Workspace.create()
  await using model = await ScriptedModel.start()
  const claude = await ClaudeCode.create({ workspace, model })
  const version = await claude.version()
  expect(version).toBe(claudeCode.version)
})
