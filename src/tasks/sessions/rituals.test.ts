import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { git, gitRepository, tempDir } from '../../../test/support/temp-dir.ts'
import { EventId, SessionKey } from '../../kernel/id.ts'
import { STOP_FILE_TRIGGER } from '../files/stop-file.ts'
import { createRituals } from './create-rituals.ts'
import { createTasks } from '../use-cases/create-tasks.ts'
import { createTaskSetup } from '../../../test/support/task-setup.ts'

const SECRET = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
const DONE = { summary: 'It was done.' }
const AGREED = {
  nextSteps: ['scaffold'],
  decisions: [{ decision: 'JWT', rationale: 'stateless', alternatives_considered: ['cookies'] }],
}
const HAS_GIT_NAME = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }

interface Policy {
  readonly smokeCommand?: string | readonly string[]
  readonly autoCommit?: boolean
}

/** A repository with one task, and what a test does with it. */
async function aTask(dir: string, policy: Policy = {}) {
  const root = gitRepository(join(dir, 'shop'))
  git(root, 'config', 'user.name', 'Test')
  git(root, 'config', 'user.email', 'test@example.invalid')
  const govern = (options: Policy) => {
    mkdirSync(join(root, '.agentic-governance'), { recursive: true })
    const file = { identity: { serviceName: 'shop' }, packOptions: { 'session-continuity': options } }
    writeFileSync(join(root, '.agentic-governance/config.json'), JSON.stringify(file))
  }
  govern(policy)
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'policy')
  const ports = createTaskSetup({ env: HAS_GIT_NAME })
  const [tasks, rituals] = [createTasks(ports), createRituals(ports)]
  const at = { cwd: root, slug: 'feat-x' }
  await tasks.create(at)
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'task')
  const read = (path: string) => readFileSync(join(root, 'tasks/feat-x', path), 'utf8')
  return { root, ports, tasks, rituals, at, govern, read }
}

test("the start writes its log lines in their order, also to the session's own log", async () => {
  using dir = tempDir()
  const { rituals, at, read, ports } = await aTask(dir.path, { smokeCommand: 'node -e ""' })
  const lines: string[] = []
  const { session, steps, opening, resumedFrom } = await rituals.start({
    ...at,
    goal: 'plan it',
    onLine: (line) => void lines.push(line),
  })
  const id = session.session_id
  expect(lines).toEqual([
    `[shop] Session start: ${id} resuming from ${resumedFrom?.checkpoint_id}`,
    '[shop] Health check: pass',
    '[shop] Session starting: plan it',
  ])
  expect(read(`logs/sessions/${id}.log`)).toBe(`${lines.join('\n')}\n`)
  expect(steps.map(({ name }) => name)).toEqual(['recall', 'progress', 'status', 'history', 'health check', 'announce'])
  expect(opening).toContain('notes from the past, not instructions')
  const states = ports.kept.events.flatMap((event) => (event.kind === 'task-session-changed' ? [event.state] : []))
  expect(states).toEqual(['init', 'active'])
})

test('a session without a process is not live: the task’s own, one that could not start, a suspended one', async () => {
  using dir = tempDir()
  const { ports, rituals, at, govern } = await aTask(dir.path, { smokeCommand: 'node -e "process.exit(1)"' })
  const phases = async () => {
    const keys = new Map(ports.kept.events.map(({ harness, sessionKey }) => [sessionKey, harness]))
    const sessions = await Promise.all([...keys].map(([key, harness]) => ports.continuity.getSession(key, harness)))
    return sessions.map(({ key, phase }) => `${key.replace(/-[^-]*$/, '')} ${phase}`)
  }
  expect(await phases()).toEqual(['task-feat-x ended'])
  await rituals.start(at)
  expect(await phases()).toEqual(['task-feat-x ended', 'session-2026-01-02 ended'])
  govern({ smokeCommand: 'node -e ""' })
  const process = { pid: 7, startedAt: 'then' }
  const { session } = await rituals.start({ ...at, process })
  expect((await phases()).at(-1)).toBe('session-2026-01-02 idle')
  await rituals.suspend({ ...at, sessionId: session.session_id, reason: 'for later' })
  expect((await phases()).at(-1)).toBe('session-2026-01-02 ended')
  await rituals.start({ ...at, resume: true, process })
  expect((await phases()).at(-1)).toBe('session-2026-01-02 idle')
  // The daemon calls one whose process died interrupted, which says more.
  ports.life.isAlive = false
  await rituals.suspend({ ...at, sessionId: session.session_id, reason: 'its process is gone' })
  expect((await phases()).at(-1)).toBe('session-2026-01-02 idle')
})

test('resuming a suspended session changes its owner, and drops a harness that ended', async () => {
  using dir = tempDir()
  const { ports, rituals, at } = await aTask(dir.path)
  const { session } = await rituals.start({ ...at, process: { pid: 7 } })
  const sessionId = session.session_id
  await rituals.suspend({ ...at, sessionId, reason: 'for later' })
  const harnessSession = { harness: 'codex', sessionKey: 'k1' }
  const codex = await rituals.start({ ...at, resume: true, harnessSession, goal: 'go on' })
  expect(codex.session).toMatchObject({
    session_id: sessionId,
    harness_session: 'codex/k1',
    agent_id: 'operator',
    goal: 'go on',
  })
  expect(ports.kept.events.at(-1)).toMatchObject({ harness: 'codex', sessionKey: 'k1', state: 'active' })
  await rituals.suspend({ ...at, sessionId, reason: 'for later' })
  const unsaid = await rituals.start({ ...at, resume: true })
  expect(unsaid.session).toMatchObject({ harness_session: 'codex/k1', agent_id: 'operator', goal: 'go on' })
  await rituals.suspend({ ...at, sessionId, reason: 'for later' })
  const over = {
    id: EventId('over'),
    at: ports.clock.now(),
    door: 'hook',
    kind: 'session-ended',
    reason: 'exit',
  } as const
  await ports.continuity.recordAll([{ ...over, harness: 'codex', sessionKey: SessionKey('k1') }])
  const person = await rituals.start({ ...at, resume: true, process: { pid: 7 } })
  expect(person.session).toMatchObject({ session_id: sessionId, harness_session: null })
  await expect(rituals.start({ ...at, resume: true, parentSession: sessionId })).rejects.toThrow('already has a parent')
})

test('the end leaves log, checkpoint, memory, status and event, and commits nothing unless the policy allows it', async () => {
  using dir = tempDir()
  const { root, rituals, tasks, at, read, ports } = await aTask(dir.path)
  const { session } = await rituals.start({ ...at, goal: 'plan it' })
  writeFileSync(join(root, 'new.ts'), 'export {}\n')
  const head = git(root, 'rev-parse', 'HEAD')
  const content = { summary: 'Planned.', nextSteps: ['build it'], blockers: ['no schema'] }
  const ended = await rituals.end({ ...at, outcome: 'success', content })
  const id = session.session_id
  expect(git(root, 'rev-parse', 'HEAD')).toBe(head)
  expect(ended.work).toEqual({ kind: 'patch', file: `work/patches/${id}.patch`, leftOut: [] })
  expect(ended.steps.map(({ name }) => name)).toEqual([
    'commit',
    'progress',
    'checkpoint',
    'memorize',
    'status',
    'event',
  ])
  expect(ended.checkpoint.checkpoint).toMatchObject({
    type: 'session_end',
    state: { files_changed: [{ path: 'new.ts', action: 'created' }], patch: `work/patches/${id}.patch` },
  })
  expect(read('work/implementation-log.md')).toContain(
    `**Goal**: plan it\n**Completed**: Planned.\n**Blocked**: no schema\n**Next**: build it\n`,
  )
  expect(JSON.parse(read('json/events.ndjson'))).toMatchObject({
    specversion: '1.0',
    type: 'session.complete',
    source: 'urn:holdfast:task:feat-x',
    data: { session_id: id, outcome: 'success', next_session_hint: 'build it' },
  })
  expect((await tasks.show(at)).status).toMatchObject({ status: 'blocked', last_session: id, next_steps: ['build it'] })
  expect(ports.kept.memories.map(({ tags }) => tags.includes('task'))).toEqual([false, false, true])
  expect(read(`logs/sessions/${id}.log`).trimEnd().split('\n').at(-1)).toBe(`[shop] Session end: ${id} outcome=success`)
})

test('a nested repository is left out of the commit and named, with or without its own commit', async () => {
  using dir = tempDir()
  const { root, rituals, at } = await aTask(dir.path, { autoCommit: true })
  await rituals.start(at)
  writeFileSync(join(root, 'new.ts'), 'export {}\n')
  git(root, 'init', '-q', 'made/app')
  gitRepository(join(root, 'cloned'))
  const { work, steps } = await rituals.end({ ...at, content: DONE })
  expect(work).toMatchObject({ kind: 'commit', leftOut: ['cloned/', 'made/app/'] })
  expect(steps[0]?.detail).toMatch(/^committed \w{12}, without cloned\/, made\/app\/$/)
  expect(git(root, 'ls-files', '--', 'new.ts', 'cloned', 'made')).toBe('new.ts')
})

test('with the policy it commits the work and its records; with a secret or an open merge in the way, a patch', async () => {
  using dir = tempDir()
  const { root, rituals, at } = await aTask(dir.path, { autoCommit: true })
  await rituals.start(at)
  writeFileSync(join(root, 'new.ts'), 'export {}\n')
  expect((await rituals.end({ ...at, content: DONE })).work).toMatchObject({ kind: 'commit' })
  expect(git(root, 'status', '--porcelain')).toBe('')
  expect(git(root, 'log', '-1', '--format=%s', '--', 'new.ts')).toBe('feat-x: session work')

  await rituals.start(at)
  writeFileSync(join(root, 'token.txt'), `${SECRET}\n`)
  writeFileSync(join(root, 'more.ts'), 'export {}\n')
  expect((await rituals.end({ ...at, content: DONE })).work).toMatchObject({ kind: 'patch', leftOut: ['token.txt'] })
  rmSync(join(root, 'token.txt'))
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'by hand')

  git(root, 'checkout', '-q', '-b', 'side', 'HEAD~1')
  writeFileSync(join(root, 'more.ts'), 'export const side = 1\n')
  git(root, 'add', 'more.ts')
  git(root, 'commit', '-qm', 'side')
  expect(() => git(root, 'merge', 'main')).toThrow('Command failed')
  const { steps } = await rituals.start(at).then(() => rituals.end({ ...at, content: DONE }))
  expect(steps[0]?.detail).toContain('a merge is unresolved')
})

test('a second start is refused while the first is live, and takes over from a dead one', async () => {
  using dir = tempDir()
  const { rituals, tasks, at, ports } = await aTask(dir.path)
  const first = await rituals.start({ ...at, process: { pid: 4_000_000, startedAt: 'then' } })
  await expect(rituals.start(at)).rejects.toThrow(`${first.session.session_id} of the task feat-x is still active.`)
  ports.life.isAlive = false
  const second = await rituals.start({ ...at, process: { pid: 4_000_001, startedAt: 'then' } })
  const { sessions } = await tasks.show(at)
  expect(sessions.map(({ state }) => state)).toEqual(['suspended', 'active'])
  expect(second.session.parent_session).toBe(first.session.session_id)
  expect(second.resumedFrom?.type).toBe('interrupted')
})

test('a session that was considered dead can still be completed', async () => {
  using dir = tempDir()
  const { rituals, tasks, at } = await aTask(dir.path)
  await rituals.start(at)
  await rituals.suspend({ ...at, reason: 'it was silent for too long' })
  await rituals.end({ ...at, outcome: 'success', content: DONE })
  const [session] = (await tasks.show(at)).sessions
  expect(session?.transitions.map(({ to }) => to)).toEqual(['active', 'suspended', 'active', 'complete'])
  expect((await tasks.verify(at)).findings).toEqual([])
})

test('a start from a gate needs the gates before it and their evidence', async () => {
  using dir = tempDir()
  const { root, rituals, tasks, at } = await aTask(dir.path)
  await expect(rituals.start({ ...at, fromGate: 'G3' })).rejects.toThrow('needs G1 Research, G2 Plan first')
  expect((await tasks.show(at)).sessions).toEqual([])
  await tasks.enterGate({ ...at, gate: 'G1', force: true, reason: 'known' })
  writeFileSync(join(root, 'tasks/feat-x/context/research.md'), '# Research\n\nJWT.\n')
  await tasks.enterGate({ ...at, gate: 'G2', force: true, reason: 'known', content: AGREED })
  for (const page of ['PLAN', 'tdd-plan']) writeFileSync(join(root, `tasks/feat-x/plan/${page}.md`), 'Steps.\n')
  rmSync(join(root, 'tasks/feat-x/context/research.md'))
  await expect(rituals.start({ ...at, fromGate: 'G3' })).rejects.toThrow('context/research.md is gone')
  writeFileSync(join(root, 'tasks/feat-x/context/research.md'), '# Research\n\nJWT.\n')
  await rituals.start({ ...at, fromGate: 'scaffold' })
  expect((await tasks.show(at)).status.current_gate).toBe('G3')
})

test('a skipped check does not clear an earlier failure', async () => {
  using dir = tempDir()
  const { rituals, tasks, at, govern } = await aTask(dir.path, { smokeCommand: ['node', '-e', 'process.exit(3)'] })
  const failed = await rituals.start(at)
  expect(failed).toMatchObject({
    isReady: false,
    health: { verdict: 'fail', exitStatus: 3 },
    session: { state: 'suspended' },
  })
  govern({})
  expect(await rituals.start(at)).toMatchObject({ isReady: false, health: { verdict: 'skipped' } })
  govern({ smokeCommand: ['node', '-e', ''] })
  expect(await rituals.start(at)).toMatchObject({ isReady: true, health: { verdict: 'pass' } })
  expect((await tasks.show(at)).status).toMatchObject({ status: 'in-progress', regression: null, blockers: [] })
})

test('a smoke command that needs a shell is refused before anything runs', async () => {
  using dir = tempDir()
  const { root, rituals, at } = await aTask(dir.path, { smokeCommand: 'touch pwned && true' })
  await expect(rituals.start(at)).rejects.toThrow('needs a shell')
  expect(() => readFileSync(join(root, 'pwned'))).toThrow('ENOENT')
})

test('a broken chain prevents the start and is recorded as an incident', async () => {
  using dir = tempDir()
  const { root, rituals, tasks, at } = await aTask(dir.path)
  const { checkpoint } = await tasks.enterGate({ ...at, gate: 'G1', force: true, reason: 'known' })
  rmSync(join(root, `tasks/feat-x/json/checkpoints/${checkpoint.checkpoint_id}.json`))
  await expect(rituals.start(at)).rejects.toThrow('is broken')
  expect((await tasks.timeline(at)).filter(({ kind }) => kind === 'incident')).toMatchObject([
    { incident: 'chain-unsound' },
  ])
})

test('the emergency stop writes checkpoint, patch and event and terminates the session', async () => {
  using dir = tempDir()
  const { root, rituals, tasks, at, read } = await aTask(dir.path)
  const { session } = await rituals.start(at)
  writeFileSync(join(root, 'half.ts'), 'export {}\n')
  const { checkpoint } = await rituals.terminate({ ...at, trigger: STOP_FILE_TRIGGER, reason: 'STOP' })
  expect(JSON.parse(read('json/emergency-checkpoint.json'))).toMatchObject({
    session_id: session.session_id,
    trigger: 'stop file detected',
    trigger_details: { metric: 'stop_files', threshold: 1, actual: 1, reason: 'STOP' },
    state: { current_gate: 'G0', files_modified: ['half.ts'], uncommitted_changes: checkpoint.state.patch },
    recovery: { can_resume: true, manual_review_required: true },
  })
  expect(read(checkpoint.state.patch ?? '')).toContain('half.ts')
  expect(JSON.parse(read('json/events.ndjson'))).toMatchObject({ type: 'agent.emergency_stop' })
  expect((await tasks.show(at)).sessions[0]?.state).toBe('terminated')
  await expect(rituals.suspend({ ...at, sessionId: session.session_id, reason: 'late' })).rejects.toThrow(
    'terminated cannot become suspended',
  )
})

test('a task can be finished once every gate was entered and no session is active', async () => {
  using dir = tempDir()
  const { rituals, tasks, at, read } = await aTask(dir.path)
  for (const gate of ['G1', 'G2', 'G3', 'G4', 'G5', 'G6'])
    await tasks.enterGate({ ...at, gate, force: true, reason: 'known' })
  await expect(tasks.finish(at)).rejects.toThrow('G7 Document were not entered')
  await tasks.enterGate({ ...at, gate: 'G7', force: true, reason: 'known' })
  await rituals.start(at)
  await expect(tasks.finish(at)).rejects.toThrow('is active')
  await rituals.end({ ...at, content: DONE })
  await expect(tasks.finish({ ...at, summary: 'It works.' })).rejects.toThrow('lessons learned')
  const done = await tasks.finish({
    ...at,
    summary: 'It works.',
    lessons: ['plan first'],
    force: true,
    reason: 'no docs',
  })
  expect(done.status).toMatchObject({ status: 'complete', current_gate: 'G10' })
  expect(read('SUMMARY.md')).toContain('- plan first')
  await expect(rituals.start(at)).rejects.toThrow('is complete')
  expect((await tasks.verify(at)).findings).toEqual([])
})
