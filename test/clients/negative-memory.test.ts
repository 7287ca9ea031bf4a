import { expect, test } from 'vitest'
import { waitUntil } from '../support/product.ts'
import { ClaudeWorld } from './support/claude-world.ts'
import { CodexWorld } from './support/codex-world.ts'
import type { Holdfast } from './support/holdfast.ts'
import { callTool, say, type Step } from './support/model-script.ts'
import type { ScriptedModel } from './support/scripted-model.ts'

const COMMAND = 'node build.mjs'
/** A machine that is busy may answer one call's hook too late; then the next one is told, if it comes a moment later. */
const LATER = `sleep 1; ${COMMAND}`
const TRIED = '## This was tried before and failed'
const LOOP = '## The same thing keeps failing the same way'

interface Story extends AsyncDisposable {
  readonly model: ScriptedModel
  readonly holdfast: Holdfast
  readonly shell: (command: string) => Step
  readonly run: (prompt: string) => Promise<{ readonly sessionId: string; readonly said: string }>
}

async function inClaudeCode(): Promise<Story> {
  const world = await ClaudeWorld.connected()
  return {
    model: world.model,
    holdfast: world.holdfast,
    shell: (command) => callTool('Bash', { command }),
    run: (prompt) => world.claude.run(prompt, { allow: 'Bash' }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

async function inCodex(): Promise<Story> {
  const world = await CodexWorld.trusted()
  return {
    model: world.model,
    holdfast: world.holdfast,
    shell: (cmd) => callTool('exec_command', { cmd }),
    run: (prompt) => world.client.run(prompt),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

/** An answer that left a moment too late counts as not told, and may have arrived all the same. */
const ONCE = [1, 2]

const timesIn = (text: string | undefined, part: string) => (text ?? '').split(part).length - 1
const many = (step: Step, times: number) => Array.from({ length: times }, () => step)

test.each([
  ['Claude Code', inClaudeCode],
  ['Codex', inCodex],
])(
  'the model of %s is told of a loop while it runs, and of what failed before the next session runs it again',
  async (_, open) => {
    await using story = await open()
    const { model, holdfast, shell } = story
    model.script.onPrompt('Build it.', [
      ...many(shell(COMMAND), 3),
      ...many(shell(LATER), 5),
      say('It does not build.'),
    ])
    const first = await story.run('Build it.')
    expect(first.said).toBe('It does not build.')
    const seen = model.turnsOf(first.sessionId).map((turn) => turn.seen)
    expect(seen.slice(0, 4).map((text) => timesIn(text, LOOP))).toEqual([0, 0, 0, 0])
    expect(ONCE).toContain(timesIn(seen.at(-1), LOOP))
    expect(timesIn(seen.at(-1), TRIED)).toBe(0)

    const isKept = async () => (await holdfast.cli(['recall', 'build', '--json'])).includes('failed 8 times in a row')
    await waitUntil(isKept, 'what failed is kept')
    model.script.onPrompt('Try the build once more.', [
      shell('ls'),
      ...many(shell(LATER), 4),
      say('It still does not.'),
    ])
    const second = await story.run('Try the build once more.')
    expect(second.said).toBe('It still does not.')
    const told = model.turnsOf(second.sessionId).map((turn) => turn.seen)
    expect(told.slice(0, 2).map((text) => timesIn(text, TRIED))).toEqual([0, 0])
    expect(ONCE).toContain(timesIn(told.at(-1), TRIED))
    expect(told.at(-1)).toContain('Tried, failed: `node build.mjs` failed 8 times in a row the same way')
  },
)
