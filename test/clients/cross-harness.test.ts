import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { waitUntil } from '../support/product.ts'
import { COMPACTING_TOKENS } from './support/codex.ts'
import { callTool, say, SUMMARY } from './support/model-script.ts'
import { CHECK, EDITED_FILE, expectWorkIn, FAILURE, GOAL } from './support/parser-work.ts'
import { recoveryBlocksIn } from './support/recovery-block.ts'
import { SharedSetup } from './support/shared-setup.ts'

const PATIENCE_MS = 120_000
/** None of these prompts names the work: a harness that knows it got it from the recovery. */
const IN_CODEX = 'Where were we?'
const IN_OPENCODE = 'What is left to do?'
const IN_GEMINI = 'Go on where the others stopped.'
const CODEX_FILE = 'lib/blank-lines.js'
const OPENCODE_FILE = 'tools/joined.js'

const Timeline = z.array(
  z.looseObject({
    kind: z.string(),
    subject: z.string(),
    harness: z.string(),
    lineage: z.string(),
    text: z.string(),
    continues: z.string().optional(),
  }),
)

/** Claude Code writes a file, sees a check fail, and is killed in the middle of its third tool. Gives its session. */
async function killedInClaudeCode(world: SharedSetup): Promise<string> {
  const { claude, holdfast, model } = world
  const pidFile = join(world.workspace.dir, 'tool.pid')
  model.script.onPrompt(GOAL, [
    callTool('Write', { file_path: world.inProject(EDITED_FILE), content: 'export const split = undefined\n' }),
    callTool('Bash', { command: CHECK, description: 'Run the check' }),
    callTool('Bash', { command: `echo $$ > ${pidFile}; sleep 300` }),
  ])
  const running = claude.start(GOAL)
  const toolPid = async () => Number(await readFile(pidFile, 'utf8').catch(() => ''))
  await waitUntil(async () => (await toolPid()) > 0, 'the tool is running', PATIENCE_MS)
  const [session] = await holdfast.sessions()
  const key = session?.key ?? ''
  const hasFailed = async () => (await holdfast.eventsOf(key, 'tool-finished')).some((event) => !event.outcome.ok)
  await waitUntil(hasFailed, 'the failed check is known', PATIENCE_MS)
  await running.killHard()
  // Claude Code's shell is a session of its own and outlives it.
  process.kill(-(await toolPid()), 'SIGKILL')
  return key
}

test('Claude Code, killed; Codex goes on and is compacted; OpenCode goes on, then Gemini CLI: one lineage', async () => {
  await using world = await SharedSetup.connected()
  const { codex, gemini, holdfast, model, openCode } = world
  const inClaude = await killedInClaudeCode(world)
  // Nobody was there before, so nothing is said: what the others see of this work came by way of Holdfast.
  expect(model.turnsOf(inClaude).flatMap((turn) => recoveryBlocksIn(turn.seen))).toEqual([])

  const patch = ['*** Begin Patch', `*** Add File: ${CODEX_FILE}`, '+export const blank = /^\\s*$/', '*** End Patch']
  model.script.onPrompt(IN_CODEX, [
    callTool('apply_patch', { input: patch.join('\n') }),
    callTool('exec_command', { cmd: 'echo checked' }, { contextTokens: COMPACTING_TOKENS }),
    say('The blank lines are recognised.'),
  ])
  const { sessionId: inCodex } = await codex.run(IN_CODEX)
  const toCodex = model.turnsOf(inCodex).map((turn) => turn.seen)
  expect(toCodex).toHaveLength(3)
  const atStart = recoveryBlocksIn(toCodex[0] ?? '')
  expect(atStart).toHaveLength(1)
  expectWorkIn(atStart)
  expect(atStart[0]).toContain(FAILURE)
  expect(toCodex[2]).toContain(SUMMARY)
  const afterCompaction = recoveryBlocksIn(toCodex[2] ?? '')
  expectWorkIn(afterCompaction)
  expect(afterCompaction.at(-1)).toContain(CODEX_FILE)
  await world.holdfast.untilEnded(inCodex)

  const filePath = world.inProject(OPENCODE_FILE)
  model.script.onPrompt(IN_OPENCODE, [
    callTool('write', { filePath, content: 'export const joined = []\n' }),
    say('They are joined again.'),
  ])
  const { sessionId: inOpenCode } = await openCode.run(IN_OPENCODE)
  const toOpenCode = model.turnsOf(inOpenCode).map((turn) => recoveryBlocksIn(turn.seen))
  expect(toOpenCode.map((blocks) => blocks.length)).toEqual([1, 1])
  expectWorkIn(toOpenCode[0] ?? [])
  expect(toOpenCode[0]?.[0]).toContain(CODEX_FILE)
  await world.holdfast.untilEnded(inOpenCode)

  model.script.onPrompt(IN_GEMINI, [say('Nothing is left.')])
  const { result, turns } = await world.turnsDuring(() => gemini.run(IN_GEMINI))
  const inGemini = result.sessionId
  const toGemini = turns.map((turn) => recoveryBlocksIn(turn.seen))
  expect(toGemini.map((blocks) => blocks.length)).toEqual([1])
  expectWorkIn(toGemini[0] ?? [])
  expect(toGemini[0]?.[0]).toContain(OPENCODE_FILE)
  await world.holdfast.untilEnded(inGemini)

  const timeline = Timeline.parse(JSON.parse(await holdfast.cli(['sessions', 'timeline', '--json'])))
  const starts = timeline.filter(({ kind, text }) => kind === 'session' && text.includes('started'))
  expect(starts.map(({ harness, subject, continues }) => [harness, subject, continues])).toEqual([
    ['claude-code', inClaude, undefined],
    ['codex', inCodex, `claude-code/${inClaude}`],
    ['opencode', inOpenCode, `codex/${inCodex}`],
    ['gemini-cli', inGemini, `opencode/${inOpenCode}`],
  ])
  expect(new Set(timeline.map(({ lineage }) => lineage))).toEqual(new Set([`claude-code/${inClaude}`]))
  const shown = await holdfast.cli(['sessions', 'timeline'])
  expect(shown).toContain(`codex started, continues claude-code/${inClaude}`)
  expect(shown).toContain(`opencode started, continues codex/${inCodex}`)
  expect(shown).toContain(`gemini-cli started, continues opencode/${inOpenCode}`)
})
