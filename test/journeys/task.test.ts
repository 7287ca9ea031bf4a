import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { PATIENT, Product, type Ran, waitUntil } from '../support/product.ts'
import { git } from '../support/temp-dir.ts'

// Some thirty commands each: only what hangs takes as long, on a busy machine too.
vi.setConfig({ testTimeout: 600_000 })

/** test/seeds/s2.test.ts enters gates with their content. */
const FORCED = ['--force', '--reason', 'a stand-in']

interface TaskSessionRow {
  readonly session_id: string
  readonly state: string
  readonly parent_session: string | null
  readonly child_sessions: readonly string[]
  readonly resumed_from: string | null
}

interface TimelineRow {
  readonly kind: string
  readonly type?: string
  readonly gate?: string
  readonly incident?: string
  readonly checkpoint_id?: string
  readonly session_id?: string | null
}

/** One task in one project, through the built command line. */
function aTask(product: Product, cwd: string, slug: string) {
  const cli = (...args: readonly string[]): Promise<Ran> => product.cli(args, { cwd })
  return {
    cli,
    async must(...args: readonly string[]): Promise<string> {
      const ran = await cli(...args)
      if (ran.code !== 0) throw new Error(`holdfast ${args.join(' ')} exited ${ran.code}: ${ran.stderr}${ran.stdout}`)
      return ran.stdout
    },
    async sessions(): Promise<readonly TaskSessionRow[]> {
      const rows = await product.json(['sessions', 'list', '--task', slug], { cwd })
      if (!Array.isArray(rows)) throw new Error('not a list')
      return rows
    },
    async timeline(): Promise<readonly TimelineRow[]> {
      const rows = await product.json(['sessions', 'timeline', '--task', slug], { cwd })
      if (!Array.isArray(rows)) throw new Error('not a list')
      return rows
    },
    verify: () => cli('checkpoints', 'verify', '--task', slug),
    path: (...names: readonly string[]) => join(cwd, 'tasks', slug, ...names),
  }
}

function governed(cwd: string, smokeCommand: readonly string[]): void {
  mkdirSync(join(cwd, '.agentic-governance'), { recursive: true })
  const file = { identity: { logPrefix: 'shop' }, packOptions: { 'session-continuity': { smokeCommand } } }
  writeFileSync(join(cwd, '.agentic-governance', 'config.json'), JSON.stringify(file))
}

describe('three chained sessions', () => {
  test('from G0 to G10 with a crash in the second, ending in a verified chain', async () => {
    await using product = new Product()
    const cwd = await product.aProject('shop')
    governed(cwd, [process.execPath, '-e', ''])
    const task = aTask(product, cwd, 'feat-auth')
    await task.must('task', 'new', 'feat-auth', '--criterion', 'a wrong password is refused')

    const first = product.anAgent()
    const started = await task.must(
      'session',
      'start',
      '--task',
      'feat-auth',
      '--goal',
      'plan it',
      '--pid',
      String(first),
    )
    expect(started).toMatch(/^\[shop\] Session start: session-\S+ resuming from ckpt-\S+$/m)
    expect(started).toMatch(/^\[shop\] Health check: pass$/m)
    expect(started).toMatch(/^\[shop\] Session starting: plan it$/m)
    const steps = [...started.matchAll(/^ {2}(recall|progress|status|history|health check|announce) /gm)].map(
      ([, name]) => name,
    )
    expect(steps).toEqual(['recall', 'progress', 'status', 'history', 'health check', 'announce'])
    await task.must('task', 'gate', 'feat-auth', 'G1', ...FORCED)
    const decision = ['--decision', 'Use JWT', '--rationale', 'stateless', '--alternative', 'cookies']
    await task.must('task', 'checkpoint', 'feat-auth', '--type', 'decision', ...decision)
    await task.must('task', 'gate', 'feat-auth', 'plan', '--next', 'write the scaffold', ...FORCED)
    writeFileSync(join(cwd, 'src', 'auth.ts'), 'export const auth = 1\n')
    writeFileSync(join(cwd, 'src', 'logo.bin'), Buffer.from([0, 1, 2, 255, 254, 0]))
    for (const page of ['PLAN', 'tdd-plan']) writeFileSync(task.path('plan', `${page}.md`), 'Steps.\n')
    const ended = await task.must(
      'session',
      'end',
      '--task',
      'feat-auth',
      '--outcome',
      'success',
      '--summary',
      'Planned.',
    )
    expect(ended).toMatch(/^\[shop\] Session end: session-\S+ outcome=success$/m)

    const second = product.anAgent()
    const resumed = await task.must(
      'session',
      'start',
      '--task',
      'feat-auth',
      '--from-gate',
      'G3',
      '--pid',
      String(second),
    )
    expect(resumed).toContain('write the scaffold')
    await task.must('task', 'gate', 'feat-auth', 'G4', ...FORCED)
    await product.kill(second)
    await waitUntil(
      async () => (await task.sessions()).at(-1)?.state === 'suspended',
      'the daemon has found the second session dead',
    )
    const interrupted = (await task.timeline()).filter(
      ({ kind, type }) => kind === 'incident' || type === 'interrupted',
    )
    expect(interrupted.map(({ kind, incident }) => incident ?? kind)).toEqual(['checkpoint', 'interrupted'])

    await task.must('session', 'start', '--task', 'feat-auth', '--goal', 'finish', '--pid', String(product.anAgent()))
    const sessions = await task.sessions()
    expect(sessions.map(({ state }) => state)).toEqual(['complete', 'suspended', 'active'])
    expect(sessions[2]).toMatchObject({
      parent_session: sessions[1]?.session_id,
      resumed_from: interrupted.find(({ kind }) => kind === 'checkpoint')?.checkpoint_id,
    })
    expect(sessions[1]?.child_sessions).toEqual([sessions[2]?.session_id])
    for (const gate of ['G5', 'G6', 'G7', 'G8', 'G9', 'G10'])
      await task.must('task', 'gate', 'feat-auth', gate, ...FORCED)
    await task.must('session', 'end', '--task', 'feat-auth', '--outcome', 'success', '--summary', 'All done.')
    await task.must('task', 'done', 'feat-auth', '--lesson', 'plan first', '--summary', 'It signs in.')

    const verified = await task.verify()
    expect({ code: verified.code, stderr: verified.stderr }).toEqual({ code: 0, stderr: '' })
    const gates = (await task.timeline()).filter(({ kind }) => kind === 'gate').map(({ gate }) => gate)
    expect(gates).toEqual(['G0', 'G1', 'G2', 'G3', 'G4', 'G5', 'G6', 'G7', 'G8', 'G9', 'G10'])
    const outbox = readFileSync(task.path('json', 'events.ndjson'), 'utf8').trim().split('\n')
    expect(outbox.map((line) => Reflect.get(JSON.parse(line), 'type'))).toEqual([
      'session.complete',
      'session.complete',
    ])

    // The patch of the first session applies to the commit that it was made on, binary and untracked files included.
    const patches = readdirSync(task.path('work', 'patches'))
    expect(patches).toContain(`${sessions[0]?.session_id}.patch`)
    const clone = join(product.dir, 'clone')
    git(product.dir, 'clone', '-q', cwd, clone)
    git(clone, 'apply', '--check', task.path('work', 'patches', `${sessions[0]?.session_id}.patch`))
    git(clone, 'apply', task.path('work', 'patches', `${sessions[0]?.session_id}.patch`))
    expect(readFileSync(join(clone, 'src', 'logo.bin'))).toEqual(Buffer.from([0, 1, 2, 255, 254, 0]))

    // What was mirrored can be found by anybody who searches.
    const hits = JSON.stringify(await product.json(['recall', 'Use', 'JWT', 'stateless'], { cwd }))
    expect(hits).toContain('task-checkpoint')

    // The control: the same chain with one byte changed is not sound.
    const [file = ''] = readdirSync(task.path('json', 'checkpoints'))
    const text = readFileSync(task.path('json', 'checkpoints', file), 'utf8')
    writeFileSync(task.path('json', 'checkpoints', file), text.replace('"can_resume": true', '"can_resume": false'))
    const harmed = await task.verify()
    expect(harmed.code).toBe(1)
    expect(harmed.stdout).toContain(`changed-file ${file.slice(0, -'.json'.length)}`)
  })

  test('a failing health check stops the start, is a P0 regression, and nothing proceeds until it passes', async () => {
    await using product = new Product()
    const cwd = await product.aProject('shop')
    writeFileSync(join(cwd, 'healthy'), '')
    governed(cwd, [process.execPath, '-e', 'require("node:fs").readFileSync("healthy")'])
    const task = aTask(product, cwd, 'fix-login')
    await task.must('task', 'new', 'fix-login', '--flow', 'fix')
    await task.must('session', 'start', '--task', 'fix-login', '--pid', String(product.anAgent()))
    await task.must('session', 'end', '--task', 'fix-login', '--summary', 'Looked at it.')

    rmSync(join(cwd, 'healthy'))
    const refused = await task.cli('session', 'start', '--task', 'fix-login', '--pid', String(product.anAgent()))
    expect(refused.code).toBe(1)
    expect(refused.stdout).toMatch(/^\[shop\] Health check: fail$/m)
    expect(refused.stdout).not.toContain('Session starting:')
    const shown = await product.json(['task', 'show', 'fix-login'], { cwd })
    expect(shown).toMatchObject({
      status: { status: 'blocked', regression: { priority: 'P0' } },
      active_session: null,
    })
    for (const args of [
      ['task', 'gate', 'fix-login', 'G1', ...FORCED],
      ['task', 'checkpoint', 'fix-login', '--summary', 'went on all the same'],
      ['task', 'block', 'fix-login', '--clear'],
    ])
      expect((await task.cli(...args)).code).toBe(1)

    writeFileSync(join(cwd, 'healthy'), '')
    await task.must('session', 'start', '--task', 'fix-login', '--pid', String(product.anAgent()))
    await task.must('task', 'gate', 'fix-login', 'G1', ...FORCED)
    const timeline = await task.timeline()
    expect(timeline.some(({ type }) => type === 'error_recovery')).toBe(true)
    expect(timeline.filter(({ incident }) => incident === 'health-check-failed')).toHaveLength(1)
    expect((await task.verify()).code).toBe(0)
  })
})

test('hooks of a linked harness session make the mandatory checkpoints by themselves', async () => {
  await using product = new Product(PATIENT)
  await product.connect()
  const cwd = await product.aProject('shop')
  const pid = product.anAgent()
  const session = new ClaudeSession(product, cwd, { pid })
  await session.start()
  await session.prompt('Write the login.')
  const task = aTask(product, cwd, 'feat-login')
  await task.must('task', 'new', 'feat-login')
  const link = ['--session', session.id]
  await task.must('session', 'start', '--task', 'feat-login', ...link)
  expect((await task.sessions())[0]).toMatchObject({ harness_session: `claude-code/${session.id}` })
  // Not that of the command, which has ended: the daemon would take the session for dead.
  expect(await product.json(['sessions', 'show', session.id], { cwd })).toMatchObject({ process: { pid } })
  await session.fire('PostToolUse', {
    tool_name: 'Write',
    tool_use_id: 'toolu_1',
    tool_input: { file_path: join(cwd, 'src', 'login.ts'), content: 'export {}\n' },
    tool_response: { type: 'create', filePath: join(cwd, 'src', 'login.ts'), content: 'export {}\n' },
  })
  await waitUntil(
    async () => (await task.timeline()).some(({ type }) => type === 'file_change'),
    'the created file has its checkpoint',
  )
  await product.killDaemon()
  await product.kill(pid)
  // Whoever asks next starts a daemon, and it finds the link in the log and nobody behind it.
  await waitUntil(async () => (await task.sessions())[0]?.state === 'suspended', 'the session was found dead')
  expect((await task.verify()).code).toBe(0)
})

test('two clones of one task merge without a conflict in checkpoint files, and verify says what to do with the index', async () => {
  await using product = new Product()
  const origin = await product.aProject('shop')
  const ours = aTask(product, origin, 'feat-pay')
  await ours.must('task', 'new', 'feat-pay')
  await ours.must('task', 'gate', 'feat-pay', 'G1', ...FORCED)
  git(origin, 'add', '.')
  git(origin, 'commit', '-qm', 'task')
  const clone = join(product.dir, 'other')
  git(product.dir, 'clone', '-q', origin, clone)
  const theirs = aTask(product, clone, 'feat-pay')

  for (const [task, dir, gate] of [
    [ours, origin, 'G2'],
    [theirs, clone, undefined],
  ] as const) {
    await task.must('session', 'start', '--task', 'feat-pay', '--pid', String(product.anAgent()))
    if (gate !== undefined) await task.must('task', 'gate', 'feat-pay', gate, ...FORCED)
    await task.must('session', 'end', '--task', 'feat-pay', '--summary', `worked in ${gate ?? 'the clone'}`)
    git(dir, 'add', '.')
    git(dir, 'commit', '-qm', 'a session')
  }

  expect(() => git(origin, 'pull', '-q', '--no-rebase', clone, 'main')).toThrow('Command failed')
  const conflicted = git(origin, 'diff', '--name-only', '--diff-filter=U').split('\n')
  expect(conflicted.filter((path) => /checkpoints\/|sessions\//.test(path))).toEqual([])
  expect(conflicted).toContain('tasks/feat-pay/json/checkpoint-index.json')

  const found = await ours.verify()
  expect(found.code).toBe(1)
  expect(found.stdout).toContain('forked-chain')
  expect(found.stdout).toContain('holdfast checkpoints verify --task feat-pay --repair')
  const repaired = await ours.cli('checkpoints', 'verify', '--task', 'feat-pay', '--repair')
  expect({ code: repaired.code, stderr: repaired.stderr }).toEqual({ code: 0, stderr: '' })
  git(origin, 'add', '.')
  git(origin, 'commit', '-qm', 'merged')
  expect((await ours.verify()).code).toBe(0)
  expect(await product.json(['task', 'show', 'feat-pay'], { cwd: origin })).toMatchObject({
    status: { current_gate: 'G2' },
    findings: [],
  })

  // The clone follows without a conflict, and goes on from there.
  git(clone, 'pull', '-q', '--no-rebase', origin, 'main')
  expect((await theirs.verify()).code).toBe(0)
  await theirs.must('task', 'gate', 'feat-pay', 'G3', ...FORCED)
  expect((await theirs.verify()).code).toBe(0)
})

test('a project without tasks is left alone', async () => {
  await using product = new Product()
  const cwd = await product.aProject('plain')
  const ran = await product.cli(['task', 'list'], { cwd })
  expect(ran.stdout).toBe('No governed tasks here. Create one with `holdfast task new <slug>`.\n')
  expect(readdirSync(cwd).sort()).toEqual(['.git', 'src'])
  const unknown = await product.cli(['session', 'start', '--task', 'nothing-here'], { cwd })
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).toContain('There is no task nothing-here')
  expect(readdirSync(cwd).sort()).toEqual(['.git', 'src'])
  expect(execFileSync('git', ['status', '--porcelain'], { cwd, encoding: 'utf8' })).toBe('')
})
