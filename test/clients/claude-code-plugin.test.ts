import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { waitUntil } from '../support/product.ts'
import { ClaudeCode, claudeProgram } from './support/claude-code.ts'
import { ClaudeSetup } from './support/claude-setup.ts'
import { callTool, say } from './support/model-script.ts'
import { EDITED_FILE, GOAL, LAST_WORDS, parserWork } from './support/parser-work.ts'
import { recoveryBlocksIn } from './support/recovery-block.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')
const pluginDir = join(root, 'plugins', 'claude-code')

/** Claude Code as somebody has it who installed Holdfast by npm: the program is on the PATH. */
async function withProgram({ workspace, model, holdfast }: ClaudeSetup): Promise<ClaudeCode> {
  const bin = join(workspace.dir, 'bin')
  await mkdir(bin)
  await symlink(join(root, 'bin', 'holdfast'), join(bin, 'holdfast'))
  const PATH = `${bin}:${workspace.environment.PATH ?? ''}`
  return ClaudeCode.create({ workspace, model, environment: { ...holdfast.environment, PATH } })
}

test.each([
  ['the marketplace', [root]],
  ['the plugin', ['--profile', 'directory', pluginDir]],
])('Claude Code finds nothing wrong with %s', async (_name, args) => {
  await using world = await ClaudeSetup.unconnected()
  const { stdout } = await run(await claudeProgram(), ['plugin', 'validate', ...args], {
    env: world.claude.environment,
  })
  expect(stdout).toContain('Validation passed')
})

test('by the plugin alone a session is kept, its tools and skills are there, and the next one goes on', async () => {
  await using world = await ClaudeSetup.unconnected()
  const { holdfast, model } = world
  const claude = await withProgram(world)
  await holdfast.daemonPid()
  model.script.onPrompt(GOAL, parserWork(world))
  const first = await claude.run(GOAL, { pluginDir })
  expect(first.said).toBe(LAST_WORDS)
  const [turn] = model.turnsOf(first.sessionId)
  expect(turn?.seen).toContain('mcp__plugin_holdfast_holdfast__session_briefing')
  expect(turn?.seen).toContain('- holdfast:sesh-briefing: ')
  await waitUntil(async () => (await holdfast.checkpoints(first.sessionId)).length > 0, 'there is a checkpoint')
  model.script.onPrompt('Where were we?', [say('At the parser.')])
  const second = await claude.run('Where were we?', { pluginDir })
  expect(recoveryBlocksIn(model.turnsOf(second.sessionId).at(-1)?.seen ?? '').join()).toContain(EDITED_FILE)
})

test('with both plugin and settings, each event is recorded once and injected once', async () => {
  await using world = await ClaudeSetup.unconnected()
  const { holdfast, model } = world
  const claude = await withProgram(world)
  await holdfast.connect('claude-code', { CLAUDE_CONFIG_DIR: claude.configDir })
  await holdfast.daemonPid()
  model.script.onPrompt(GOAL, [callTool('Bash', { command: 'echo once' }), say('Done.')])
  const { sessionId } = await claude.run(GOAL, { pluginDir })
  await waitUntil(async () => (await holdfast.session(sessionId)).phase === 'ended', 'the session has ended')
  const kinds = (await holdfast.events(sessionId)).map((event) => event.kind)
  expect([...kinds].sort()).toEqual([
    'prompt-submitted',
    'session-ended',
    'session-started',
    'tool-finished',
    'tool-started',
    'turn-ended',
  ])
  model.script.onPrompt('Where were we?', [say('At the echo.')])
  const next = await claude.run('Where were we?', { pluginDir })
  expect(recoveryBlocksIn(model.turnsOf(next.sessionId).at(-1)?.seen ?? '')).toHaveLength(1)
})
