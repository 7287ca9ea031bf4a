import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { waitUntil } from '../support/product.ts'
import {
  expectGoingOnAfterKill,
  expectOneSessionWhenResumed,
  expectOnlyWhatTheSummaryLacks,
  NEXT_PROMPT,
} from './support/continued-session.ts'
import { callTool, say, SUMMARY } from './support/model-script.ts'
import { COMPACTING_TOKENS, openCode } from './support/opencode.ts'
import { OpenCodeSetup } from './support/opencode-setup.ts'
import { EDITED_FILE, expectWorkIn, FAILURE, GOAL, LAST_WORDS } from './support/parser-work.ts'
import { adviceIn, recoveryBlocksIn } from './support/recovery-block.ts'

const PATIENCE_MS = 60_000

test('a session is recorded once from start to end, and the next one gets its recovery', async () => {
  await using world = await OpenCodeSetup.connected()
  const { client, holdfast, model } = world
  model.script.onPrompt(GOAL, world.work())
  const run = await client.run(GOAL)
  expect(run).toMatchObject({ exitCode: 0, said: LAST_WORDS })
  const key = run.sessionId
  await world.holdfast.untilEnded(key)

  const starts = await holdfast.eventsOf(key, 'session-started')
  expect(starts.map((event) => event.source)).toEqual(['startup'])
  const prompts = await holdfast.eventsOf(key, 'prompt-submitted')
  expect(prompts.map((event) => event.prompt)).toEqual([GOAL])
  const tools = await holdfast.eventsOf(key, 'tool-finished')
  expect(tools.map(({ tool, outcome }) => [tool.name, outcome.ok, outcome.exitStatus])).toEqual([
    ['write', true, undefined],
    ['read', true, undefined],
    ['edit', true, undefined],
    ['edit', false, undefined],
    ['bash', true, 0],
    ['bash', false, 3],
  ])
  expect(tools.at(0)?.tool.files).toEqual([{ path: world.inProject(EDITED_FILE), action: 'created' }])
  expect(tools.at(5)?.outcome.output).toContain(FAILURE)
  const turns = await holdfast.eventsOf(key, 'turn-ended')
  expect(turns.map((event) => event.lastMessage)).toEqual([LAST_WORDS])
  expect(await holdfast.session(key)).toMatchObject({
    harness: 'opencode',
    harnessVersion: openCode.version,
    promptCount: 1,
    toolCount: 6,
    contextTokens: 1225,
    contextWindowTokens: expect.any(Number),
    place: { worktree: world.workspace.project, branch: 'main' },
  })
  await waitUntil(async () => (await holdfast.checkpoints(key)).length > 0, 'there is a checkpoint', PATIENCE_MS)
  // Nothing is known of a first session, so nothing is said to it.
  expect(model.turns.flatMap((turn) => recoveryBlocksIn(turn.seen))).toEqual([])

  model.script.onPrompt(NEXT_PROMPT, [callTool('bash', { command: 'echo more', description: 'More' }), say('There.')])
  const next = await client.run(NEXT_PROMPT)
  const told = model.turnsOf(next.sessionId).map((turn) => recoveryBlocksIn(turn.seen))
  expect(told.map((blocks) => blocks.length)).toEqual([1, 1])
  expectWorkIn(told[0] ?? [])
  // The injected text does not become the title of the session.
  const titles = model.turns.filter((turn) => turn.purpose === 'side')
  expect(titles.length).toBeGreaterThan(0)
  expect(titles.flatMap((turn) => recoveryBlocksIn(turn.seen))).toEqual([])
})

test('after a compaction the same turn goes on with its own state, and a resumed session is one session', async () => {
  await using world = await OpenCodeSetup.connected()
  const { client, holdfast, model } = world
  const filePath = world.inProject(EDITED_FILE)
  const full = { contextTokens: COMPACTING_TOKENS }
  model.script.onPrompt(GOAL, [
    callTool('write', { filePath, content: 'export const split = undefined\n' }, full),
    callTool('bash', { command: 'echo checked', description: 'Check' }),
    say('Done.'),
  ])
  const { sessionId } = await client.run(GOAL)
  const purposes = model.turns.map((turn) => turn.purpose).filter((purpose) => purpose !== 'side')
  expect(purposes).toEqual(['turn', 'summary', 'turn', 'turn'])
  const [before, after, later] = model.turnsOf(sessionId).map((turn) => turn.seen)
  expect(recoveryBlocksIn(before ?? '')).toEqual([])
  const advice = model.turns.flatMap((turn) => (turn.purpose === 'summary' ? adviceIn(turn.seen) : []))
  expect(advice).toHaveLength(1)
  expect(advice[0]).toContain('keep blank lines as paragraph separators')
  expect(advice[0]).toContain(EDITED_FILE)
  expect(adviceIn(after ?? '')).toEqual([])
  expect(after).toContain(SUMMARY)
  expectWorkIn(recoveryBlocksIn(after ?? ''))
  expectWorkIn(recoveryBlocksIn(later ?? ''))
  const compactions = await holdfast.eventsOf(sessionId, 'compaction-finished')
  expect(compactions.map(({ trigger, summary }) => [trigger, summary?.includes(SUMMARY)])).toEqual([['auto', true]])
  await expectOneSessionWhenResumed(world, sessionId)
})

test('what the summary of a compaction already says is not said again', async () => {
  await using world = await OpenCodeSetup.connected()
  const { client, model } = world
  model.script.summary = `${SUMMARY} The user asked: "${GOAL}"`
  const full = { contextTokens: COMPACTING_TOKENS }
  model.script.onPrompt(GOAL, [
    callTool('write', { filePath: world.inProject(EDITED_FILE), content: 'export const split = 1\n' }, full),
    say('Done.'),
  ])
  const { sessionId } = await client.run(GOAL)
  // The test above is the control: with a summary that does not contain it, the request is injected.
  expectOnlyWhatTheSummaryLacks(model.turnsOf(sessionId).at(-1)?.seen ?? '')
})

test('kill -9 of OpenCode in the middle of a tool: the next session goes on from there', async () => {
  await using world = await OpenCodeSetup.connected()
  await expectGoingOnAfterKill(world)
})

test('subagents are distinguished; calls while the daemon is stopped are logged once it is back; uninstall leaves nothing', async () => {
  await using world = await OpenCodeSetup.connected()
  const { client, holdfast, model } = world
  const daemonPid = await holdfast.daemonPid()
  const errand = 'Count the files there are.'
  model.script.onPrompt(GOAL, [
    callTool('task', { description: 'Count files', prompt: errand, subagent_type: 'general' }),
    callTool('bash', { command: `kill -9 ${daemonPid}`, description: 'Away' }),
    callTool('bash', { command: 'echo during; exit 4', description: 'During' }),
    say(LAST_WORDS),
  ])
  model.script.onPrompt(errand, [callTool('bash', { command: 'echo sub', description: 'Sub' }), say('One file.')])
  const { sessionId, said } = await client.run(GOAL)
  expect(said).toBe(LAST_WORDS)
  await world.holdfast.untilEnded(sessionId)
  const prompts = await holdfast.eventsOf(sessionId, 'prompt-submitted')
  expect(prompts.map((event) => event.prompt)).toEqual([GOAL])
  const shells = (await holdfast.eventsOf(sessionId, 'tool-finished')).filter((event) => event.tool.kind === 'shell')
  expect(shells.map((event) => [event.tool.command, event.outcome.exitStatus, event.subagent?.type])).toEqual([
    ['echo sub', 0, 'general'],
    [`kill -9 ${daemonPid}`, 0, undefined],
    ['echo during; exit 4', 4, undefined],
  ])
  const finished = await holdfast.eventsOf(sessionId, 'subagent-finished')
  expect(finished.map((event) => event.lastMessage)).toEqual(['One file.'])
  expect(await holdfast.sessions()).toHaveLength(1)

  await holdfast.cli(['uninstall', '--harness', 'opencode', '--yes'], world.places)
  expect(JSON.parse(await readFile(client.configFile, 'utf8'))).not.toHaveProperty('mcp')
  expect(existsSync(join(client.configDir, 'plugins'))).toBe(false)
})
