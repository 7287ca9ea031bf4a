import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EventKind, EventOf, SessionEvent } from '../../src/kernel/event.ts'
import { waitUntil } from '../support/product.ts'
import { COMPRESSING_TOKENS } from './support/gemini-cli.ts'
import { GeminiSetup } from './support/gemini-setup.ts'
import { expectGoingOnAfterKill, NEXT_PROMPT } from './support/continued-session.ts'
import { callTool, failWith, say, SUMMARY } from './support/model-script.ts'
import { EDITED_FILE, expectWorkIn, FAILURE, GOAL, LAST_WORDS } from './support/parser-work.ts'
import { recoveryBlocksIn } from './support/recovery-block.ts'

const PATIENCE_MS = 60_000

function ofKind<Kind extends EventKind>(events: readonly SessionEvent[], kind: Kind): readonly EventOf<Kind>[] {
  return events.filter((event): event is EventOf<Kind> => event.kind === kind)
}

test('a session is recorded once from start to end, and the next one gets its recovery', async () => {
  await using world = await GeminiSetup.connected()
  const { client, holdfast, model } = world
  model.script.onPrompt(GOAL, world.work())
  const run = await client.run(GOAL)
  expect(run).toMatchObject({ exitCode: 0, said: LAST_WORDS })
  const key = run.sessionId
  await world.holdfast.untilEnded(key)
  await waitUntil(async () => (await holdfast.checkpoints(key)).length > 0, 'there is a checkpoint', PATIENCE_MS)

  const events = await holdfast.events(key)
  expect(ofKind(events, 'session-started').map((event) => event.source)).toEqual(['startup'])
  expect(ofKind(events, 'prompt-submitted').map((event) => event.prompt)).toEqual([GOAL])
  const tools = ofKind(events, 'tool-finished')
  expect(tools.map(({ tool, outcome }) => [tool.name, outcome.ok, outcome.exitStatus])).toEqual([
    ['write_file', true, undefined],
    ['read_file', true, undefined],
    ['replace', true, undefined],
    ['read_file', false, undefined],
    ['run_shell_command', true, undefined],
    ['run_shell_command', false, 3],
  ])
  expect(tools.at(0)?.tool.files).toEqual([{ path: world.inProject(EDITED_FILE), action: 'created' }])
  expect(tools.at(5)?.outcome.output).toContain(FAILURE)
  expect(ofKind(events, 'turn-ended').map((event) => event.lastMessage)).toEqual([LAST_WORDS])
  expect(ofKind(events, 'session-ended').map((event) => event.reason)).toEqual(['exit'])
  // PreCompress runs before every call of the model: none of them was a compaction.
  expect(ofKind(events, 'compaction-started')).toEqual([])
  expect(await holdfast.session(key)).toMatchObject({
    harness: 'gemini-cli',
    promptCount: 1,
    toolCount: 6,
    compactionCount: 0,
    contextTokens: 1225,
    place: { worktree: world.workspace.project, branch: 'main' },
  })
  // Nothing is known of a first session, so nothing is said to it.
  expect(model.turns.flatMap((turn) => recoveryBlocksIn(turn.seen))).toEqual([])
  expect(JSON.stringify(world.turnsSince(0)[0]?.body)).toContain('session_briefing')

  const before = model.turns.length
  model.script.onPrompt(NEXT_PROMPT, [
    callTool('run_shell_command', { command: 'echo more', description: 'More' }),
    say('There.'),
  ])
  const next = await client.run(NEXT_PROMPT)
  const told = world.turnsSince(before).map((turn) => recoveryBlocksIn(turn.seen))
  expect(told.map((blocks) => blocks.length)).toEqual([1, 1])
  expectWorkIn(told[0] ?? [])
  // In headless mode the prompt given to hooks begins with the text we injected at the start, which is not the user's.
  const asked = await holdfast.eventsOf(next.sessionId, 'prompt-submitted')
  expect(asked.map((event) => event.prompt)).toEqual([NEXT_PROMPT])
})

test('a resumed session is one session; compressed during a turn, it gets its own state at its next tool', async () => {
  await using world = await GeminiSetup.connected()
  const { client, holdfast, model } = world
  model.script.onPrompt(GOAL, world.work())
  const { sessionId } = await client.run(GOAL)
  await world.holdfast.untilEnded(sessionId)

  const before = model.turns.length
  const shell = (command: string) => ({ command, description: command })
  // Gemini CLI 0.61 compresses what came before the newest prompt, and so never in a session's first turn.
  model.script.onPrompt('Go on with it.', [
    callTool('run_shell_command', shell('echo checked'), { contextTokens: COMPRESSING_TOKENS }),
    callTool('run_shell_command', shell('echo after')),
    say('Went on.'),
  ])
  const resumed = await client.run('Go on with it.', { resume: sessionId })
  expect(resumed).toMatchObject({ sessionId, said: 'Went on.' })
  const asked = model.turns.slice(before).filter((turn) => turn.purpose !== 'side')
  expect(asked.filter((turn) => turn.purpose === 'turn')).toHaveLength(3)
  expect(asked.some((turn) => turn.purpose === 'summary')).toBe(true)
  const [, compressed, told] = world.turnsSince(before).map((turn) => turn.seen)
  expect(compressed).toContain(SUMMARY)
  const blocks = (seen: string | undefined) => recoveryBlocksIn(seen ?? '')
  expectWorkIn(blocks(told))
  // Once more than before: what was said at the resumption may have outlived the compression.
  expect(blocks(told)).toHaveLength(blocks(compressed).length + 1)

  await world.holdfast.untilEnded(sessionId)
  const events = await holdfast.events(sessionId)
  expect(ofKind(events, 'session-started').map((event) => event.source)).toEqual(['startup', 'resume', 'compact'])
  expect(ofKind(events, 'prompt-submitted').map((event) => event.prompt)).toEqual([GOAL, 'Go on with it.'])
  expect(await holdfast.session(sessionId)).toMatchObject({ promptCount: 2, compactionCount: 1 })
  const triggers = (await holdfast.checkpoints(sessionId)).map((checkpoint) => checkpoint.trigger)
  expect(triggers).toContain('pre_compaction')

  model.script.onPrompt('And once more.', [say('Again.')])
  await client.run('And once more.', { resume: sessionId })
  // The history is rewritten at every resume; the compression in it is already recorded.
  expect(await holdfast.session(sessionId)).toMatchObject({ promptCount: 3, compactionCount: 1 })
  expect(await holdfast.sessions()).toHaveLength(1)
})

test('kill -9 of Gemini CLI in the middle of a tool: the next session goes on from there', async () => {
  await using world = await GeminiSetup.connected()
  await expectGoingOnAfterKill(world)
})

test('what is done while the daemon is away is not lost, nor a turn that dies; uninstall gives the settings back', async () => {
  await using world = await GeminiSetup.connected()
  const { client, holdfast, model } = world
  const daemonPid = await holdfast.daemonPid()
  const shell = (command: string) => ({ command, description: command })
  model.script.onPrompt(GOAL, [
    callTool('run_shell_command', shell(`kill -9 ${daemonPid}`)),
    callTool('run_shell_command', shell('echo during; exit 4')),
    failWith(400),
  ])
  await client.start(GOAL).done
  await waitUntil(async () => (await holdfast.sessions()).length === 1, 'the session is known', PATIENCE_MS)
  const [session] = await holdfast.sessions()
  const key = session?.key ?? ''
  await waitUntil(
    async () => (await holdfast.eventsOf(key, 'tool-finished')).length >= 2,
    'both calls are there',
    PATIENCE_MS,
  )
  const tools = await holdfast.eventsOf(key, 'tool-finished')
  expect(tools.map(({ tool, outcome }) => [tool.command, outcome.exitStatus])).toEqual([
    [`kill -9 ${daemonPid}`, undefined],
    ['echo during; exit 4', 4],
  ])
  await holdfast.cli(['uninstall', '--harness', 'gemini-cli', '--yes'], world.places)
  const settings = await readFile(client.settingsFile, 'utf8')
  expect(settings).toMatch(/^\{\n {2}\/\/ Settings of a person's own/)
  expect(settings).not.toMatch(/holdfast|hooks|mcpServers/)
})

test('the extension passes Gemini CLI’s own check, and does what init does', async () => {
  await using world = await GeminiSetup.unconnected()
  const { client, holdfast, model } = world
  const extension = join(import.meta.dirname, '..', '..', 'plugins', 'gemini-cli')
  for (const args of [
    ['validate', extension],
    ['install', extension, '--consent'],
  ]) {
    const { code, stdout, stderr } = await client.command(['extensions', ...args]).done
    expect({ code, said: `${stdout}${stderr}` }).toMatchObject({ code: 0, said: expect.stringMatching(/successfully/) })
  }
  model.script.onPrompt(GOAL, world.work())
  const run = await client.run(GOAL)
  expect(run.said).toBe(LAST_WORDS)
  await world.holdfast.untilEnded(run.sessionId)
  expect(await holdfast.session(run.sessionId)).toMatchObject({ promptCount: 1, toolCount: 6, phase: 'ended' })
  expect(JSON.stringify(world.turnsSince(0)[0]?.body)).toContain('session_briefing')
})
