import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { waitUntil } from '../support/product.ts'
import { callTool, say } from './support/model-script.ts'
import { COMPACTING_TOKENS } from './support/openclaw.ts'
import { OpenClawSetup } from './support/openclaw-setup.ts'
import { EDITED_FILE, expectWorkIn, FAILURE, GOAL, LAST_WORDS } from './support/parser-work.ts'
import { recoveryBlocksIn } from './support/recovery-block.ts'

const PATIENCE_MS = 120_000
const FIRST = '11111111-1111-4111-8111-111111111111'
const SECOND = '22222222-2222-4222-8222-222222222222'
const THIRD = '33333333-3333-4333-8333-333333333333'

/** The whole of what was put before the model in the newest turn with these words. */
function seenWith({ model }: OpenClawSetup, prompt: string): string {
  return model.turns.findLast((turn) => turn.userTexts.some((text) => text.includes(prompt)))?.seen ?? ''
}

test('a gateway: start, prompt, tools, failure, compaction, kill -9, resume and end are each recorded once', async () => {
  await using world = await OpenClawSetup.connected()
  const { client, holdfast, model } = world

  // A session from its start through its tools to the end of its turn.
  model.script.onPrompt(GOAL, world.work())
  expect(await client.turn(FIRST, GOAL)).toContain(LAST_WORDS)
  await waitUntil(
    async () => (await holdfast.eventsOf(FIRST, 'turn-ended')).length === 1,
    'the turn has ended',
    PATIENCE_MS,
  )
  const starts = await holdfast.eventsOf(FIRST, 'session-started')
  expect(starts.map((event) => event.source)).toEqual(['startup'])
  const prompts = await holdfast.eventsOf(FIRST, 'prompt-submitted')
  expect(prompts.map((event) => event.prompt)).toEqual([GOAL])
  const tools = await holdfast.eventsOf(FIRST, 'tool-finished')
  expect(tools.map(({ tool, outcome }) => [tool.name, tool.kind, outcome.ok, outcome.exitStatus])).toEqual([
    ['write', 'edit', true, undefined],
    ['read', 'read', true, undefined],
    ['edit', 'edit', true, undefined],
    ['exec', 'shell', true, 0],
    ['exec', 'shell', false, 3],
  ])
  expect(tools.at(4)?.outcome.output).toContain(FAILURE)
  const turns = await holdfast.eventsOf(FIRST, 'turn-ended')
  expect(turns.map((event) => event.lastMessage)).toEqual([LAST_WORDS])
  expect(await holdfast.session(FIRST)).toMatchObject({
    harness: 'openclaw',
    promptCount: 1,
    toolCount: 5,
    contextTokens: 1225,
    place: { worktree: world.workspace.project, branch: 'main' },
  })
  // Nothing is known of a first session, so nothing is said to it.
  expect(model.turns.flatMap((turn) => recoveryBlocksIn(turn.seen))).toEqual([])

  // A compaction: its own state comes with what is asked next.
  const full = { contextTokens: COMPACTING_TOKENS }
  model.script.onPrompt('Check it again.', [callTool('exec', { command: 'echo again' }, full), say('Checked.', full)])
  await client.turn(FIRST, 'Check it again.')
  model.script.onPrompt('And now?', [say('Now it is compacted.')])
  await client.turn(FIRST, 'And now?')
  await waitUntil(
    async () => (await holdfast.eventsOf(FIRST, 'compaction-finished')).length > 0,
    'there was a compaction',
    PATIENCE_MS,
  )
  expect(model.turns.filter((turn) => turn.purpose === 'summary').length).toBeGreaterThan(0)
  expectWorkIn(recoveryBlocksIn(seenWith(world, 'And now?')))
  const triggers = (await holdfast.checkpoints(FIRST)).map((checkpoint) => checkpoint.trigger)
  expect(triggers).toContain('pre_compaction')

  // kill -9 of the gateway in the middle of a tool: another session goes on from there, and so does this one.
  const { running, toolPid } = await world.midTool(SECOND, 'Make the parser keep blank lines as paragraph separators!')
  await client.killGateway()
  await running.killHard()
  try {
    process.kill(-toolPid, 'SIGKILL')
  } catch (error) {
    // The shell may have ended with its gateway.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
  await client.startGateway()
  model.script.onPrompt('Where were we?', [say('At the parser.')])
  await client.turn(THIRD, 'Where were we?')
  expectWorkIn(recoveryBlocksIn(seenWith(world, 'Where were we?')))
  // OpenClaw takes a run that was cut off up again by itself; what it had done before is in the log either way.
  const cutOff = await holdfast.eventsOf(SECOND, 'tool-finished')
  expect(cutOff[0]).toMatchObject({ tool: { name: 'write' }, outcome: { ok: true } })
  model.script.onPrompt('Go on with it.', [say('Went on.')])
  await client.turn(FIRST, 'Go on with it.')
  expect(recoveryBlocksIn(seenWith(world, 'Go on with it.'))).toHaveLength(1)
  const resumed = await holdfast.eventsOf(FIRST, 'session-started')
  expect(resumed.at(-1)?.source).toBe('resume')

  // The gateway says goodbye for its sessions, and an uninstall leaves nothing.
  await client.stopGateway()
  await waitUntil(
    async () => (await holdfast.session(FIRST)).phase === 'ended' && (await holdfast.session(THIRD)).phase === 'ended',
    'the sessions have ended',
    PATIENCE_MS,
  )
  expect((await holdfast.sessions()).map((session) => session.key).toSorted()).toEqual([FIRST, SECOND, THIRD])
  expect((await holdfast.checkpoints(FIRST)).flatMap((one) => one.work.files.map((file) => file.path))).toContain(
    EDITED_FILE,
  )
  await holdfast.cli(['uninstall', '--harness', 'openclaw', '--yes'], world.places)
  expect(JSON.parse(await readFile(client.configFile, 'utf8'))).not.toMatchObject({
    plugins: { entries: { holdfast: {} } },
  })
  expect(existsSync(join(client.stateDir, 'extensions', 'holdfast'))).toBe(false)
})
