import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/storage/sqlite/connection/driver.ts'
import { callTool, say } from './support/model-script.ts'
import { CHECK, FAILURE } from './support/parser-work.ts'
import { recoveryBlocksIn } from './support/recovery-block.ts'
import { SharedSetup } from './support/shared-setup.ts'

const GOALS = {
  claude: 'Make the parser keep blank lines.',
  codex: 'Let the lexer count columns.',
  openCode: 'Give the printer a width.',
  gemini: 'Teach the reader about tabs.',
} as const
const FILE = 'src/tabs.js'
const TEN_MINUTES_MS = 600_000

/** As if they had ended ten minutes ago: what was written to just now is left alone, as somebody may be at it. */
async function grownOld({ workspace, openCode }: SharedSetup): Promise<void> {
  const then = new Date(Date.now() - TEN_MINUTES_MS)
  for (const folder of ['claude', 'codex', 'gemini']) {
    const entries = await readdir(join(workspace.dir, folder), { recursive: true, withFileTypes: true })
    for (const entry of entries) if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), then, then)
  }
  const database = openDatabase(join(openCode.environment.XDG_DATA_HOME ?? '', 'opencode', 'opencode.db'))
  database.prepare('update session set time_updated = ?').run(then.getTime())
  database.close()
}

test('sessions of four real clients from before Holdfast are imported, and the first session after its install knows them', async () => {
  await using world = await SharedSetup.unconnected()
  const { claude, codex, gemini, holdfast, model, openCode, places } = world
  model.script.onPrompt(GOALS.claude, [
    callTool('Write', { file_path: world.inProject('src/parser.js'), content: 'export {}\n' }),
    say('Kept.'),
  ])
  const inClaude = await claude.run(GOALS.claude)
  model.script.onPrompt(GOALS.codex, [callTool('exec_command', { cmd: 'echo counted' }), say('Counted.')])
  const inCodex = await codex.run(GOALS.codex)
  const filePath = world.inProject('src/printer.js')
  model.script.onPrompt(GOALS.openCode, [callTool('write', { filePath, content: 'export {}\n' }), say('Wide.')])
  const inOpenCode = await openCode.run(GOALS.openCode)
  model.script.onPrompt(GOALS.gemini, [
    callTool('write_file', { file_path: world.inProject(FILE), content: 'export {}\n' }),
    callTool('run_shell_command', { command: CHECK, description: 'Check' }),
    say('The tabs are still wrong.'),
  ])
  const inGemini = await gemini.run(GOALS.gemini)
  await grownOld(world)

  const where = { ...places.claude, ...places.codex, ...places.gemini, ...places.openCode }
  const first: unknown = JSON.parse(await holdfast.cli(['import', '--json'], where))
  expect(first).toMatchObject({ found: 4, imported: 4, failed: [] })
  const sessions = await holdfast.sessions()
  expect(sessions.map(({ harness, key, phase, place }) => [harness, key, phase, place?.worktree])).toEqual([
    ['gemini-cli', inGemini.sessionId, 'ended', world.workspace.project],
    ['opencode', inOpenCode.sessionId, 'ended', world.workspace.project],
    ['codex', inCodex.sessionId, 'ended', world.workspace.project],
    ['claude-code', inClaude.sessionId, 'ended', world.workspace.project],
  ])
  expect(sessions.map(({ promptCount, toolCount }) => [promptCount, toolCount])).toEqual([
    [1, 2],
    [1, 1],
    [1, 1],
    [1, 1],
  ])
  const second: unknown = JSON.parse(await holdfast.cli(['import', '--json'], where))
  expect(second).toMatchObject({ found: 4, imported: 0, unchanged: 4, events: 0 })

  await holdfast.connect('claude-code', places.claude)
  model.script.onPrompt('What was done recently?', [say('The tabs.')])
  const { sessionId } = await claude.run('What was done recently?')
  const blocks = model.turnsOf(sessionId).flatMap((turn) => recoveryBlocksIn(turn.seen))
  expect(blocks).toHaveLength(1)
  expect(blocks[0]).toContain(GOALS.gemini)
  expect(blocks[0]).toContain(FILE)
  expect(blocks[0]).toContain(FAILURE)
  const briefing = await holdfast.cli(['briefing'])
  expect([GOALS.gemini, GOALS.openCode].filter((goal) => !briefing.includes(goal))).toEqual([])
})
