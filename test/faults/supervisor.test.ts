import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/platform/base/clock.ts'
import { GuardedProcesses } from '../../src/tasks/supervisor/process/guarded-processes.ts'
import { runCommand } from '../../src/tasks/supervisor/process/run-command.ts'
import { isAlive, waitUntil } from '../support/product.ts'

const root = join(import.meta.dirname, '..', '..')
const guardian = join(root, 'dist', 'run-guardian.cjs')
const agent = join(import.meta.dirname, 'support', 'stubborn-agent.mjs')
const dir = mkdtempSync(join(tmpdir(), 'holdfast-supervisor-'))
const PATIENCE_MS = 60_000
const supervisor = join(dir, 'supervise.mjs')

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'support', 'supervise.ts')],
    outfile: supervisor,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
  })
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Every live process that runs the stubborn agent with this mark in its words: also one that dropped its environment. */
function agentsOf(mark: string): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    if (!Number.isInteger(pid)) return []
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return words[1] === agent && words.includes(mark) && isAlive(pid) ? [pid] : []
    } catch {
      // It ended while we looked.
      return []
    }
  })
}

function startedBy(pid: number | undefined): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return Number(fields[1]) === pid && fields[0] !== 'Z' ? [Number(name)] : []
    } catch {
      return []
    }
  })
}

let cycle = 0
const aRunId = () => `run-fault-${process.pid}-${(cycle += 1)}`

describe.runIf(process.platform === 'linux')('an agent that forks, leaves, ignores SIGTERM and hangs', () => {
  test('is seen by the way we count: four processes, and they stay', async () => {
    const mark = aRunId()
    const child = spawn(process.execPath, [agent, 'agent', mark, ''], { stdio: ['ignore', 'pipe', 'ignore'] })
    await once(child.stdout, 'data')
    // The one that forked is on its way out.
    await waitUntil(() => agentsOf(mark).length === 4, 'four are there', PATIENCE_MS)
    process.kill(child.pid ?? 0, 'SIGKILL')
    await once(child, 'exit')
    await waitUntil(() => agentsOf(mark).length === 3, 'three of them are left', PATIENCE_MS)
    for (const pid of agentsOf(mark)) process.kill(pid, 'SIGKILL')
    await waitUntil(() => agentsOf(mark).length === 0, 'the control is gone', PATIENCE_MS)
  })

  test('leaves nothing behind in 20 cycles', async () => {
    for (let n = 0; n < 20; n += 1) {
      const runId = aRunId()
      using guard = new GuardedProcesses({ runId, script: guardian, env: process.env })
      let isReady = false
      const result = await runCommand({
        argv: [process.execPath, agent, 'agent', runId, ''],
        cwd: dir,
        env: process.env,
        runId,
        guard,
        clock: systemClock,
        limits: { maxMs: 120_000, silenceMs: 120_000, graceMs: 100 },
        // Looked at once while all of them are there: the one without our environment is known from then on.
        stopReason: () => (isReady && guard.list().length >= 4 ? 'person' : undefined),
        onOutput: (_, text) => {
          isReady ||= text.includes('ready')
        },
      })
      expect(result.ending).toEqual({ how: 'stopped', by: 'person' })
      expect(result.left).toEqual([])
      expect(agentsOf(runId)).toEqual([])
      const { guardianPid } = guard
      guard[Symbol.dispose]()
      await waitUntil(() => guardianPid === undefined || !isAlive(guardianPid), 'the guardian is gone', PATIENCE_MS)
    }
  })

  async function superviseAgent(): Promise<{ child: ChildProcess; runId: string }> {
    const runId = aRunId()
    const child = spawn(process.execPath, [supervisor, runId, guardian, agent, join(dir, runId)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    await waitUntil(() => existsSync(join(dir, runId)), 'the agent is ready', PATIENCE_MS)
    // The agent, its child, the grandchild of nobody and the one without an environment: the supervisor knows them all.
    await waitUntil(() => /pulse [4-9]/.test(said), 'the supervisor has looked', PATIENCE_MS)
    return { child, runId }
  }

  test('is gone within 5 seconds of its supervisor, killed with -9', async () => {
    const { child, runId } = await superviseAgent()
    await waitUntil(() => agentsOf(runId).length === 4, 'four are there', PATIENCE_MS)
    const guardians = startedBy(child.pid)
    child.kill('SIGKILL')
    const killedMs = performance.now()
    await waitUntil(() => agentsOf(runId).length === 0, 'the agent and all its children are gone', PATIENCE_MS)
    console.log(`supervisor killed with -9: everything gone after ${Math.round(performance.now() - killedMs)} ms`)
    await waitUntil(() => guardians.every((pid) => !isAlive(pid)), 'the guardian is gone too', PATIENCE_MS)
  })

  test('a guardian that was killed is replaced, and its successor does the work', async () => {
    const { child, runId } = await superviseAgent()
    const isGuardian = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('run-guardian')
    const before = startedBy(child.pid).filter(isGuardian)
    expect(before.length).toBe(1)
    for (const pid of before) process.kill(pid, 'SIGKILL')
    await waitUntil(
      () => startedBy(child.pid).some((pid) => !before.includes(pid) && isAlive(pid) && isGuardian(pid)),
      'another guardian',
      PATIENCE_MS,
    )
    child.kill('SIGKILL')
    await waitUntil(() => agentsOf(runId).length === 0, 'the agent and all its children are gone', PATIENCE_MS)
  })
})

describe.runIf(process.platform === 'linux')('an agent that does not come to an end', () => {
  async function run(script: string, limits: { maxMs: number; silenceMs: number }) {
    const runId = aRunId()
    using guard = new GuardedProcesses({ runId, script: guardian, env: process.env })
    // Awaited here: the guard ends with this function, and everything with it.
    return await runCommand({
      argv: [process.execPath, '-e', script, runId],
      cwd: dir,
      env: process.env,
      runId,
      guard,
      clock: systemClock,
      limits: { ...limits, graceMs: 100 },
      stopReason: () => undefined,
    })
  }

  test('is ended when it gives no sign of life', async () => {
    const { ending, left } = await run('setInterval(() => {}, 1000)', { maxMs: 600_000, silenceMs: 1_500 })
    expect({ ending, left }).toEqual({ ending: { how: 'silent' }, left: [] })
  })

  test('is ended when its time is up, however busy it is', async () => {
    const busy = 'setInterval(() => console.log("busy"), 20)'
    const { ending, output } = await run(busy, { maxMs: 1_500, silenceMs: 600_000 })
    expect(ending).toEqual({ how: 'time-limit' })
    expect(output).toContain('busy')
  })

  test('a child of a run inside a run ends with the outer one', async () => {
    const runId = aRunId()
    using guard = new GuardedProcesses({ runId, script: guardian, env: process.env })
    const inner = aRunId()
    // The inner supervisor is killed with everything else, and its agent is not forgotten for that.
    const result = await runCommand({
      argv: [process.execPath, supervisor, inner, guardian, agent, join(dir, inner)],
      cwd: dir,
      env: process.env,
      runId,
      guard,
      clock: systemClock,
      limits: { maxMs: 600_000, silenceMs: 600_000, graceMs: 100 },
      stopReason: () => (existsSync(join(dir, inner)) ? 'person' : undefined),
    })
    expect(result.ending).toEqual({ how: 'stopped', by: 'person' })
    await waitUntil(() => agentsOf(inner).length === 0, 'the inner agent is gone', PATIENCE_MS)
  })
})
