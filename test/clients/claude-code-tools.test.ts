import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { claudeCode } from './support/claude-code.ts'
import { ClaudeSetup } from './support/claude-setup.ts'
import { callTool, say } from './support/model-script.ts'
import type { ModelTurn } from './support/scripted-model.ts'
import { midTool } from './support/parser-work.ts'
import { noTerminalReason, Terminal } from './support/terminal.ts'

const GOAL = 'Make the parser keep comments.'
const DECISION = 'Comments are trivia, not tokens.'
const DIGEST = 'The lexer keeps comments now; the printer does not.'

const Offered = z.looseObject({
  tools: z.array(z.looseObject({ name: z.string(), defer_loading: z.boolean().optional() })),
})
const Recalled = z.array(z.looseObject({ memory: z.looseObject({ content: z.string(), type: z.string() }) }))

/** Names of the tools that the model could call at once: one that is deferred has to be searched for first. */
function toolsIn(turn: ModelTurn | undefined): readonly string[] {
  return Offered.parse(turn?.body).tools.flatMap(({ name, defer_loading: isDeferred }) => (isDeferred ? [] : [name]))
}

const ALL_PARTS = ['--with', 'skills,commands,snippet']

test('after init with all parts the model can load our tools, and what it does with them is in the store', async () => {
  await using world = await ClaudeSetup.connected(ALL_PARTS)
  const { claude, holdfast, model } = world
  model.script.onPrompt(GOAL, [
    callTool('mcp__holdfast__session_briefing', {}),
    callTool('mcp__holdfast__remember', { content: DECISION, type: 'decision' }),
    callTool('mcp__holdfast__session_digest', { summary: DIGEST, next_action: 'Run `npm test`' }),
    callTool('mcp__holdfast__checkpoint_save', { name: 'parser-comments', task: 'Keep comments' }),
    say('Kept.'),
  ])
  const { sessionId, said } = await claude.run(GOAL, { allow: 'mcp__holdfast' })
  expect(said).toBe('Kept.')

  const [first, ...later] = model.turnsOf(sessionId)
  // Listed by name; the client loads a tool when the model asks for it.
  const listed = new Set(first?.seen.match(/\bmcp__holdfast__\w+/g))
  expect([...listed]).toContain('mcp__holdfast__session_briefing')
  expect(listed.size).toBeGreaterThanOrEqual(20)
  expect(toolsIn(first).filter((name) => name.startsWith('mcp__holdfast__'))).toEqual([])
  expect(first?.seen).toContain('## Session continuity (Holdfast)')
  for (const skill of ['sesh-briefing', 'sesh-intent', 'sesh-save', 'sesh-done', 'checkpoint', 'remember', 'recall'])
    expect(first?.seen).toContain(`\n- ${skill}: `)
  expect(later.at(-1)?.seen).toContain('# Session Briefing: project')

  const checkpoints = await holdfast.checkpoints(sessionId)
  expect(checkpoints.map(({ summary }) => summary)).toContain(DIGEST)
  expect(checkpoints.map(({ name }) => name)).toContain('parser-comments')
  const memories = Recalled.parse(JSON.parse(await holdfast.cli(['recall', 'comments', '--json'])))
  expect(memories.map(({ memory }) => [memory.content, memory.type])).toEqual([[DECISION, 'decision']])
  const file = join(world.workspace.project, 'memory', 'checkpoints', 'parser-comments.md')
  expect(await readFile(file, 'utf8')).toContain('Keep comments')
})

test('what was left out is not there, and stays out', async () => {
  await using world = await ClaudeSetup.unconnected()
  const { claude, holdfast, model } = world
  const environment = { CLAUDE_CONFIG_DIR: claude.configDir }
  const wish = ['--no-mcp', '--no-skills', '--no-snippet']
  await holdfast.cli(['init', '--harness', 'claude-code', '--yes', ...wish], environment)
  await holdfast.connect('claude-code', environment)
  model.script.onPrompt(GOAL, [say('Understood.')])
  const { sessionId } = await claude.run(GOAL)
  const [turn] = model.turnsOf(sessionId)
  expect(toolsIn(turn).filter((name) => name.includes('holdfast'))).toEqual([])
  expect(turn?.seen).not.toContain('sesh-briefing')
  expect(turn?.seen).not.toContain('Session continuity (Holdfast)')
  // The control: the hooks are there all the same.
  expect((await holdfast.sessions()).map(({ key }) => key)).toEqual([sessionId])
})

test('a skill is a slash command: its words and what was typed after it reach the model', async () => {
  await using world = await ClaudeSetup.connected(ALL_PARTS)
  const { claude, model } = world
  model.script.onPrompt('# Named checkpoints', [callTool('mcp__holdfast__checkpoint_list', {}), say('None yet.')])
  const { sessionId, said } = await claude.run('/checkpoint list', { allow: 'mcp__holdfast' })
  expect(said).toBe('None yet.')
  expect(model.turnsOf(sessionId)[0]?.seen).toMatch(/ARGUMENTS: list/)
})

test('an uninstall leaves the state of a client that ran meanwhile to the client', async () => {
  await using world = await ClaudeSetup.connected()
  const { claude, holdfast, model } = world
  const state = join(claude.configDir, '.claude.json')
  model.script.onPrompt(GOAL, [say('Understood.')])
  await claude.run(GOAL)
  const Held = z.looseObject({ mcpServers: z.unknown(), firstStartVersion: z.string() })
  const { mcpServers: _ours, ...rest } = Held.parse(JSON.parse(await readFile(state, 'utf8')))
  const environment = { CLAUDE_CONFIG_DIR: claude.configDir }
  await holdfast.cli(['uninstall', '--harness', 'claude-code', '--yes', '--verify'], environment)
  expect(JSON.parse(await readFile(state, 'utf8'))).toEqual(rest)
})

test('connecting while a session runs loses neither our entry nor what the client keeps in the same file', async () => {
  await using world = await ClaudeSetup.unconnected()
  const { claude, holdfast, model } = world
  const state = join(claude.configDir, '.claude.json')
  const Kept = z.looseObject({
    mcpServers: z.looseObject({ holdfast: z.looseObject({ command: z.string() }) }),
    firstStartVersion: z.string(),
  })
  const { running, endTool } = await midTool(world)
  await holdfast.connect('claude-code', { CLAUDE_CONFIG_DIR: claude.configDir })
  await endTool()
  await running.done
  const kept = Kept.parse(JSON.parse(await readFile(state, 'utf8')))
  expect(kept.mcpServers.holdfast.command).not.toBe('')
  expect(kept.firstStartVersion).toBe(claudeCode.version)
  model.script.onPrompt(GOAL, [say('Understood.')])
  const { sessionId } = await claude.run(GOAL)
  expect(model.turnsOf(sessionId)[0]?.seen).toContain('mcp__holdfast__remember')
})

const whyNot = noTerminalReason()
if (whyNot !== undefined) console.error(`NOT RUN: interactive Claude Code needs a terminal, and ${whyNot}.`)

test.skipIf(whyNot !== undefined)(
  'at the keyboard, /checkpoint is ours although /rewind has it as another name',
  async () => {
    await using world = await ClaudeSetup.connected(ALL_PARTS)
    const { claude, model, workspace } = world
    model.script.onPrompt('# Named checkpoints', [say('Nothing-is-saved.')])
    const command = [claude.program, '--allowedTools', 'mcp__holdfast']
    await using terminal = new Terminal(command, { cwd: workspace.project, env: claude.environment })
    await terminal.waitFor('❯')
    await terminal.enter('/checkpoint list')
    await terminal.waitFor('Nothing-is-saved.')
    await terminal.enter('/exit')
    expect(await terminal.ended()).toBe(0)
  },
)
