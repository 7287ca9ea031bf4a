// S2, governed tasks: two journeys of one project on the built command line, then one test per row of the document.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { PATIENT, Product, waitUntil } from '../support/product.ts'
import { git } from '../support/temp-dir.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 })

const SLUG = 'feat-auth'
let product: Product
let server: Server
let cwd: string
/** What each step printed, by its name. */
const out: Record<string, string> = {}
const posts: string[] = []

const at = (...names: readonly string[]) => join(cwd, 'tasks', SLUG, ...names)
const read = (...names: readonly string[]) => readFileSync(at(...names), 'utf8')
const write = (path: string, text: string) => writeFileSync(at(path), text)
const cli = (...args: readonly string[]) => product.cli(args, { cwd })

async function must(...args: readonly string[]): Promise<string> {
  const ran = await cli(...args)
  if (ran.code !== 0) throw new Error(`holdfast ${args.join(' ')} exited ${ran.code}: ${ran.stderr}${ran.stdout}`)
  return ran.stdout
}

/** A command that must fail; what it said. */
async function refused(...args: readonly string[]): Promise<string> {
  const ran = await cli(...args)
  if (ran.code === 0) throw new Error(`holdfast ${args.join(' ')} was accepted: ${ran.stdout}`)
  return `${ran.stderr}${ran.stdout}`
}

const start = (...more: readonly string[]) =>
  must('session', 'start', '--task', SLUG, '--pid', String(product.anAgent()), ...more)
const gate = (...args: readonly string[]) => must('task', 'gate', SLUG, ...args)

const Session = z.looseObject({ session_id: z.string(), state: z.string(), child_sessions: z.array(z.string()) })
const Checkpoint = z.looseObject({
  checkpoint_id: z.string(),
  type: z.string(),
  gate: z.string(),
  missing: z.array(z.string()),
  override_reason: z.string().nullable(),
})
const sessions = () =>
  readdirSync(at('json/sessions'))
    .map((name) => Session.parse(JSON.parse(read('json/sessions', name))))
    .toSorted((a, b) => (String(a['started_at']) < String(b['started_at']) ? -1 : 1))
const checkpoints = () =>
  z
    .object({ checkpoints: z.array(z.object({ file: z.string() })) })
    .parse(JSON.parse(read('json/checkpoint-index.json')))
    .checkpoints.map(({ file }) => Checkpoint.parse(JSON.parse(read('json', file))))
const status = () => z.looseObject({}).parse(JSON.parse(read('json/task-status.json')))
const timeline = async () => JSON.stringify(await product.json(['sessions', 'timeline', '--task', SLUG], { cwd }))
const log = (id: string | undefined) => read('logs/sessions', `${id}.log`)

function govern(smokeCommand: readonly string[]): void {
  mkdirSync(join(cwd, '.agentic-governance'), { recursive: true })
  const file = { identity: { logPrefix: 'shop' }, packOptions: { 'session-continuity': { smokeCommand } } }
  writeFileSync(join(cwd, '.agentic-governance', 'config.json'), JSON.stringify(file))
}

/** G0 to G3 in one session, everything that must be refused on the way, and its end. */
async function planInOneSession(): Promise<void> {
  await must('task', 'new', SLUG, '--criterion', 'a wrong password is refused')
  out.gateWithoutSession = await refused('task', 'gate', SLUG, 'G1', '--next', 'research')
  out.start = await start('--goal', 'plan it')
  out.emptyGate = await refused('task', 'gate', SLUG, 'G1')
  out.blankNext = await refused('task', 'gate', SLUG, 'G1', '--next', ' ')
  await gate('G1', '--next', 'compare the tokens')
  write('context/research.md', '# Research\n\nTBD\n- [ ] TODO\n')
  out.emptyPage = await refused('task', 'gate', SLUG, 'G2', '--next', 'write the plan')
  const decided = ['--type', 'decision', '--decision', 'Use JWT']
  out.emptyDecision = await refused('task', 'checkpoint', SLUG, ...decided)
  const blank = ['--rationale', 'stateless', '--alternative', ' ']
  out.blankAlternative = await refused('task', 'checkpoint', SLUG, ...decided, ...blank)
  await must('task', 'checkpoint', SLUG, ...decided, '--rationale', 'stateless', '--alternative', 'cookies')
  const files = ['--type', 'file_change', '--summary', 'the form']
  out.absentFile = await refused('task', 'checkpoint', SLUG, ...files, '--file', 'created:src/nothere.ts')
  out.folder = await refused('task', 'checkpoint', SLUG, ...files, '--file', 'created:src')
  out.neverThere = await refused('task', 'checkpoint', SLUG, ...files, '--file', 'deleted:src/never.ts')
  writeFileSync(join(cwd, 'src', 'auth.ts'), 'export const auth = 1\n')
  await must('task', 'checkpoint', SLUG, ...files, '--file', 'created:src/auth.ts')
  out.emptyError = await refused('task', 'checkpoint', SLUG, '--type', 'error_recovery', '--error', 'EACCES')
  await must('task', 'checkpoint', SLUG, '--type', 'error_recovery', '--error', 'EACCES', '--resolution', 'chmod 600')
  write('context/research.md', '# Research\n\nJWT is stateless.\n')
  await gate('G2', '--next', 'write the tests')
  out.forcedWithoutReason = await refused('task', 'gate', SLUG, 'G3', '--force')
  await gate('G3', '--force', '--reason', 'the plan is in the issue', '--next', 'add the login form')
  out.endWithoutSummary = await refused('session', 'end', '--task', SLUG, '--outcome', 'success')
  const ended = ['--outcome', 'success', '--summary', 'The tokens are chosen.', '--next', 'add the login form']
  out.end = await must('session', 'end', '--task', SLUG, ...ended, '--tests', '12/0/2')
  git(cwd, 'add', '.')
  git(cwd, '-c', 'user.name=t', '-c', 'user.email=t@example.invalid', 'commit', '-qm', 'plan')
}

/** A later session that finds what was changed behind its back, fails its health check, and is given up. */
async function continueAfterChanges(): Promise<void> {
  writeFileSync(join(cwd, 'src', 'auth.ts'), 'export const auth = 2\n')
  write('context/research.md', 'forged\n')
  out.changed = await start()
  out.forged = await refused('task', 'gate', SLUG, 'G4', '--next', 'x', '--file', 'modified:src/auth.ts')
  const page = ['--file', `modified:tasks/${SLUG}/context/research.md`]
  await must('task', 'checkpoint', SLUG, '--type', 'file_change', '--summary', 'research again', ...page)
  out.recorded = await refused('task', 'checkpoint', SLUG, '--type', 'file_change', '--summary', 'x', '--file', 'no.ts')
  await gate('G4', '--next', 'test it', '--file', 'modified:src/auth.ts')
  await must('session', 'end', '--task', SLUG, '--summary', 'The form is there.', '--next', 'test it')
  // A commit that is taken back after its checkpoint.
  git(cwd, '-c', 'user.name=t', '-c', 'user.email=t@example.invalid', 'commit', '-qam', 'form')
  await start()
  await must('session', 'end', '--task', SLUG, '--summary', 'Looked.', '--next', 'test it')
  git(cwd, 'reset', '-q', '--soft', 'HEAD~1')
  out.fromGate = await start('--from-gate', 'G2')
  await must('session', 'end', '--task', SLUG, '--summary', 'The plan stays.', '--next', 'go on')
  out.unknownGate = await refused('session', 'start', '--task', SLUG, '--from-gate', 'G7')
}

async function failAndRecover(): Promise<void> {
  govern([process.execPath, '-e', 'console.log("cart broken"); process.exit(3)'])
  out.sick = await refused('session', 'start', '--task', SLUG)
  out.sickGate = await refused('task', 'gate', SLUG, 'G3', '--force', '--reason', 'x')
  const success = ['--outcome', 'success', '--summary', 'fine']
  out.sickEnd = await refused('session', 'end', '--task', SLUG, ...success)
  out.sickEndById = await refused(
    'session',
    'end',
    '--task',
    SLUG,
    ...success,
    '--id',
    sessions().at(-1)?.session_id ?? '',
  )
  out.sickStatus = JSON.stringify(status())
  govern([process.execPath, '-e', ''])
  out.well = await start('--goal', 'go on')
}

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      if (request.method === 'POST') posts.push(body)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ success: true, data: { id: `m${posts.length}`, content: 'x', tags: [] } }))
    })
  }).listen(0, '127.0.0.1')
  await waitUntil(() => server.listening, 'the memory backend listens')
  const { port } = server.address() as AddressInfo
  product = new Product(PATIENT)
  mkdirSync(product.home, { mode: 0o700 })
  writeFileSync(join(product.home, 'config.json'), JSON.stringify({ tasks: { memoryUrl: `http://127.0.0.1:${port}` } }))
  await product.connect()
  cwd = await product.aProject('shop')
  govern([process.execPath, '-e', ''])
  await planInOneSession()
  await continueAfterChanges()
  await failAndRecover()
})

afterAll(async () => {
  server.close()
  await product[Symbol.asyncDispose]()
})

test('S2.1 a session is INIT while its startup steps run, and then ACTIVE', () => {
  expect(sessions()[0]?.['transitions']).toMatchObject([
    { from: 'init', to: 'active' },
    { from: 'active', to: 'complete' },
  ])
})
test('S2.2 a session that runs its shutdown steps is COMPLETE', () => {
  expect(sessions()[0]?.state).toBe('complete')
})
test('S2.4 a start that stops at its health check is SUSPENDED', () => {
  expect(sessions().at(-2)?.['transitions']).toMatchObject([
    { from: 'init', to: 'suspended', reason: 'health check: fail' },
  ])
})
test('S2.8 each session file has the ten fields and context_tokens, child_sessions on disk', () => {
  const [first, second] = sessions()
  expect(first).toMatchObject({
    agent_id: 'operator',
    task_slug: SLUG,
    started_at: expect.any(String),
    last_activity: expect.any(String),
    current_gate: 'G3',
    checkpoint_count: 7,
    parent_session: null,
    child_sessions: [second?.session_id],
    context_tokens: null,
  })
})
test('S2.9 the startup steps run in their order', () => {
  const steps = [...(out.start ?? '').matchAll(/^ {2}(recall|progress|status|history|health check|announce) /gm)]
  expect(steps.map(([, name]) => name)).toEqual(['recall', 'progress', 'status', 'history', 'health check', 'announce'])
})
test('S2.11 step 1 reads work/implementation-log.md', () => {
  expect(out.changed).toMatch(/progress +\d+ ms +\d+ characters in .*implementation-log\.md/)
  expect(out.changed).toContain('The tokens are chosen.')
})
test('S2.12 step 2 reads task-status.json, and the opening has the status after the health check', () => {
  expect(out.sickStatus).toContain('P0 regression')
  expect(out.well).toContain('Health check: pass')
  expect(out.well).toContain(`Task ${SLUG} (feat auth): in-progress`)
  expect(out.well).not.toContain('Blocked by')
})
test('S2.13 step 3 shows the last ten commits', () => {
  expect(out.changed).toMatch(/Recent commits:\n\| +[0-9a-f]{7,} plan/)
})
test('S2.14 step 4 runs the configured smoke command', () => {
  expect(out.start).toContain('[shop] Health check: pass')
  expect(out.sick).toContain('cart broken')
})
test('S2.15 step 5 logs the goal', () => {
  expect(out.start).toContain('[shop] Session starting: plan it')
})
test('S2.16 the opening has goal, acceptance criteria, decisions, files, tests and next steps', () => {
  const text = out.changed ?? ''
  for (const part of ['a wrong password is refused', 'Use JWT: stateless (not cookies)', 'created src/auth.ts'])
    expect(text).toContain(part)
  expect(text).toContain('Tests: 12 passing, 0 failing, 2 pending')
  expect(text).toMatch(/^\| Goal: add the login form$/m)
  expect(text).toMatch(/Next steps:\n\| +add the login form/)
})
test('S2.17 after a failed health check nothing proceeds, and no session ends as a success', () => {
  expect(out.sickGate).toContain('it has to pass first')
  expect(out.sickEnd).toContain('never started: health check: fail')
  expect(out.sickEndById).toMatch(/never started|failed \(P0\)/)
})
test('S2.18 the failure is logged, a P0 blocker, and gone once the check passes', () => {
  expect(out.sickStatus).toMatch(/"priority":"P0".*cart broken/)
  expect(status()).toMatchObject({ regression: null, blockers: [], status: 'in-progress' })
  expect(read('logs/incidents.ndjson')).toContain('health-check-failed')
})
test('S2.19 a gate needs the full state and decisions of the one before; --force with a reason is recorded', async () => {
  expect(out.emptyGate).toContain('cannot leave G0 Initialize yet. Missing: the next steps.')
  expect(out.blankNext).toContain('Missing: the next steps.')
  expect(out.emptyPage).toContain('Missing: a decision, context/research.md')
  expect(out.forcedWithoutReason).toContain('needs a reason')
  const forced = checkpoints().find(({ gate: to, type }) => to === 'G3' && type === 'gate_transition')
  expect([forced?.override_reason, forced?.missing]).toEqual([
    'the plan is in the issue',
    ['plan/PLAN.md', 'plan/tdd-plan.md'],
  ])
  expect(out.gateWithoutSession).toContain('no active session')
})
test('S2.20 a decision needs its rationale and its alternatives', () => {
  expect(out.emptyDecision).toContain('the rationale of each decision, the alternatives that were considered')
  expect(out.blankAlternative).toContain('needs the alternatives that were considered')
  expect(checkpoints().find(({ type }) => type === 'decision')?.['state']).toMatchObject({
    decisions: [{ decision: 'Use JWT', rationale: 'stateless', alternatives_considered: ['cookies'] }],
  })
})
test('S2.21 a file checkpoint has files that are on disk, with their hashes, and a summary', () => {
  expect(out.absentFile).toContain('src/nothere.ts does not exist')
  expect(out.folder).toContain('src is a folder')
  expect(out.neverThere).toContain('src/never.ts does not exist')
  expect(out.recorded).toContain('no.ts does not exist')
  expect(checkpoints().find(({ type }) => type === 'file_change')?.['state']).toMatchObject({
    files_changed: [{ path: 'src/auth.ts', action: 'created', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  })
})
test('S2.22 an error needs its resolution', () => {
  expect(out.emptyError).toContain('its resolution')
  expect(JSON.stringify(checkpoints())).toContain('chmod 600')
})
test('S2.23 a session end needs a summary, and names the same next steps everywhere', () => {
  expect(out.endWithoutSummary).toContain('needs a summary')
  expect(read('work/implementation-log.md')).toContain('**Next**: add the login form')
  expect(JSON.stringify(checkpoints().find(({ type }) => type === 'session_end'))).toContain('"add the login form"')
})
test('S2.24 a checkpoint has the fields of the schema', () => {
  expect(checkpoints().at(-1)).toMatchObject({
    checkpoint_id: expect.stringMatching(/^ckpt-\d{4}-\d\d-\d\d-/),
    session_id: expect.stringMatching(/^session-\d{4}-\d\d-\d\d-/),
    timestamp: expect.any(String),
    step: expect.any(Number),
    summary: expect.any(String),
    state: { files_changed: expect.any(Array), decisions: expect.any(Array) },
    next_steps: expect.any(Array),
    can_resume: true,
    resume_instructions: expect.stringContaining('Continue from'),
  })
})
test('S2.25 each checkpoint is one file under json/checkpoints', () => {
  expect(readdirSync(at('json/checkpoints')).toSorted()).toEqual(
    checkpoints()
      .map(({ checkpoint_id: id }) => `${id}.json`)
      .toSorted(),
  )
})
test('S2.27 checkpoint-index.json lists them in their order, hash-chained', () => {
  const Entry = z.object({ checkpoint_id: z.string(), sha256: z.string(), parent_checkpoint_id: z.string().nullable() })
  const { checkpoints: entries } = z
    .object({ checkpoints: z.array(Entry) })
    .parse(JSON.parse(read('json/checkpoint-index.json')))
  expect(entries.slice(1).map(({ parent_checkpoint_id: parent }) => parent)).toEqual(
    entries.slice(0, -1).map(({ checkpoint_id: id }) => id),
  )
})
test('S2.28 different: the shutdown commits the work: only if the policy allows it, else it writes a verified patch', () => {
  expect(out.end).toMatch(/commit +\d+ ms +not committed: .*; patch bundle tasks/)
})
test('S2.29 the shutdown appends Goal, Completed, Blocked and Next to the implementation log', () => {
  expect(read('work/implementation-log.md')).toMatch(
    /## Session \d{4}-\d\d-\d\d \(\d+ min\)\n[^]*\*\*Goal\*\*: plan it\n\*\*Completed\*\*: The tokens are chosen\.[^]*\*\*Blocked\*\*: none\n\*\*Next\*\*: /,
  )
})
test('S2.30 the shutdown writes a session_end checkpoint', () => {
  expect(out.end).toMatch(/\[shop\] Checkpoint created: ckpt-/)
  expect(checkpoints().filter(({ type }) => type === 'session_end')).toHaveLength(4)
})
test('S2.31 the shutdown memorizes the task', async () => {
  expect(out.end).toMatch(/memorize +\d+ ms +created/)
  expect(posts.filter((post) => post.includes(`# Task ${SLUG}`)).length).toBeGreaterThan(0)
})
test('S2.32 the shutdown updates last_session, last_activity, current_gate and status', () => {
  expect(status()).toMatchObject({
    last_session: sessions().at(-1)?.session_id,
    last_activity: expect.any(String),
    current_gate: 'G2',
    status: 'in-progress',
  })
})
test('S2.33 the shutdown emits the event session.complete', () => {
  const events = read('json/events.ndjson').trim().split('\n')
  expect(JSON.parse(events[0] ?? '')).toMatchObject({ specversion: '1.0', type: 'session.complete' })
})
test('S2.34 the event has session_id, outcome and next_session_hint', () => {
  expect(JSON.parse(read('json/events.ndjson').split('\n')[0] ?? '')).toMatchObject({
    data: { session_id: sessions()[0]?.session_id, outcome: 'success', next_session_hint: 'add the login form' },
  })
})
test('S2.39 a chained session checks its preconditions by content: files, evidence and HEAD', () => {
  expect(out.changed).toContain('Changed: the content of src/auth.ts is another')
  expect(out.changed).toMatch(/Changed: the content of \S+research\.md is another/)
  expect(out.forged).toMatch(/cannot leave G3 Scaffold yet\..*research\.md is another/)
  expect(out.fromGate).toMatch(/Changed: HEAD is [0-9a-f]{12} and does not contain [0-9a-f]{12}/)
})
test('S2.40 a chained session names its parent and the checkpoint that it continues from', () => {
  const [first, second] = sessions()
  expect(second?.['parent_session']).toBe(first?.session_id)
  expect(checkpoints().find(({ checkpoint_id: id }) => id === second?.['resumed_from'])?.type).toBe('session_end')
})
test('S2.47 the log has `Session start: <session_id> resuming from <checkpoint_id>`', () => {
  expect(out.start).toMatch(/^\[shop\] Session start: session-\S+ resuming from ckpt-\S+$/m)
})
test('S2.48 the log has `Health check: <pass|fail>`', () => {
  expect([log(sessions()[0]?.session_id), log(sessions().at(-2)?.session_id)]).toEqual([
    expect.stringMatching(/^\[shop\] Health check: pass$/m),
    expect.stringMatching(/^\[shop\] Health check: fail$/m),
  ])
})
test('S2.49 the log has `Checkpoint created: <checkpoint_id>` for each', () => {
  const created = log(sessions()[0]?.session_id).match(/^\[shop\] Checkpoint created: ckpt-\S+$/gm)
  expect(created).toHaveLength(7)
})
test('S2.51 sessions list and sessions timeline show every session, checkpoint, gate and incident', async () => {
  const listed = await product.json(['sessions', 'list', '--task', SLUG], { cwd })
  expect(listed).toHaveLength(sessions().length)
  const entries = await timeline()
  for (const part of ['"kind":"session"', '"kind":"checkpoint"', '"kind":"gate"', '"kind":"incident"'])
    expect(entries).toContain(part)
})
test('S2.53 each gate is left with the content of its row', () => {
  expect(JSON.stringify(checkpoints()[0])).toContain('Criterion: a wrong password is refused')
  expect(out.emptyPage).toContain('context/research.md')
})
test('S2.54 a session starts at any gate whose predecessors hold, from the newest checkpoint of that gate', () => {
  expect(out.unknownGate).toContain('needs')
  expect(out.fromGate).toContain('at G2 Plan')
  expect(out.fromGate).toMatch(/Resume: Continue from G2 /)
  const resumed = /resuming from (ckpt-\S+)/.exec(out.fromGate ?? '')?.[1]
  expect(checkpoints().find(({ checkpoint_id: id }) => id === resumed)?.gate).toBe('G2')
})
