import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requireEmergencyReview } from '../../src/tasks/sessions/emergency-stop.ts'
import { supervise } from '../../src/tasks/supervisor/supervise.ts'
import { buildGuardian, type Setup, setUp } from './support/run-setup.ts'

const dir = mkdtempSync(join(tmpdir(), 'holdfast-guardian-'))
let guardian = ''
beforeAll(async () => {
  guardian = await buildGuardian(dir)
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** An agent in a line: `n` counts its sessions, whatever becomes of the files. */
function anAgent({ dir: at }: Setup, body: string): readonly string[] {
  const script = `
    const fs = require('node:fs')
    const file = ${JSON.stringify(join(at, 'sessions'))}
    fs.appendFileSync(file, process.env.HOLDFAST_SESSION_ID + '\\n')
    const n = fs.readFileSync(file, 'utf8').split('\\n').length - 1
    const opening = fs.readFileSync(process.env.HOLDFAST_OPENING_FILE, 'utf8')
    const keep = (name, text) => fs.writeFileSync(${JSON.stringify(at)} + '/' + name, text)
    ${body}`
  return [process.execPath, '-e', script]
}

const once = { isOnce: true }
const read = (setup: Setup, path: string) => readFileSync(join(setup.root, path), 'utf8')

describe('a run', () => {
  test('starts the agent with its session in the environment and each word as one argument', async () => {
    using setup = await setUp({ guardian })
    const argv = [
      ...anAgent(setup, "keep('argv', JSON.stringify(process.argv.slice(1)))"),
      '$(touch x); "a b"',
      '{{task}} {{session}}',
      '{{opening}}',
    ]
    const report = await supervise(setup.ports, { argv, ...once })
    expect(report).toMatchObject({ outcome: 'complete', reason: 'The session succeeded.', position: 'G0-0' })
    const id = report.sessions[0]?.session_id ?? ''
    const words: unknown = JSON.parse(readFileSync(join(setup.dir, 'argv'), 'utf8'))
    expect(words).toEqual(['$(touch x); "a b"', `a-task ${id}`, expect.stringContaining('a-task')])
    const { sessions } = await setup.ports.tasks.show(setup.at)
    expect(sessions.map(({ state, outcome }) => [state, outcome])).toEqual([['complete', 'success']])
  })

  test('goes on from session to session, each the child of the one before, until its budget is used up', async () => {
    using setup = await setUp({ guardian, run: { budgets: { maxIterations: 3 } } })
    const argv = anAgent(setup, "fs.writeFileSync('work.txt', String(n))")
    const report = await supervise(setup.ports, { argv, isOnce: false })
    expect(report).toMatchObject({ outcome: 'partial', reason: '3 sessions are used up.', escalation: null })
    expect(report.sessions.map(({ ended, files_changed }) => [ended, files_changed])).toEqual([
      ['well', 1],
      ['well', 1],
      ['well', 1],
    ])
    const { sessions } = await setup.ports.tasks.show(setup.at)
    expect(sessions.map(({ parent_session }) => parent_session)).toEqual([
      null,
      sessions[0]?.session_id,
      sessions[1]?.session_id,
    ])
  })

  test('stops when two sessions in a row changed nothing', async () => {
    using setup = await setUp({ guardian })
    const report = await supervise(setup.ports, { argv: anAgent(setup, ''), isOnce: false })
    expect(report).toMatchObject({ outcome: 'escalated', sessions: [{ ended: 'well' }, { ended: 'well' }] })
    expect(report.reason).toBe('No progress: 2 sessions in a row changed no file and passed no gate.')
    expect((await setup.ports.tasks.show(setup.at)).status.status).toBe('blocked')
  })

  test('goes on where an agent made a repository inside this one, which git does not take', async () => {
    using setup = await setUp({ guardian })
    const body = "require('node:child_process').execSync('git init -q app'); fs.writeFileSync('work.txt', String(n))"
    const report = await supervise(setup.ports, { argv: anAgent(setup, body), ...once })
    expect(report).toMatchObject({ outcome: 'complete', sessions: [{ ended: 'well', files_changed: 1 }] })
    const { sessions } = await setup.ports.tasks.show(setup.at)
    expect(sessions.map(({ state, outcome }) => [state, outcome])).toEqual([['complete', 'success']])
  })

  test('its time is that of the check after the agent, too', async () => {
    const verifyCommand = [process.execPath, '-e', 'setInterval(() => {}, 1000)']
    using setup = await setUp({ guardian, run: { verifyCommand, budgets: { maxMinutes: 0.05 } } })
    const report = await supervise(setup.ports, { argv: anAgent(setup, ''), isOnce: false })
    expect(report).toMatchObject({ outcome: 'partial', sessions: [{ ended: 'stopped', stopped_by: 'run-time' }] })
  })

  test('ends when a person says so, with a session that was ended in order', async () => {
    using setup = await setUp({ guardian })
    const argv = anAgent(setup, "fs.writeFileSync('work.txt', ''); console.log('at it'); setInterval(() => {}, 1000)")
    const { ports } = setup
    const tell: typeof ports.report = (news) => {
      if (news.kind === 'output' && news.text.includes('at it')) setup.interrupt()
    }
    const report = await supervise({ ...ports, report: tell }, { argv, isOnce: false })
    expect(report).toMatchObject({ outcome: 'interrupted', sessions: [{ ended: 'stopped', stopped_by: 'person' }] })
    const { sessions, last_checkpoint: checkpoint } = await ports.tasks.show(setup.at)
    expect(sessions.map(({ state, outcome }) => [state, outcome])).toEqual([['complete', 'partial']])
    expect(checkpoint?.type).toBe('session_end')
    const sha256 = createHash('sha256').update('').digest('hex')
    expect(checkpoint?.state.files_changed).toEqual([{ path: 'work.txt', action: 'created', sha256 }])
  })
})

describe('the reaction to each kind of failure', () => {
  test('a test failure: the next session gets what failed', async () => {
    using setup = await setUp({ guardian })
    const argv = anAgent(
      setup,
      `keep('opening' + n, opening)
      if (n === 1) { console.log('FAIL src/a.test.ts > adds\\n Tests  1 failed | 3 passed (4)'); process.exit(1) }`,
    )
    const report = await supervise(setup.ports, { argv, ...once })
    expect(report.outcome).toBe('complete')
    expect(report.sessions.map(({ attempt, failure, decision }) => [attempt, failure?.kind, decision])).toEqual([
      [1, 'test', 'diagnose-and-retry'],
      [2, undefined, null],
    ])
    const opening = readFileSync(join(setup.dir, 'opening2'), 'utf8')
    expect(opening).toContain('## Attempt 2')
    expect(opening).toContain('| failing test: src/a.test.ts > adds')
    const { sessions, status } = await setup.ports.tasks.show(setup.at)
    expect(sessions.map(({ outcome }) => outcome)).toEqual(['failed', 'success'])
    expect(status.attempts).toEqual({ 'G0-0': 0 })
  })

  test('a logic error: the files go back, the work is in a patch that applies, and what was not of the session stays', async () => {
    using setup = await setUp({ guardian })
    const before = setup.git('status', '--porcelain')
    const argv = anAgent(
      setup,
      `keep('seen' + n, fs.readFileSync('kept.txt', 'utf8') + fs.existsSync('new/file.txt'))
      if (n === 1) {
        fs.writeFileSync('kept.txt', 'spoilt')
        fs.mkdirSync('new'); fs.writeFileSync('new/file.txt', 'new')
        process.exit(1)
      }`,
    )
    const report = await supervise(setup.ports, { argv, ...once })
    expect(report.sessions.map(({ failure, decision }) => [failure?.kind, decision])).toEqual([
      ['logic', 'rollback-and-replan'],
      [undefined, null],
    ])
    expect(readFileSync(join(setup.dir, 'seen2'), 'utf8')).toBe('as it was\nfalse')
    const patches = readdirSync(join(setup.root, 'tasks/a-task/work/patches')).filter((name) =>
      name.startsWith('rollback'),
    )
    expect(patches.length).toBe(1)
    setup.git('apply', '--check', `tasks/a-task/work/patches/${patches[0] ?? ''}`)
    expect(read(setup, `tasks/a-task/work/patches/${patches[0] ?? ''}`)).toContain('+spoilt')
    expect(setup.git('status', '--porcelain')).toBe(before)
  })

  test('a persistent failure: a person at once, and no second try', async () => {
    using setup = await setUp({ guardian })
    const report = await supervise(setup.ports, { argv: ['holdfast-no-such-agent'], ...once })
    expect(report).toMatchObject({
      outcome: 'escalated',
      sessions: [{ failure: { kind: 'persistent' }, decision: 'escalate' }],
    })
    expect(read(setup, report.escalation ?? '')).toContain(
      'It runs after three failures at one step; there were fewer.',
    )
  })

  test('a transient failure: three attempts, then the fixer on a copy, then a page for a person', async () => {
    const fixer = `const fs = require('node:fs')
      const story = fs.readFileSync(process.env.HOLDFAST_FAILURE_FILE, 'utf8')
      fs.writeFileSync('kept.txt', 'the fixer was here')
      console.log(process.env.HOLDFAST_STEP, story.includes('Attempt 3: transient'), fs.existsSync('tasks/a-task/json/task-status.json'))
      console.log('Ask for the network to be mended.')`
    using setup = await setUp({ guardian, run: { fixerCommand: [process.execPath, '-e', fixer] } })
    const argv = anAgent(setup, "console.error('API Error: read ECONNRESET ' + n); process.exit(1)")
    const report = await supervise(setup.ports, { argv, ...once })
    expect(report.outcome).toBe('escalated')
    expect(report.sessions.map(({ attempt, decision }) => [attempt, decision])).toEqual([
      [1, 'retry'],
      [2, 'retry'],
      [3, 'escalate'],
    ])
    const page = read(setup, report.escalation ?? '')
    expect(page).toContain('G0-0 true true\nAsk for the network to be mended.')
    expect(page).toContain('ran on a temporary copy. The project is unchanged.')
    expect(read(setup, 'kept.txt')).toBe('as it was\n')
    const { status } = await setup.ports.tasks.show(setup.at)
    expect(status.status).toBe('blocked')
    expect(status.attempts).toEqual({ 'G0-0': 0 })
    const events = read(setup, 'tasks/a-task/json/events.ndjson')
    expect(events).toContain('"type":"agent.escalated"')
    expect(existsSync(join(setup.ports.dir, 'fixer'))).toBe(false)
  })

  test('a fixer that changes files outside its copy is reported', async () => {
    using setup = await setUp({ guardian })
    const reach = `require('node:fs').writeFileSync(${JSON.stringify(join(setup.root, 'kept.txt'))}, 'reached')`
    const policy = {
      ...setup.ports.limits,
      fixer: { argv: [process.execPath, '-e', reach], maxMs: 60_000, afterFailures: 3 },
    }
    const argv = anAgent(setup, "console.error('ECONNRESET'); process.exit(1)")
    const report = await supervise({ ...setup.ports, limits: policy }, { argv, ...once })
    expect(read(setup, report.escalation ?? '')).toContain('Files of the project changed while it ran')
  })

  test("the project's own check decides about an agent that says all is well", async () => {
    const check =
      "console.log('Tests  1 failed | 1 passed (2)'); process.exit(require('node:fs').existsSync('fixed') ? 0 : 1)"
    using setup = await setUp({ guardian, run: { verifyCommand: [process.execPath, '-e', check] } })
    const argv = anAgent(setup, "if (n === 2) fs.writeFileSync('fixed', '')")
    const report = await supervise(setup.ports, { argv, ...once })
    expect(report.outcome).toBe('complete')
    expect(report.sessions.map(({ failure }) => failure?.kind)).toEqual(['test', undefined])
  })

  test('attempts that a killed run counted are not forgotten', async () => {
    using setup = await setUp({ guardian })
    const { ports } = setup
    const { updateStatus } = await import('../../src/tasks/files/task-files.ts')
    await updateStatus(ports.folder, (status) => ({ ...status, attempts: { 'G0-0': 2 } }))
    const argv = anAgent(setup, "console.error('ECONNRESET'); process.exit(1)")
    const report = await supervise(ports, { argv, ...once })
    expect(report).toMatchObject({ outcome: 'escalated', sessions: [{ decision: 'escalate' }] })
  })
})

describe('the emergency stop', () => {
  test('ends the session with a checkpoint, a patch and an event, and the next run wants a review', async () => {
    using setup = await setUp({ guardian })
    const argv = anAgent(
      setup,
      `process.on('SIGTERM', () => {})
      fs.writeFileSync('work.txt', 'half done')
      fs.mkdirSync('.agentic-governance', { recursive: true }); fs.writeFileSync('.agentic-governance/STOP', '')
      setInterval(() => {}, 1000)`,
    )
    const report = await supervise(setup.ports, { argv, isOnce: false })
    expect(report).toMatchObject({ outcome: 'stopped', sessions: [{ stopped_by: 'stop-file' }] })
    const { sessions } = await setup.ports.tasks.show(setup.at)
    expect(sessions.map(({ state }) => state)).toEqual(['terminated'])
    const emergency: unknown = JSON.parse(read(setup, 'tasks/a-task/json/emergency-checkpoint.json'))
    expect(emergency).toMatchObject({
      trigger: 'stop file detected',
      session_id: sessions[0]?.session_id,
      state: { files_modified: ['work.txt'] },
      recovery: { manual_review_required: true },
    })
    const patches = readdirSync(join(setup.root, 'tasks/a-task/work/patches'))
    expect(patches.filter((name) => name.startsWith('emergency-')).length).toBe(1)
    expect(read(setup, 'tasks/a-task/json/events.ndjson')).toContain('"type":"agent.emergency_stop"')

    const { folder } = setup.ports
    const at = '2026-01-02T03:04:05.000Z'
    expect(() => requireEmergencyReview(folder, { isReviewed: true, at })).toThrow(/stop file/)
    rmSync(join(setup.root, '.agentic-governance/STOP'))
    expect(() => requireEmergencyReview(folder, { isReviewed: false, at })).toThrow(/has not been reviewed/)
    requireEmergencyReview(folder, { isReviewed: true, at })
    expect(() => requireEmergencyReview(folder, { isReviewed: false, at })).not.toThrow()
    const again = await supervise(setup.ports, { argv: anAgent(setup, ''), ...once })
    expect(again.outcome).toBe('complete')
  })

  test('comes by itself at twice the token budget; at the budget the session is ended in order', async () => {
    const speak = (tokens: number) =>
      `console.log(JSON.stringify({ type: 'assistant', message: { id: 'm', usage: { input_tokens: ${tokens} } } })); setInterval(() => {}, 1000)`
    using setup = await setUp({ guardian, run: { budgets: { maxTokens: 1_000 } } })
    const first = await supervise(setup.ports, { argv: anAgent(setup, speak(1_500)), isOnce: false })
    expect(first).toMatchObject({ outcome: 'partial', reason: 'The tokens are used up (1000).', tokens: 1_500 })
    const second = await supervise(setup.ports, { argv: anAgent(setup, speak(2_000)), isOnce: false })
    expect(second).toMatchObject({ outcome: 'stopped', sessions: [{ stopped_by: 'tokens-exceeded' }] })
    const emergency: unknown = JSON.parse(read(setup, 'tasks/a-task/json/emergency-checkpoint.json'))
    expect(emergency).toMatchObject({
      trigger: 'token budget exceeded 2x',
      trigger_details: { metric: 'tokens', threshold: 2_000, actual: 2_000, reason: expect.any(String) },
    })
  })
})

test('what an agent prints is kept without its secrets', async () => {
  using setup = await setUp({ guardian })
  const secret = ['xoxb', '123456789012', '1234567890123', 'AbCdEfGhIjKlMnOpQrStUvWx'].join('-')
  const report = await supervise(setup.ports, { argv: anAgent(setup, `console.log('token ${secret} used')`), ...once })
  const log = read(setup, report.sessions[0]?.log ?? '')
  expect(log).toContain('token ')
  expect(log).not.toContain(secret)
})

test('without git there is no way back and no diff, and the budgets still end it', async () => {
  using setup = await setUp({ guardian, hasGit: false, run: { budgets: { maxIterations: 2 } } })
  const report = await supervise(setup.ports, { argv: anAgent(setup, 'if (n === 1) process.exit(1)'), isOnce: false })
  expect(report.sessions.map(({ ended, files_changed }) => [ended, files_changed])).toEqual([
    ['failed', null],
    ['well', null],
  ])
  expect(setup.news).toContainEqual({
    kind: 'note',
    text: 'The files were not restored: this is not a git repository.',
  })
})
