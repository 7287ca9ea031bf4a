import { describe, expect, test } from 'vitest'
import { waitUntil } from '../support/product.ts'
import { ClaudeSetup } from './support/claude-setup.ts'
import { callTool, say } from './support/model-script.ts'
import { EDITED_FILE, expectWorkIn, GOAL, midTool } from './support/parser-work.ts'
import { recoveryBlocksIn } from './support/recovery-block.ts'
import { noTerminalReason, Terminal } from './support/terminal.ts'

const whyNot = noTerminalReason()
if (whyNot !== undefined) console.error(`NOT RUN: interactive Claude Code needs a terminal, and ${whyNot}.`)

async function atPrompt({ claude, workspace }: ClaudeSetup): Promise<Terminal> {
  const command = [claude.program, '--allowedTools', 'Bash,Write']
  const terminal = new Terminal(command, { cwd: workspace.project, env: claude.environment })
  await terminal.waitFor('❯')
  return terminal
}

describe.skipIf(whyNot !== undefined)('interactive Claude Code', () => {
  test('clear ends one session and starts the next, exit ends that', async () => {
    await using world = await ClaudeSetup.connected()
    const { holdfast, model } = world
    model.script.onPrompt(GOAL, [
      callTool('Write', { file_path: world.inProject(EDITED_FILE), content: 'export {}\n' }),
      say('First-answer.'),
    ])
    model.script.onPrompt('Where were we?', [say('Second-answer.')])

    await using terminal = await atPrompt(world)
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
    expectWorkIn(recoveryBlocksIn(model.turns.at(-1)?.seen ?? ''))
    // A hook that failed is shown to the person; none did.
    expect(terminal.shown).not.toMatch(/hookerror/i)
  })

  test('kill -9 of Claude Code and of the daemon: the next session brings both back and goes on', async () => {
    await using world = await ClaudeSetup.connected()
    const { holdfast, model } = world
    const { running, endTool } = await midTool(world)
    process.kill(await holdfast.daemonPid(), 'SIGKILL')
    await running.killHard()
    await endTool()

    await using terminal = await atPrompt(world)
    await waitUntil(async () => (await holdfast.sessions()).length === 2, 'the start of the session is in the log')
    // A daemon that is only just up may miss a hook's deadline: what is owed stays owed until a prompt is in time.
    const recovered = async () => {
      const count = model.turns.length
      model.script.onPrompt(`Where were we? (${count})`, [say(`Answer-${count}.`)])
      await terminal.enter(`Where were we? (${count})`)
      await terminal.waitFor(`Answer-${count}.`)
      return recoveryBlocksIn(model.turns.at(-1)?.seen ?? '').length > 0
    }
    await waitUntil(recovered, 'a prompt brought the recovery')
    const blocks = recoveryBlocksIn(model.turns.at(-1)?.seen ?? '')
    expect(blocks).toHaveLength(1)
    expectWorkIn(blocks)
    expect((await holdfast.sessions()).map((session) => session.phase)).toContain('interrupted')
    expect(terminal.shown).not.toMatch(/hookerror/i)
  })
})
