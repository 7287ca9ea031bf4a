import { expect, test } from 'vitest'
import { waitUntil } from '../support/product.ts'
import { claudeCode } from './support/claude-code.ts'
import { ClaudeSetup } from './support/claude-setup.ts'
import { callTool, say } from './support/model-script.ts'
import { EDITED_FILE, FAILURE, GOAL, LAST_WORDS, parserWork, SECRET } from './support/parser-work.ts'
import { recoveryBlocksIn } from './support/recovery-block.ts'

test('startup, prompt, tools, a failing tool and the end are in the log, each once', async () => {
  await using world = await ClaudeSetup.connected()
  const { claude, holdfast, model } = world
  model.script.onPrompt(GOAL, parserWork(world))
  const run = await claude.run(GOAL)
  expect(run).toMatchObject({ exitCode: 0, isError: false, said: LAST_WORDS })

  const key = run.sessionId
  await waitUntil(async () => (await holdfast.checkpoints(key)).length > 0, 'the session has its last checkpoint')
  const starts = await holdfast.eventsOf(key, 'session-started')
  expect(starts.map((event) => event.source)).toEqual(['startup'])
  const prompts = await holdfast.eventsOf(key, 'prompt-submitted')
  expect(prompts.map((event) => event.prompt)).toEqual([GOAL])
  const tools = await holdfast.eventsOf(key, 'tool-finished')
  expect(tools.map(({ tool, outcome }) => [tool.name, outcome.ok])).toEqual([
    ['Write', true],
    ['Read', true],
    ['Edit', true],
    ['Bash', true],
    ['Bash', false],
  ])
  expect(tools.at(2)?.tool.files).toEqual([{ path: world.inProject(EDITED_FILE), action: 'edited' }])
  expect(tools.at(4)?.outcome).toMatchObject({ exitStatus: 3, output: expect.stringContaining(FAILURE) })
  const turns = await holdfast.eventsOf(key, 'turn-ended')
  expect(turns.map((event) => event.lastMessage)).toEqual([LAST_WORDS])
  const ends = await holdfast.eventsOf(key, 'session-ended')
  expect(ends.map((event) => event.reason)).toEqual(['other'])

  expect(await holdfast.session(key)).toMatchObject({
    harness: 'claude-code',
    harnessVersion: claudeCode.version,
    phase: 'ended',
    promptCount: 1,
    toolCount: 5,
    place: { worktree: world.workspace.project, branch: 'main' },
  })
  const [checkpoint] = await holdfast.checkpoints(key)
  expect(checkpoint).toMatchObject({ trigger: 'session_end', promptCount: 1, sessionKey: key })
  expect(checkpoint?.work.files.map((file) => file.path)).toContain(EDITED_FILE)
  // Nothing is known of a first session, so nothing is said to it.
  expect(model.turns.flatMap((turn) => recoveryBlocksIn(turn.seen))).toEqual([])
})

test('a secret from a prompt or a tool reaches neither our disk nor the next session', async () => {
  await using world = await ClaudeSetup.connected()
  const { claude, holdfast, model } = world
  const goal = `${GOAL} The token is ${SECRET}.`
  model.script.onPrompt(goal, parserWork(world))
  const first = await claude.run(goal)
  // The control: it was there to be kept, in what the model of the first session saw.
  expect(model.turnsOf(first.sessionId).at(-1)?.seen).toContain(SECRET)
  await waitUntil(async () => (await holdfast.checkpoints(first.sessionId)).length > 0, 'there is a checkpoint')

  model.script.onPrompt('Where were we?', [say('At the parser.')])
  const second = await claude.run('Where were we?')
  const seen = model.turnsOf(second.sessionId).map((turn) => turn.seen)
  expect(seen.flatMap(recoveryBlocksIn)).toHaveLength(1)
  expect(seen.join('\n')).not.toContain(SECRET)
  await holdfast.cli(['daemon', 'stop'])
  expect(await world.filesHolding('keep blank lines')).not.toEqual([])
  expect(await world.filesHolding(SECRET)).toEqual([])
})

test('tool calls made while the daemon is away are in the log once it is back, each once', async () => {
  await using world = await ClaudeSetup.connected()
  const { claude, holdfast, model } = world
  const daemonPid = await holdfast.daemonPid()
  model.script.onPrompt(GOAL, [
    callTool('Bash', { command: 'echo before' }),
    callTool('Bash', { command: `kill -9 ${daemonPid}` }),
    callTool('Bash', { command: 'echo during; exit 4' }),
    callTool('Write', { file_path: world.inProject(EDITED_FILE), content: 'export {}\n' }),
    say(LAST_WORDS),
  ])
  const run = await claude.run(GOAL)
  expect(run).toMatchObject({ exitCode: 0, isError: false, said: LAST_WORDS })

  const key = run.sessionId
  await waitUntil(async () => (await holdfast.eventsOf(key, 'tool-finished')).length >= 4, 'all four calls are there')
  await waitUntil(async () => (await holdfast.checkpoints(key)).length > 0, 'the session has its last checkpoint')
  const tools = await holdfast.eventsOf(key, 'tool-finished')
  expect(tools.map(({ tool }) => tool.command ?? tool.files[0]?.path ?? '').toSorted()).toEqual(
    ['echo before', `kill -9 ${daemonPid}`, 'echo during; exit 4', world.inProject(EDITED_FILE)].toSorted(),
  )
  const session = await holdfast.session(key)
  expect(session).toMatchObject({ phase: 'ended', promptCount: 1, toolCount: 4 })
})

test('work of a subagent is distinguished from work of the session', async () => {
  await using world = await ClaudeSetup.connected()
  const { claude, holdfast, model } = world
  const errand = 'Find out how many files there are.'
  const errandInput = { description: 'Count files', subagent_type: 'general-purpose', run_in_background: false }
  model.script.onPrompt(GOAL, [
    callTool('Task', { ...errandInput, prompt: errand }),
    callTool('Bash', { command: 'echo main' }),
    say(LAST_WORDS),
  ])
  model.script.onPrompt(errand, [callTool('Bash', { command: 'echo sub' }), say('One file.')])
  const { sessionId, said } = await claude.run(GOAL)
  expect(said).toBe(LAST_WORDS)
  const prompts = await holdfast.eventsOf(sessionId, 'prompt-submitted')
  expect(prompts.map((event) => event.prompt)).toEqual([GOAL])
  const shells = (await holdfast.eventsOf(sessionId, 'tool-finished')).filter((event) => event.tool.kind === 'shell')
  expect(shells.map((event) => [event.tool.command, event.subagent?.type])).toEqual([
    ['echo sub', 'general-purpose'],
    ['echo main', undefined],
  ])
  const finished = await holdfast.eventsOf(sessionId, 'subagent-finished')
  expect(finished.map((event) => event.lastMessage)).toEqual(['One file.'])
  expect(await holdfast.session(sessionId)).toMatchObject({ phase: 'ended', promptCount: 1 })
})

test('without init, nothing is kept and nothing reaches the model', async () => {
  await using world = await ClaudeSetup.unconnected()
  const { claude, holdfast, model } = world
  model.script.onPrompt(GOAL, parserWork(world))
  await claude.run(GOAL)
  model.script.onPrompt('Where were we?', [say('I cannot know.')])
  await claude.run('Where were we?')
  expect(model.turns.flatMap((turn) => recoveryBlocksIn(turn.seen))).toEqual([])
  expect(await holdfast.sessions()).toEqual([])
})
