import { expect, test } from 'vitest'
import { waitUntil } from '../support/product.ts'
import { ClaudeSetup } from './support/claude-setup.ts'
import { CodexSetup } from './support/codex-setup.ts'
import type { Holdfast } from './support/holdfast.ts'
import { callTool, say, type Step } from './support/model-script.ts'
import type { ScriptedModel } from './support/scripted-model.ts'

const COMMAND = 'node build.mjs'
/** On a busy machine a hook may answer too late; then the warning comes with the next call. */
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
  const world = await ClaudeSetup.connected()
  return {
    model: world.model,
    holdfast: world.holdfast,
    shell: (command) => callTool('Bash', { command }),
    run: (prompt) => world.claude.run(prompt, { allow: 'Bash' }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

async function inCodex(): Promise<Story> {
  const world = await CodexSetup.trusted()
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
  '%s: a loop is reported while it runs, and the next session is warned before it repeats a failed command',
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
