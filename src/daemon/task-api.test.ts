import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { gitRepository, tempDir } from '../../test/support/temp-dir.ts'
import { EventId, SessionId, SessionKey } from '../kernel/id.ts'
import type { ProcessRef } from '../kernel/event.ts'
import { systemClock } from '../platform/base/clock.ts'
import { systemProcesses } from '../platform/process/processes.ts'
import { parse } from '../platform/base/parse.ts'
import { ROUTES } from '../api/route-table.ts'
import { TASK_ROUTES } from '../api/tasks.ts'
import { createRituals } from '../tasks/sessions/create-rituals.ts'
import { createLocalTaskPorts } from '../tasks/use-cases/local-task-ports.ts'
import type { App } from './wiring/app.ts'
import { startDaemon } from './start.ts'
import { openTestApp } from '../../test/support/app-setup.ts'
import { daemonOptions, memoryLog, requestBytes, sendRaw, temporaryHome } from '../../test/support/daemon-setup.ts'

type TaskRoute = keyof typeof TASK_ROUTES

function ritualsOn({ continuity: engine }: Pick<App, 'continuity'>) {
  return createRituals(
    createLocalTaskPorts({
      clock: systemClock,
      log: memoryLog(),
      readsEnvFiles: false,
      memoryUrl: '',
      machine: { id: 'machine-1', hostId: 'machine-1', name: 'desk', sharesStore: false },
      continuity: engine,
      entryPoint: 'api',
      env: {},
      findOwnerProcess: () => undefined,
    }),
  )
}

/** A process, and how to end it. */
async function aProcess(): Promise<{ readonly ref: ProcessRef; kill(): Promise<void> }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  const startedAt = systemProcesses.startedAt(pid)
  return {
    ref: { pid, ...(startedAt !== undefined && { startedAt }) },
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

test('every route of tasks answers as the table says, and a refusal names the way out', async () => {
  using dir = tempDir()
  await using place = temporaryHome()
  const { home } = place
  const root = gitRepository(`${dir.path}/shop`)
  const backend = await openTestApp(home)
  const result = await startDaemon(daemonOptions(home, { clock: systemClock, openApp: async () => backend }))
  if (result.kind !== 'started') throw new Error('Another daemon runs.')
  const called = new Set<TaskRoute>()

  async function send(name: TaskRoute, body?: Readonly<Record<string, unknown>>, slug = 'feat-x') {
    called.add(name)
    const { method, path } = ROUTES[name]
    const target = path.replace(':slug', encodeURIComponent(slug))
    const isGet = method === 'GET'
    return sendRaw(
      { path: home.socket },
      requestBytes({
        method,
        target: isGet ? `${target}?cwd=${encodeURIComponent(root)}` : target,
        headers: [
          ['Host', 'localhost'],
          ['Content-Type', 'application/json'],
        ],
        body: isGet ? '' : JSON.stringify({ cwd: root, ...body }),
      }),
    )
  }

  async function sendOk(name: TaskRoute, body?: Readonly<Record<string, unknown>>): Promise<unknown> {
    const reply = await send(name, body)
    expect({ name, status: reply.status, body: reply.status === 200 ? '' : reply.body }).toEqual({
      name,
      status: 200,
      body: '',
    })
    return parse(ROUTES[name].reply, JSON.parse(reply.body))
  }

  try {
    expect(await sendOk('listTasks')).toEqual({ tasks: [] })
    expect(await sendOk('createTask', { slug: 'feat-x', criteria: ['it works'] })).toMatchObject({
      task: { status: { current_gate: 'G0' }, gates_open: ['G1', 'G2', 'G3', 'G4', 'G5', 'G6', 'G7'] },
    })
    expect((await send('createTask', { slug: 'feat-x' })).status).toBe(409)
    const escaping = await send('createTask', { slug: '../../etc' })
    expect({ status: escaping.status, hint: JSON.parse(escaping.body).error.hint }).toEqual({
      status: 400,
      hint: 'Try "etc".',
    })
    expect(await sendOk('blockTask', { reason: 'no schema' })).toMatchObject({
      task: { status: { status: 'blocked' } },
    })
    expect(await sendOk('unblockTask', {})).toMatchObject({ task: { status: { status: 'in-progress' } } })
    expect((await send('enterGate', { gate: 'G4' })).body).toContain('needs G1 Research, G2 Plan, G3 Scaffold first')
    expect(await sendOk('enterGate', { gate: 'research', force: true, reason: 'known' })).toMatchObject({
      written: { checkpoint: { gate: 'G1' } },
    })
    const content = { decisions: [{ decision: 'JWT', rationale: 'stateless', alternatives_considered: ['cookies'] }] }
    expect((await send('taskCheckpoint', { type: 'decision', content })).body).toContain('no active session')
    await ritualsOn(backend).start({ cwd: root, slug: 'feat-x' })
    expect((await send('taskCheckpoint', { type: 'decision', content: {} })).body).toContain(
      'needs a decision, the rationale of each decision, the alternatives that were considered',
    )
    expect(await sendOk('taskCheckpoint', { type: 'decision', content })).toMatchObject({
      written: { checkpoint: { type: 'decision', summary: 'JWT' }, mirrored: true },
    })
    expect((await send('finishTask', {})).body).toContain('were not entered')
    expect(await sendOk('verifyTask')).toMatchObject({ verification: { findings: [], checkpoints: 3 } })
    expect(await sendOk('taskTimeline')).toMatchObject({ timeline: expect.any(Array) })
    expect(await sendOk('showTask')).toMatchObject({ task: { active_session: { state: 'active' } } })
    expect((await send('showTask', {}, 'nothing-here')).status).toBe(404)
    expect(Object.keys(TASK_ROUTES).filter((name) => ![...called].some((known) => known === name))).toEqual([])
  } finally {
    await result.daemon.stop('the test is over')
  }
})

test('a session whose process is gone is suspended with what is known of it, by a daemon that was not there when it started', async () => {
  using dir = tempDir()
  await using place = temporaryHome()
  const root = gitRepository(`${dir.path}/shop`)
  const at = { cwd: root, slug: 'feat-x' }
  const agent = await aProcess()
  const first = await openTestApp(place.home)
  await first.tasks.create(at)
  await ritualsOn(first).start({ ...at, process: agent.ref })
  await first.continuity.tick()
  expect((await first.tasks.show(at)).active_session).toMatchObject({ state: 'active' })
  await first.close()

  await agent.kill()
  const second = await openTestApp(place.home)
  await second.continuity.tick()
  const { sessions, last_checkpoint: last, findings } = await second.tasks.show(at)
  expect(sessions.map(({ state }) => state)).toEqual(['suspended'])
  expect(last).toMatchObject({ type: 'interrupted', summary: 'Interrupted: its process is gone.' })
  expect(findings).toEqual([])
  const incidents = (await second.tasks.timeline(at)).filter(({ kind }) => kind === 'incident')
  expect(incidents).toMatchObject([{ incident: 'interrupted', checkpoint_id: last?.checkpoint_id }])
  // Reported once, however often it is requested.
  await second.continuity.tick()
  expect((await second.tasks.timeline(at)).filter(({ kind }) => kind === 'incident')).toHaveLength(1)

  // Resuming continues from it.
  const resumed = await ritualsOn(second).start({ ...at, resume: true })
  expect(resumed.session).toMatchObject({ session_id: sessions[0]?.session_id, state: 'active' })
  expect(resumed.resumedFrom?.checkpoint_id).toBe(last?.checkpoint_id)
  await second.close()
})

test('what hooks show of a linked session becomes the mandatory checkpoints', async () => {
  using dir = tempDir()
  await using place = temporaryHome()
  const root = gitRepository(`${dir.path}/shop`)
  const at = { cwd: root, slug: 'feat-x' }
  const backend = await openTestApp(place.home)
  const { continuity: engine, tasks } = backend
  const said = {
    harness: 'claude-code',
    sessionKey: SessionKey('s1'),
    at: systemClock.now(),
    door: 'hook',
    cwd: root,
  } as const
  let events = 0
  const id = () => EventId(`hook-${(events += 1)}`)
  await engine.record({ ...said, id: id(), kind: 'session-started', source: 'startup' })
  await tasks.create(at)
  await ritualsOn({ continuity: engine }).start({ ...at, harnessSession: { harness: 'claude-code', sessionKey: 's1' } })
  const shell = { name: 'Bash', kind: 'shell', files: [], command: 'npm test' } as const
  const write = { name: 'Write', kind: 'edit', files: [{ path: `${root}/src/login.ts`, action: 'created' }] } as const
  const failed = { ok: false, output: 'AssertionError: expected 1 to be 2' }
  await engine.record({ ...said, id: id(), kind: 'tool-finished', tool: shell, outcome: failed })
  await engine.record({ ...said, id: id(), kind: 'tool-finished', tool: write, outcome: { ok: true } })
  await engine.record({ ...said, id: id(), kind: 'tool-finished', tool: shell, outcome: { ok: true } })
  await engine.record({ ...said, id: id(), kind: 'decision-made', decision: 'Keep it simple' })
  await engine.drain()
  const written = (await tasks.timeline(at)).flatMap((entry) => (entry.kind === 'checkpoint' ? [entry] : []))
  expect(written.map(({ type, summary }) => `${type}: ${summary}`)).toEqual([
    'gate_transition: G0 Initialize: feat x',
    'file_change: created src/login.ts',
    'error_recovery: Recovered: npm test: AssertionError: expected 1 to be 2',
    'decision: Keep it simple',
  ])
  const { last_checkpoint: last, findings } = await tasks.show(at)
  expect(last?.missing).toEqual(['the rationale of each decision', 'the alternatives that were considered'])
  expect(findings).toEqual([])
  // The control: a session that works for no task leaves no checkpoint.
  const other = { ...said, sessionKey: SessionKey('s2') }
  await engine.record({ ...other, id: id(), kind: 'tool-finished', tool: write, outcome: { ok: true } })
  await engine.drain()
  expect((await tasks.show(at)).index.checkpoints).toHaveLength(4)
  // What the log says of the session itself carries the task.
  const [kept] = await engine.listCheckpoints({ sessionId: SessionId('claude-code/s1'), limit: 1 })
  expect(kept?.checkpoint.task).toEqual({ slug: 'feat-x', gate: 'G0' })
  await backend.close()
})
