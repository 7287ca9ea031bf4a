import { expect, test } from 'vitest'
import { waitUntil } from '../support/product.ts'
import { ClaudeWorld } from './support/claude-world.ts'
import { callTool, say } from './support/model-script.ts'

const COMMAND = 'node build.mjs'
const build = callTool('Bash', { command: COMMAND })
/** A machine that is busy may answer one call's hook too late; then the next one is told, if it comes a moment later. */
const buildLater = callTool('Bash', { command: `sleep 1; ${COMMAND}` })
const TRIED = '## This was tried before and failed'
const LOOP = '## The same thing keeps failing the same way'

const timesIn = (text: string | undefined, part: string) => (text ?? '').split(part).length - 1

test('the model is told of a loop while it runs, and the next session’s of what failed before it runs it again, each once', async () => {
  await using world = await ClaudeWorld.connected()
  const { claude, holdfast, model } = world
  model.script.onPrompt('Build it.', [
    build,
    build,
    build,
    ...Array.from({ length: 5 }, () => buildLater),
    say('It does not build.'),
  ])
  const first = await claude.run('Build it.', { allow: 'Bash' })
  expect(first.said).toBe('It does not build.')
  const seen = model.turnsOf(first.sessionId).map((turn) => turn.seen)
  expect(seen.slice(0, 4).map((text) => timesIn(text, LOOP))).toEqual([0, 0, 0, 0])
  expect([timesIn(seen.at(-1), LOOP), timesIn(seen.at(-1), TRIED)]).toEqual([1, 0])

  const isKept = async () => (await holdfast.cli(['recall', 'build', '--json'])).includes('failed 8 times in a row')
  await waitUntil(isKept, 'what failed is kept')
  model.script.onPrompt('Try the build once more.', [
    callTool('Bash', { command: 'ls' }),
    ...Array.from({ length: 4 }, () => buildLater),
    say('It still does not.'),
  ])
  const second = await claude.run('Try the build once more.', { allow: 'Bash' })
  expect(second.said).toBe('It still does not.')
  const told = model.turnsOf(second.sessionId).map((turn) => turn.seen)
  expect(told.slice(0, 2).map((text) => timesIn(text, TRIED))).toEqual([0, 0])
  expect(timesIn(told.at(-1), TRIED)).toBe(1)
  expect(told.at(-1)).toContain('Tried, failed: `node build.mjs` failed 8 times in a row the same way')
})
