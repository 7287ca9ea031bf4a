import { expect, test } from 'vitest'
import { waitUntil } from '../support/product.ts'
import { ClaudeWorld } from './support/claude-world.ts'
import { callTool, say } from './support/model-script.ts'
import { EDITED_FILE, GOAL } from './support/parser-work.ts'
import { recoveryBlocksIn } from './support/recovery-block.ts'
import { noTerminalReason, Terminal } from './support/terminal.ts'

test('interactive: clear ends one session and starts the next, exit ends that', async ({ skip }) => {
  const reason = noTerminalReason()
  skip(reason !== undefined, `NOT RUN: interactive Claude Code needs a terminal, and ${reason}`)
  await using world = await ClaudeWorld.connected()
  const { claude, holdfast, model, workspace } = world
  model.script.onPrompt(GOAL, [
    callTool('Bash', { command: `mkdir src; echo 'export {}' > ${EDITED_FILE}` }),
    say('First-answer.'),
  ])
  model.script.onPrompt('Where were we?', [say('Second-answer.')])

  await using terminal = new Terminal([claude.program, '--allowedTools', 'Bash'], {
    cwd: workspace.project,
    env: claude.environment,
  })
  await terminal.waitFor('❯')
  await terminal.enter(GOAL)
  await terminal.waitFor('First-answer.')
  const first = model.turns[0]?.conversation ?? ''
  await waitUntil(async () => (await holdfast.session(first)).phase === 'idle', 'the first turn is over')

  await terminal.enter('/clear')
  await waitUntil(async () => (await holdfast.sessions()).length === 2, 'the second session has started')
  await terminal.enter('Where were we?')
  await terminal.waitFor('Second-answer.')
  const second = model.turns.at(-1)?.conversation ?? ''
  await terminal.enter('/exit')
  expect(await terminal.ended()).toBe(0)

  expect(second).not.toBe(first)
  const ended = await Promise.all([first, second].map((key) => holdfast.eventsOf(key, 'session-ended')))
  expect(ended.map((events) => events.map((event) => event.reason))).toEqual([['clear'], ['exit']])
  const started = await Promise.all([first, second].map((key) => holdfast.eventsOf(key, 'session-started')))
  expect(started.map((events) => events.map((event) => event.source))).toEqual([['startup'], ['clear']])
  expect(recoveryBlocksIn(model.turns.at(-1)?.seen ?? '')).toHaveLength(1)
  // A hook that failed is shown to the person; none did.
  expect(terminal.shown).not.toMatch(/hookerror/i)
})
