import { expect, test } from 'vitest'
import { ClaudeSetup } from './support/claude-setup.ts'
import { callTool, failWith, say, SUMMARY } from './support/model-script.ts'
import { EDITED_FILE, expectWorkIn, GOAL, midTool, parserWork } from './support/parser-work.ts'
import { adviceIn, recoveryBlocksIn } from './support/recovery-block.ts'
import { endProcess, toolPidFile, untilToolRuns } from './support/running-tool.ts'

const NEXT_PROMPT = 'Where were we?'

/** The text in the next session's first model request. */
async function recoveryOfNextSession(world: ClaudeSetup): Promise<readonly string[]> {
  world.model.script.onPrompt(NEXT_PROMPT, [say('At the parser.')])
  const run = await world.claude.run(NEXT_PROMPT)
  const turns = world.model.turnsOf(run.sessionId)
  expect(turns).toHaveLength(1)
  return recoveryBlocksIn(turns[0]?.seen ?? '')
}

test('a new session gets the recovery of the last one once', async () => {
  await using world = await ClaudeSetup.connected()
  world.model.script.onPrompt(GOAL, parserWork(world))
  const first = await world.claude.run(GOAL)
  const blocks = await recoveryOfNextSession(world)
  expect(blocks).toHaveLength(1)
  expectWorkIn(blocks)
  expect(blocks[0]).toContain('expected 2 paragraphs to be 3')
  expect(await world.holdfast.session(first.sessionId)).toMatchObject({ phase: 'ended' })
})

test('after a manual compaction the session gets its own state', async () => {
  await using world = await ClaudeSetup.connected()
  const { claude, holdfast, model } = world
  model.script.onPrompt(GOAL, parserWork(world))
  const { sessionId } = await claude.run(GOAL)
  await claude.run('/compact keep what matters', { resume: sessionId })
  const summaries = model.turns.filter((turn) => turn.purpose === 'summary')
  expect(summaries).toHaveLength(1)
  const advice = summaries.flatMap((turn) => adviceIn(turn.seen))
  expect(advice).toHaveLength(1)
  expect(advice[0]).toContain('keep blank lines as paragraph separators')
  expect(advice[0]).toContain(EDITED_FILE)
  model.script.onPrompt(NEXT_PROMPT, [say('At the parser.')])
  const resumed = await claude.run(NEXT_PROMPT, { resume: sessionId })
  expect(resumed.sessionId).toBe(sessionId)

  const after = model.turnsOf(sessionId).at(-1)?.seen ?? ''
  expect(after).toContain(SUMMARY)
  expectWorkIn(recoveryBlocksIn(after))
  const starts = await holdfast.eventsOf(sessionId, 'session-started')
  expect(starts.map((event) => event.source)).toEqual(['startup', 'resume', 'compact', 'resume'])
  const compactions = await holdfast.eventsOf(sessionId, 'compaction-started')
  expect(compactions.map((event) => event.trigger)).toEqual(['manual'])
  expect(await holdfast.session(sessionId)).toMatchObject({ compactionCount: 1, promptCount: 2 })
  const triggers = (await holdfast.checkpoints(sessionId)).map((checkpoint) => checkpoint.trigger)
  expect(triggers).toContain('session_end')
})

test('after automatic compaction the turn goes on with its own state', async () => {
  await using world = await ClaudeSetup.connected()
  const { claude, holdfast, model } = world
  const file = world.inProject(EDITED_FILE)
  model.script.onPrompt(GOAL, [
    callTool('Write', { file_path: file, content: 'export const split = undefined\n' }, { contextTokens: 180_000 }),
    callTool('Bash', { command: 'echo checked' }, { contextTokens: 180_000 }),
    say('Done.'),
  ])
  const { sessionId } = await claude.run(GOAL, { autocompact: '100k' })
  expect(model.turns.map((turn) => turn.purpose)).toEqual(['turn', 'turn', 'summary', 'turn'])
  const [beforeSummary, , , afterSummary] = model.turns
  expect(recoveryBlocksIn(beforeSummary?.seen ?? '')).toEqual([])
  expect(afterSummary?.seen).toContain(SUMMARY)
  expect(adviceIn(model.turns[2]?.seen ?? '')).toHaveLength(1)
  expect(adviceIn(afterSummary?.seen ?? '')).toEqual([])
  expectWorkIn(recoveryBlocksIn(afterSummary?.seen ?? ''))
  expect(await holdfast.session(sessionId)).toMatchObject({ compactionCount: 1 })
  const triggers = (await holdfast.checkpoints(sessionId)).map((checkpoint) => checkpoint.trigger)
  expect(triggers).toContain('pre_compaction')
})

test('a resumed session is one session with two starts', async () => {
  await using world = await ClaudeSetup.connected()
  const { claude, holdfast, model } = world
  model.script.onPrompt(GOAL, parserWork(world))
  const { sessionId } = await claude.run(GOAL)
  model.script.onPrompt('Go on with it.', [callTool('Bash', { command: 'echo more' }), say('Went on.')])
  const resumed = await claude.run('Go on with it.', { resume: sessionId })
  expect(resumed).toMatchObject({ sessionId, said: 'Went on.' })
  const starts = await holdfast.eventsOf(sessionId, 'session-started')
  expect(starts.map((event) => event.source)).toEqual(['startup', 'resume'])
  expect(await holdfast.session(sessionId)).toMatchObject({ phase: 'ended', promptCount: 2, toolCount: 6 })
  expect(await holdfast.sessions()).toHaveLength(1)
})

test('kill -9 of Claude Code in the middle of a tool: the next session goes on from there', async () => {
  await using world = await ClaudeSetup.connected()
  const { running, endTool } = await midTool(world)
  await running.killHard()
  await endTool()
  const blocks = await recoveryOfNextSession(world)
  expect(blocks).toHaveLength(1)
  expectWorkIn(blocks)
  const phases = (await world.holdfast.sessions()).map((session) => session.phase)
  expect(phases.toSorted()).toEqual(['ended', 'interrupted'])
})

// Its control is the test above: the same first session, dead, does speak.
test('a second live session gets none of the first one’s state', async () => {
  await using world = await ClaudeSetup.connected()
  const { running, endTool } = await midTool(world)
  const { holdfast, model } = world
  model.script.onPrompt('Something else entirely.', [say('Very well.')])
  const second = await world.claude.run('Something else entirely.')
  const seen = model.turnsOf(second.sessionId).map((turn) => turn.seen)
  expect(seen).toHaveLength(1)
  const blocks = seen.flatMap(recoveryBlocksIn)
  expect(blocks).toHaveLength(1)
  expect(blocks[0]).toContain('Also at work in this worktree')
  expect(seen.join('\n')).not.toContain('paragraph separators')
  const phases = (await holdfast.sessions()).map(({ key, phase }) => ({ isSecond: key === second.sessionId, phase }))
  expect(phases).toHaveLength(2)
  expect(phases).toContainEqual({ isSecond: true, phase: 'ended' })
  expect(phases).toContainEqual({ isSecond: false, phase: 'working' })
  await running.killHard()
  await endTool()
})

test('a turn that dies of an error of the model is not lost to the next session', async () => {
  await using world = await ClaudeSetup.connected()
  world.model.script.onPrompt(GOAL, [...parserWork(world).slice(0, 3), failWith(400)])
  expect(await world.claude.run(GOAL)).toMatchObject({ exitCode: 1, isError: true })
  expectWorkIn(await recoveryOfNextSession(world))
})

test('a fork that is compacted while its parent works on keeps the parent’s note', async () => {
  await using world = await ClaudeSetup.connected()
  const { claude, model } = world
  const note = 'SENTINEL-7f3a  with two spaces'
  const digest = callTool('mcp__holdfast__session_digest', { summary: note, next_action: 'Run `node  check.js`' })
  model.script.onPrompt(GOAL, [...parserWork(world).slice(0, -1), digest, say('Noted.')])
  const { sessionId } = await claude.run(GOAL, { allow: 'mcp__holdfast' })
  const pidFile = toolPidFile(world.workspace)
  model.script.onPrompt('Go on.', [callTool('Bash', { command: `echo $$ > ${pidFile}; sleep 300` })])
  const running = claude.start('Go on.', { resume: sessionId })
  const tool = await untilToolRuns(world.workspace)
  model.script.onPrompt('Try it another way.', [say('Tried.')])
  const { sessionId: fork } = await claude.run('Try it another way.', { resume: sessionId, fork: true })
  expect(fork).not.toBe(sessionId)
  await claude.run('/compact', { resume: fork })
  model.script.onPrompt(NEXT_PROMPT, [say('At the parser.')])
  await claude.run(NEXT_PROMPT, { resume: fork })
  await running.killHard()
  endProcess(-tool)
  const newest = recoveryBlocksIn(model.turnsOf(fork).at(-1)?.seen ?? '').at(-1)
  for (const kept of [note, 'Run `node  check.js`', EDITED_FILE]) expect(newest).toContain(kept)
})
