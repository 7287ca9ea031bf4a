import { expect } from 'vitest'
import type { ClientSetup } from './client-setup.ts'
import { say, SUMMARY } from './model-script.ts'
import { EDITED_FILE, expectWorkIn, GOAL } from './parser-work.ts'
import { recoveryBlocksIn } from './recovery-block.ts'
import type { MidTool } from './running-tool.ts'

export const NEXT_PROMPT = 'Where were we?'

/** A world whose client runs one session at a time and can be left in the middle of a tool. */
interface KillableSetup extends ClientSetup {
  readonly client: { run(prompt: string): Promise<{ readonly sessionId: string }> }
  midTool(): Promise<MidTool>
}

/** Kills the client during a tool call and expects that the next session gets the recovery once and both sessions have the right end. */
export async function expectGoingOnAfterKill(world: KillableSetup): Promise<void> {
  const { client, holdfast, model } = world
  const { running, endTool } = await world.midTool()
  await running.killHard()
  await endTool()
  const before = model.turns.length
  model.script.onPrompt(NEXT_PROMPT, [say('At the parser.')])
  const next = await client.run(NEXT_PROMPT)
  const blocks = world.turnsIn(next.sessionId, before).flatMap((turn) => recoveryBlocksIn(turn.seen))
  expect(blocks).toHaveLength(1)
  expectWorkIn(blocks)
  await holdfast.untilEnded(next.sessionId)
  const phases = (await holdfast.sessions()).map((session) => session.phase)
  expect(phases.toSorted()).toEqual(['ended', 'interrupted'])
}

/** Expects that a turn compacted with this summary gets the file, but not the request that the summary contains. */
export function expectOnlyWhatTheSummaryLacks(seen: string): void {
  expect(seen).toContain(SUMMARY)
  const block = recoveryBlocksIn(seen).at(-1) ?? ''
  expect([block.includes(EDITED_FILE), block.includes(GOAL)]).toEqual([true, false])
}

/** Resumes a session that was compacted: it is one session, with a start for each. */
export async function expectOneSessionWhenResumed(
  world: ClientSetup & {
    readonly client: { run(prompt: string, options: { resume: string }): Promise<{ sessionId: string; said: string }> }
  },
  sessionId: string,
): Promise<void> {
  const { client, holdfast, model } = world
  const triggers = (await holdfast.checkpoints(sessionId)).map((checkpoint) => checkpoint.trigger)
  expect(triggers).toContain('pre_compaction')
  model.script.onPrompt('Go on with it.', [say('Went on.')])
  const resumed = await client.run('Go on with it.', { resume: sessionId })
  expect(resumed).toMatchObject({ sessionId, said: 'Went on.' })
  await holdfast.untilEnded(sessionId)
  const starts = await holdfast.eventsOf(sessionId, 'session-started')
  expect(starts.map((event) => event.source)).toEqual(['startup', 'compact', 'resume'])
  expect(await holdfast.session(sessionId)).toMatchObject({ promptCount: 2, compactionCount: 1 })
  expect(await holdfast.sessions()).toHaveLength(1)
}
