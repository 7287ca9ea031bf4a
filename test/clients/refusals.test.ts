import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { waitUntil } from '../support/product.ts'
import { CodexSetup } from './support/codex-setup.ts'
import { GeminiSetup } from './support/gemini-setup.ts'
import type { Holdfast } from './support/holdfast.ts'
import { callTool, say, type Step } from './support/model-script.ts'
import { OpenClawSetup } from './support/openclaw-setup.ts'
import { OpenCodeSetup } from './support/opencode-setup.ts'
import { GOAL } from './support/parser-work.ts'
import type { RunningClient } from './support/running-client.ts'
import { sandboxSession } from './support/sandboxed-task.ts'
import type { ScriptedModel } from './support/scripted-model.ts'

const PATIENCE_MS = 240_000

interface Setup extends AsyncDisposable {
  readonly holdfast: Holdfast
  readonly model: ScriptedModel
}

interface Client<W extends Setup> {
  open(): Promise<W>
  start(world: W): RunningClient
  /** A call of the harness's own shell. */
  shell(command: string): Step
  /** How often to wait, where the harness goes on with a command still running. */
  readonly waits?: number
}

function refusesIn<W extends Setup>(client: Client<W>): void {
  test('a tool that the sandbox refuses does not run, its agent reads why, and one that reads passes', async () => {
    await using world = await client.open()
    const { holdfast, model } = world
    const [waiting, goOn, made] = ['waiting', 'go-on', 'made'].map((name) => join(holdfast.workspace.dir, name))
    // Not by `touch`: OpenCode asks about a path outside the project that a command it knows is given.
    const step = `echo so > ${waiting}; while [ ! -e ${goOn} ]; do sleep 0.2; done`
    model.script.onPrompt(GOAL, [
      ...Array.from({ length: client.waits ?? 1 }, () => client.shell(step)),
      client.shell(`echo so > ${made}`),
      client.shell('ls -la'),
      say('So be it.'),
    ])
    const running = client.start(world)
    await waitUntil(() => existsSync(waiting ?? ''), 'the first tool is running', PATIENCE_MS)
    await waitUntil(async () => (await holdfast.sessions()).length > 0, 'its session is known', PATIENCE_MS)
    const [session] = await holdfast.sessions()
    if (session === undefined) throw new Error('unreachable')
    await sandboxSession(holdfast, session.key)
    await writeFile(goOn ?? '', '')
    await running.done
    expect(existsSync(made ?? '')).toBe(false)
    const turns = model.turns.filter((turn) => turn.purpose === 'turn').map((turn) => turn.seen)
    expect(turns.some((seen) => seen.includes('Sandbox: this session has been read-only'))).toBe(true)
    const finished = await holdfast.eventsOf(session.key, 'tool-finished')
    const listing = finished.find((event) => event.tool.command === 'ls -la')
    expect(listing?.outcome.ok).toBe(true)
    await waitUntil(
      async () => ((await holdfast.session(session.key)).contextTokens ?? 0) > 0,
      'it is known how full the context is',
      PATIENCE_MS,
    )
  })
}

describe('codex', () => {
  refusesIn<CodexSetup>({
    open: () => CodexSetup.trusted(),
    start: ({ client }) => client.start(GOAL),
    shell: (cmd) => callTool('exec_command', { cmd, yield_time_ms: 30_000 }),
    waits: 8,
  })
})

describe('gemini-cli', () => {
  refusesIn<GeminiSetup>({
    open: () => GeminiSetup.connected(),
    start: ({ client }) => client.start(GOAL),
    shell: (command) => callTool('run_shell_command', { command, description: 'Do it' }),
  })
})

describe('opencode', () => {
  refusesIn<OpenCodeSetup>({
    open: () => OpenCodeSetup.connected(),
    start: ({ client }) => client.start(GOAL),
    shell: (command) => callTool('bash', { command, description: 'Do it', timeout: 600_000 }),
  })
})

describe('openclaw', () => {
  refusesIn<OpenClawSetup>({
    open: () => OpenClawSetup.connected(),
    start: ({ client }) => client.startTurn('refused', GOAL),
    shell: (command) => callTool('exec', { command, timeoutSeconds: 600 }),
  })
})
