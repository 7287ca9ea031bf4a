import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { waitUntil } from '../support/product.ts'
import { ClaudeSetup } from './support/claude-setup.ts'
import type { ClientSetup } from './support/client-setup.ts'
import { MODEL_WITH_SUBAGENTS } from './support/codex.ts'
import { CodexSetup } from './support/codex-setup.ts'
import { NEXT_PROMPT } from './support/continued-session.ts'
import { GeminiSetup } from './support/gemini-setup.ts'
import { callTool, say, type Step, WRITER_REQUEST } from './support/model-script.ts'
import { OpenCodeSetup } from './support/opencode-setup.ts'
import { GOAL } from './support/parser-work.ts'
import { recoveryBlocksIn } from './support/recovery-block.ts'
import type { RunningClient } from './support/running-client.ts'
import { SharedSetup } from './support/shared-setup.ts'
import { endProcess, toolPidFile, untilToolRuns } from './support/running-tool.ts'

const PATIENCE_MS = 60_000
const MAX_PROMPTS = 4
const REQUEST = '## Holdfast asks for a handoff'
const GO_ON = 'Go on with it.'

/** Each value is in the next session's recovery as it is here, double spaces included. */
const DIGEST = {
  goal: 'Split the text  at blank lines.',
  rules: ['Never touch check.js.'],
  done: ['split exists in lib/parser-7f3a.js'],
  in_progress: 'Joining  lines that end with a backslash',
  next_action: 'Run `node  check.js`',
  fails: ['A single regular expression: it loses the last line'],
  decisions: ['Keep it synchronous, because callers are'],
}
const WORDS = Object.values(DIGEST).flat()

interface RunOptions {
  readonly resume?: string
}

/** What differs between the clients: how one is run, and what its tools are called. */
interface Driven<Setup extends ClientSetup> {
  readonly open: () => Promise<Setup>
  readonly start: (world: Setup, prompt: string, options?: RunOptions) => RunningClient
  readonly run: (world: Setup, prompt: string, options?: RunOptions) => Promise<{ readonly sessionId: string }>
  readonly shell: (command: string) => Step
  readonly digest: string
  /** The group is ended, or the process alone. */
  readonly isGroup?: true
}

async function configure({ holdfast }: ClientSetup, digest: Readonly<Record<string, unknown>>): Promise<void> {
  await writeFile(join(holdfast.dir, 'config.json'), JSON.stringify({ digest }))
  await holdfast.cliWhatever(['daemon', 'stop'])
}

const Stats = z.looseObject({ digests: z.looseObject({ requests: z.number(), followed: z.number() }) })

async function readDigestStats({ holdfast }: ClientSetup) {
  const { requests, followed } = Stats.parse(JSON.parse(await holdfast.cli(['stats', '--json']))).digests
  return { requests, followed }
}

/** A resumed session gets its recovery first, in OpenCode with its first prompt: the request may come with a later one. */
async function untilAsked<Setup extends ClientSetup>(
  driven: Driven<Setup>,
  world: Setup,
  sessionId: string,
): Promise<void> {
  for (let prompts = 0; prompts < MAX_PROMPTS && (await readDigestStats(world)).requests === 0; prompts += 1) {
    world.model.script.onPrompt(`Are you there? ${prompts}`, [say('Yes.')])
    await driven.run(world, `Are you there? ${prompts}`, { resume: sessionId })
  }
  expect(await readDigestStats(world)).toEqual({ requests: 1, followed: 0 })
  expect(world.turnsSince(0).some(({ seen }) => seen.includes(REQUEST))).toBe(true)
}

async function expectDigestAfterKill<Setup extends ClientSetup>(driven: Driven<Setup>): Promise<void> {
  await using world = await driven.open()
  const { holdfast, model } = world
  await configure(world, { askPercent: 0, askAfterCalls: 2 })
  model.script.onPrompt(GOAL, [driven.shell('echo one'), driven.shell('echo two'), say('Begun.')])
  const { sessionId } = await driven.run(world, GOAL)
  await waitUntil(
    async () => (await holdfast.eventsOf(sessionId, 'tool-finished')).length >= 2,
    'both calls are known',
    PATIENCE_MS,
  )
  await untilAsked(driven, world, sessionId)
  const wait = driven.shell(`echo $BASHPID > ${toolPidFile(world.workspace)}; exec sleep 300`)
  model.script.onPrompt(GO_ON, [callTool(driven.digest, { ...DIGEST, session_id: sessionId }), wait])
  const running = driven.start(world, GO_ON, { resume: sessionId })
  const pid = await untilToolRuns(world.workspace)
  const written = await holdfast.eventsOf(sessionId, 'digest-written')
  expect(written.map(({ nextAction }) => nextAction)).toEqual([DIGEST.next_action])
  await running.killHard()
  endProcess(driven.isGroup === true ? -pid : pid)

  const later = model.turns.length
  model.script.onPrompt(NEXT_PROMPT, [say('At the parser.')])
  const next = await driven.run(world, NEXT_PROMPT)
  expect(next.sessionId).not.toBe(sessionId)
  const [block = ''] = world.turnsIn(next.sessionId, later).flatMap(({ seen }) => recoveryBlocksIn(seen))
  expect(WORDS.filter((words) => !block.includes(words))).toEqual([])
  expect(await readDigestStats(world)).toEqual({ requests: 1, followed: 1 })
}

test('Claude Code is asked, writes its digest, is killed, and the next session has it word for word', () =>
  expectDigestAfterKill({
    open: () => ClaudeSetup.connected(),
    start: ({ claude }, prompt, options) => claude.start(prompt, { ...options, allow: 'mcp__holdfast' }),
    run: ({ claude }, prompt, options) => claude.run(prompt, options),
    shell: (command) => callTool('Bash', { command, description: 'Run it' }),
    digest: 'mcp__holdfast__session_digest',
    isGroup: true,
  }))

test('Codex is asked, writes its digest, is killed, and the next session has it word for word', () =>
  expectDigestAfterKill({
    open: () => CodexSetup.trusted(),
    start: ({ client }, prompt, options) =>
      client.start(prompt, { ...options, needsTools: true, model: MODEL_WITH_SUBAGENTS }),
    run: ({ client }, prompt, options) => client.run(prompt, options),
    shell: (cmd) => callTool('exec_command', { cmd, yield_time_ms: 30_000 }),
    digest: 'mcp__holdfast__session_digest',
  }))

test('Gemini CLI is asked, writes its digest, is killed, and the next session has it word for word', () =>
  expectDigestAfterKill({
    open: () => GeminiSetup.connected(),
    start: ({ client }, prompt, options) => client.start(prompt, options),
    run: ({ client }, prompt, options) => client.run(prompt, options),
    shell: (command) => callTool('run_shell_command', { command, description: 'Run it' }),
    digest: 'mcp_holdfast_session_digest',
  }))

test('OpenCode is asked, writes its digest, is killed, and the next session has it word for word', () =>
  expectDigestAfterKill({
    open: () => OpenCodeSetup.connected(),
    start: ({ client }, prompt, options) => client.start(prompt, options),
    run: ({ client }, prompt, options) => client.run(prompt, options),
    shell: (command) => callTool('bash', { command, description: 'Run it', timeout: 600_000 }),
    digest: 'holdfast_session_digest',
  }))

/** A handoff that only a program could have written: nothing of it is in the session. */
const HANDOFF = 'Goal: keep blank lines.  All tests pass.\nNext: run the check of handoff-91c.'

/** A session of Claude Code with enough work for a handoff. */
async function workIn({ claude, holdfast, model }: ClaudeSetup): Promise<string> {
  const steps = ['one', 'two', 'three', 'four'].map((word) => callTool('Bash', { command: `echo ${word}` }))
  model.script.onPrompt(GOAL, [...steps, callTool('Bash', { command: 'npm test' }), say('Begun.')])
  const { sessionId } = await claude.run(GOAL)
  await holdfast.untilEnded(sessionId)
  return sessionId
}

async function expectHandoffInNext(world: ClaudeSetup, sessionId: string): Promise<void> {
  const { claude, holdfast, model } = world
  const digests = async () => await holdfast.eventsOf(sessionId, 'digest-written')
  await waitUntil(async () => (await digests()).length > 0, 'the handoff is stored', PATIENCE_MS)
  expect((await digests()).map(({ summary, author }) => [summary, author])).toEqual([[HANDOFF, 'command']])
  model.script.onPrompt(NEXT_PROMPT, [say('At the parser.')])
  const next = await claude.run(NEXT_PROMPT)
  const blocks = model.turnsOf(next.sessionId).flatMap(({ seen }) => recoveryBlocksIn(seen))
  expect(blocks[0]).toContain('run the check of handoff-91c')
  // What the program started is not recorded as work.
  expect((await holdfast.sessions()).map(({ key }) => key).toSorted()).toEqual([sessionId, next.sessionId].toSorted())
}

test('a small script as digest.command: the daemon runs it at the end of a session, and the next one has what it printed', async () => {
  await using world = await ClaudeSetup.connected()
  const script = join(world.workspace.dir, 'write-handoff')
  const input = join(world.workspace.dir, 'excerpt.txt')
  await writeFile(script, `#!/bin/sh\ncat > '${input}'\nprintf '%s\\n' '${HANDOFF.replace('\n', "' '")}'\n`)
  await chmod(script, 0o755)
  await configure(world, { askPercent: 0, askAfterCalls: 0, command: script })
  await expectHandoffInNext(world, await workIn(world))
  expect(await readFile(input, 'utf8')).toContain(GOAL)
  const doctor = await world.holdfast.cliWhatever(['doctor', '--json'])
  expect(doctor).toContain(`wrote ${HANDOFF.length} characters`)
})

test('the preset claude, run by the daemon, which has no keys: the client finds them in its own settings', async () => {
  await using world = await ClaudeSetup.connected()
  const { claude, holdfast, model, workspace } = world
  await workspace.putOnPath('claude', claude.program)
  const { HOME = '', PATH = '' } = workspace.environment
  const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY } = claude.environment
  await mkdir(join(HOME, '.claude'))
  const settings = { env: { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY } }
  await writeFile(join(HOME, '.claude', 'settings.json'), JSON.stringify(settings))
  await configure(world, { askPercent: 0, askAfterCalls: 0, command: 'claude' })
  await holdfast.cli(['daemon', 'start'], { PATH: `${workspace.binDir}:${PATH}` })
  model.script.onPrompt(WRITER_REQUEST, [say(HANDOFF), say(HANDOFF)])
  await expectHandoffInNext(world, await workIn(world))
})

/** By hand with a preset: the program on the path, its own settings in its own variables. */
async function expectPresetWrites(world: SharedSetup, preset: string, environment: Readonly<Record<string, string>>) {
  const { claude, holdfast, model } = world
  await configure(world, { askPercent: 0, askAfterCalls: 0, command: preset, timeoutMs: 150_000 })
  model.script.onPrompt(GOAL, [callTool('Bash', { command: 'echo one' }), say('Begun.')])
  const { sessionId } = await claude.run(GOAL)
  await holdfast.untilEnded(sessionId)
  const before = model.turns.length
  // A title of the session may be asked for as well.
  model.script.onPrompt(WRITER_REQUEST, [say(HANDOFF), say(HANDOFF), say(HANDOFF)])
  const printed = await holdfast.cli(['digest', '--session', sessionId], environment)
  expect(printed).toBe(`${HANDOFF}\n`)
  const seen = model.turns.slice(before).map((turn) => turn.seen)
  expect(seen.some((text) => text.includes(GOAL))).toBe(true)
  // Neither our instructions nor a recovery reached it, and it is not recorded as work.
  expect(seen.flatMap(recoveryBlocksIn)).toEqual([])
  expect((await holdfast.sessions()).map(({ key }) => key)).toEqual([sessionId])
  const [digest] = await holdfast.eventsOf(sessionId, 'digest-written')
  expect(digest).toMatchObject({ summary: HANDOFF, author: 'command' })
}

test.each(['claude', 'codex', 'gemini', 'opencode'] as const)(
  'the preset %s: the real client writes the handoff, and is not recorded itself',
  async (preset) => {
    await using world = await SharedSetup.connected()
    const client = { claude: world.claude, codex: world.codex, gemini: world.gemini, opencode: world.openCode }[preset]
    await world.workspace.putOnPath(preset, client.program)
    const { PATH = '' } = client.environment
    await expectPresetWrites(world, preset, { ...client.environment, PATH: `${world.workspace.binDir}:${PATH}` })
  },
)
