import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { waitUntil } from '../support/product.ts'
import { COMPACTING_TOKENS, codex, MODEL_WITH_SUBAGENTS } from './support/codex.ts'
import { CodexSetup } from './support/codex-setup.ts'
import {
  expectGoingOnAfterKill,
  expectOneSessionWhenResumed,
  expectOnlyWhatTheSummaryLacks,
  NEXT_PROMPT,
} from './support/continued-session.ts'
import { callTool, failWith, say, SUMMARY } from './support/model-script.ts'
import { EDITED_FILE, expectWorkIn, FAILURE, GOAL, LAST_WORDS } from './support/parser-work.ts'
import { recoveryBlocksIn } from './support/recovery-block.ts'

const PATIENCE_MS = 60_000

test('a session is recorded once from start to end, exit statuses included, and the next one gets its recovery', async () => {
  await using world = await CodexSetup.trusted()
  const { client, holdfast, model } = world
  model.script.onPrompt(GOAL, world.work())
  const run = await client.run(GOAL)
  expect(run).toMatchObject({ exitCode: 0, said: LAST_WORDS })
  // Codex tells its user what it does not like about the hooks that it finds.
  expect(run.complaints).toEqual([])
  const key = run.sessionId
  await world.holdfast.untilEnded(key)
  await waitUntil(async () => (await holdfast.checkpoints(key)).length > 0, 'there is a checkpoint', PATIENCE_MS)

  const starts = await holdfast.eventsOf(key, 'session-started')
  expect(starts.map((event) => event.source)).toEqual(['startup'])
  const prompts = await holdfast.eventsOf(key, 'prompt-submitted')
  expect(prompts.map((event) => event.prompt)).toEqual([GOAL])
  const tools = await holdfast.eventsOf(key, 'tool-finished')
  expect(tools.map(({ tool, outcome }) => [tool.kind, outcome.ok, outcome.exitStatus])).toEqual([
    ['edit', true, 0],
    ['edit', true, 0],
    ['edit', false, undefined],
    ['shell', true, 0],
    ['shell', false, 3],
  ])
  expect(tools.at(0)?.tool.files).toEqual([{ path: EDITED_FILE, action: 'created' }])
  expect(tools.at(4)?.outcome.output).toContain(FAILURE)
  const turns = await holdfast.eventsOf(key, 'turn-ended')
  expect(turns.map((event) => event.lastMessage)).toEqual([LAST_WORDS])
  expect(await holdfast.session(key)).toMatchObject({
    harness: 'codex',
    harnessVersion: codex.version,
    promptCount: 1,
    toolCount: 5,
    contextTokens: 1225,
    contextWindowTokens: expect.any(Number),
    place: { worktree: world.workspace.project, branch: 'main' },
  })
  // Nothing is known of a first session, so nothing is said to it.
  expect(model.turns.flatMap((turn) => recoveryBlocksIn(turn.seen))).toEqual([])

  model.script.onPrompt(NEXT_PROMPT, [callTool('exec_command', { cmd: 'echo more' }), say('There.')])
  const next = await client.run(NEXT_PROMPT)
  const told = model.turnsOf(next.sessionId).map((turn) => recoveryBlocksIn(turn.seen))
  expect(told.map((blocks) => blocks.length)).toEqual([1, 1])
  expectWorkIn(told[0] ?? [])
  const asked = await holdfast.eventsOf(next.sessionId, 'prompt-submitted')
  expect(asked.map((event) => event.prompt)).toEqual([NEXT_PROMPT])
})

test('Codex skips hooks that nobody approved, without a word: nothing is kept, and doctor says so until they are', async () => {
  await using world = await CodexSetup.connected()
  const { client, holdfast, model } = world
  model.script.onPrompt(GOAL, [say('Understood.')])
  expect(await client.run(GOAL)).toMatchObject({ exitCode: 0, complaints: [] })
  expect(await holdfast.sessions()).toEqual([])
  const doctor = ['doctor', '--harness', 'codex', '--json']
  const untrusted: unknown = JSON.parse(await holdfast.cliWhatever(doctor, world.places))
  expect(untrusted).toMatchObject({
    checks: expect.arrayContaining([expect.objectContaining({ subject: 'codex trust', verdict: 'fail' })]),
  })
  await client.trustHooks()
  await client.run(GOAL)
  expect(await holdfast.sessions()).toHaveLength(1)
  const trusted: unknown = JSON.parse(await holdfast.cliWhatever(doctor, world.places))
  expect(trusted).toMatchObject({
    checks: expect.arrayContaining([expect.objectContaining({ subject: 'codex trust', verdict: 'ok' })]),
  })
})

test('after a compaction the same turn goes on with its own state, and a resumed session is one session', async () => {
  await using world = await CodexSetup.trusted()
  const { client, holdfast, model } = world
  const [write] = world.work()
  const full = { contextTokens: COMPACTING_TOKENS }
  model.script.onPrompt(GOAL, [
    ...(write === undefined ? [] : [write]),
    callTool('exec_command', { cmd: 'echo checked' }, full),
    say('Done.'),
  ])
  const { sessionId } = await client.run(GOAL)
  expect(model.turns.map((turn) => turn.purpose)).toEqual(['turn', 'turn', 'summary', 'turn'])
  const seen = model.turnsOf(sessionId).map((turn) => turn.seen)
  expect(recoveryBlocksIn(seen[1] ?? '')).toEqual([])
  expect(seen[2]).toContain(SUMMARY)
  expectWorkIn(recoveryBlocksIn(seen[2] ?? ''))
  const compactions = await holdfast.eventsOf(sessionId, 'compaction-finished')
  expect(compactions.map(({ trigger }) => trigger)).toEqual(['auto'])
  await expectOneSessionWhenResumed(world, sessionId)
})

test('what the summary of a compaction already says is not said again', async () => {
  await using world = await CodexSetup.trusted()
  const { client, model } = world
  model.script.summary = `${SUMMARY} The user asked: "${GOAL}"`
  const full = { contextTokens: COMPACTING_TOKENS }
  const [write] = world.work()
  model.script.onPrompt(GOAL, [
    ...(write === undefined ? [] : [write]),
    callTool('exec_command', { cmd: 'echo checked' }, full),
    say('Done.'),
  ])
  const { sessionId } = await client.run(GOAL)
  // The test above is the control: with a summary that does not contain it, the request is injected.
  expectOnlyWhatTheSummaryLacks(model.turnsOf(sessionId).at(-1)?.seen ?? '')
})

test('kill -9 of Codex in the middle of a tool: the next session goes on from there', async () => {
  await using world = await CodexSetup.trusted()
  await expectGoingOnAfterKill(world)
})

test('subagents are distinguished, MCP tools answer, work while the daemon is stopped is not lost, a failed turn is remembered; uninstall leaves nothing', async () => {
  await using world = await CodexSetup.trusted()
  const { client, holdfast, model } = world
  const settings = await readFile(client.configFile, 'utf8')
  const daemonPid = await holdfast.daemonPid()
  const errand = 'Count the files there are.'
  model.script.onPrompt(GOAL, [
    callTool('spawn_agent', { message: errand }),
    callTool('exec_command', { cmd: 'sleep 2' }),
    callTool('mcp__holdfast__session_briefing', {}),
    callTool('exec_command', { cmd: `kill -9 ${daemonPid}` }),
    callTool('exec_command', { cmd: 'echo during; exit 4' }),
    failWith(400),
  ])
  model.script.onPrompt(errand, [callTool('exec_command', { cmd: 'echo sub; exit 2' }), say('One file.')])
  const { sessionId } = await client.run(GOAL, { model: MODEL_WITH_SUBAGENTS, needsTools: true })
  await waitUntil(
    async () => (await holdfast.eventsOf(sessionId, 'tool-finished')).length >= 6,
    'all the calls are there',
    PATIENCE_MS,
  )
  const prompts = await holdfast.eventsOf(sessionId, 'prompt-submitted')
  expect(prompts.map((event) => event.prompt)).toEqual([GOAL])
  const tools = await holdfast.eventsOf(sessionId, 'tool-finished')
  const briefings = tools.filter((event) => event.tool.kind === 'mcp')
  expect(briefings.map(({ tool, outcome }) => [tool.name, outcome.ok])).toEqual([
    ['mcp__holdfast__session_briefing', true],
  ])
  expect(model.turnsOf(sessionId).at(-1)?.seen).toContain('# Session Briefing')
  const shells = tools.filter((event) => event.tool.kind === 'shell')
  const told = shells.map((event) => [event.tool.command, event.outcome.exitStatus, event.subagent?.type])
  expect(told).toHaveLength(4)
  expect(told).toEqual(
    expect.arrayContaining([
      ['echo sub; exit 2', 2, 'default'],
      ['sleep 2', 0, undefined],
      [`kill -9 ${daemonPid}`, 0, undefined],
      ['echo during; exit 4', 4, undefined],
    ]),
  )
  const finished = await holdfast.eventsOf(sessionId, 'subagent-finished')
  expect(finished.map((event) => event.lastMessage)).toEqual(['One file.'])
  expect(await holdfast.sessions()).toHaveLength(1)

  await holdfast.cli(['uninstall', '--harness', 'codex', '--yes'], world.places)
  expect(existsSync(join(client.home, 'hooks.json'))).toBe(false)
  expect(settings).toContain('holdfast')
  expect(await readFile(client.configFile, 'utf8')).not.toMatch(/mcp_servers/)
})

test('the plugin does what init does; with both, each event counts once and is answered once', async () => {
  await using world = await CodexSetup.withPlugins()
  const { client, holdfast, model } = world
  await client.command(['plugin', 'marketplace', 'add', join(import.meta.dirname, '..', '..', 'plugins', 'codex')])
  await client.command(['plugin', 'add', 'holdfast@holdfast'])
  model.script.onPrompt(GOAL, world.work())
  // What a plugin's hooks are trusted by is more than the hash that `hooks/list` names.
  const first = await client.run(GOAL, { isTrusting: true })
  await world.holdfast.untilEnded(first.sessionId)
  expect(await holdfast.session(first.sessionId)).toMatchObject({ promptCount: 1, toolCount: 5, phase: 'ended' })

  await holdfast.connect('codex', world.places)
  model.script.onPrompt(NEXT_PROMPT, [callTool('exec_command', { cmd: 'exit 6' }), say('There.')])
  const next = await client.run(NEXT_PROMPT, { isTrusting: true })
  await world.holdfast.untilEnded(next.sessionId)
  const blocks = model.turnsOf(next.sessionId).map((turn) => recoveryBlocksIn(turn.seen).length)
  expect(blocks).toEqual([1, 1])
  const kinds = (await holdfast.events(next.sessionId)).map((event) => event.kind)
  expect(kinds).toEqual([
    'session-started',
    'prompt-submitted',
    'tool-started',
    'tool-finished',
    'turn-ended',
    'session-ended',
  ])
})
