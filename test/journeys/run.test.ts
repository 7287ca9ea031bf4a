import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isAlive, pidsWithHome, Product, waitUntil } from '../support/product.ts'

const root = join(import.meta.dirname, '..', '..')
const bin = join(root, 'bin', 'holdfast')
const PATIENCE_MS = 120_000

/** An agent that passes gates with the command line; `plan` says what each session does. */
const AGENT = `
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
const [dir, bin] = process.argv.slice(2)
appendFileSync(dir + '/sessions', process.env.HOLDFAST_SESSION_ID + '\\n')
const n = readFileSync(dir + '/sessions', 'utf8').split('\\n').length - 1
writeFileSync(dir + '/opening-' + n, readFileSync(process.env.HOLDFAST_OPENING_FILE))
writeFileSync('src/work-' + n + '.ts', 'export const n = ' + n + '\\n')
for (const step of JSON.parse(readFileSync(dir + '/plan.json', 'utf8'))[n - 1] ?? []) {
  if (step === 'hang') { writeFileSync(dir + '/hanging', String(process.pid)); setInterval(() => {}, 1000) }
  else if (step === 'hook') execFileSync('/bin/sh', ['-c', readFileSync(dir + '/session-start', 'utf8')], {
    env: { ...process.env, CLAUDE_PID: String(process.pid) },
    input: JSON.stringify({ hook_event_name: 'SessionStart', session_id: 's1', cwd: process.cwd(), source: 'startup', transcript_path: dir + '/none.jsonl' }),
  })
  else execFileSync(process.execPath, [bin, 'task', 'gate', process.env.HOLDFAST_TASK, step, '--force', '--reason', 'a stand-in'], { stdio: 'inherit' })
}
`

interface Journey {
  readonly product: Product
  readonly project: string
  readonly argv: readonly string[]
}

async function aTask(product: Product, plan: readonly (readonly string[])[]): Promise<Journey> {
  const project = await product.aProject('project')
  writeFileSync(join(product.dir, 'agent.mjs'), AGENT)
  writeFileSync(join(product.dir, 'plan.json'), JSON.stringify(plan))
  await product.json(['task', 'new', 'feat-login'], { cwd: project })
  const argv = ['--task', 'feat-login', '--', process.execPath, join(product.dir, 'agent.mjs'), product.dir, bin]
  return { product, project, argv }
}

/** `holdfast run` in the background; what it printed once it has ended. */
function startRun({ product, project, argv }: Journey): {
  child: ChildProcess
  ended: Promise<{ code: unknown; stdout: string }>
} {
  const child = spawn(process.execPath, [bin, 'run', '--json', ...argv], {
    cwd: project,
    env: product.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  const ended = once(child, 'close').then(([code]: unknown[]) => ({ code, stdout }))
  return { child, ended }
}

const hanging = ({ product }: Journey) => join(product.dir, 'hanging')

async function untilHanging(journey: Journey): Promise<number> {
  await waitUntil(
    () => existsSync(hanging(journey)) && readFileSync(hanging(journey), 'utf8') !== '',
    'the agent hangs',
    PATIENCE_MS,
  )
  return Number(readFileSync(hanging(journey), 'utf8'))
}

describe('holdfast run', { timeout: 300_000 }, () => {
  test('a task from G0 to G10 over three sessions, the supervisor killed in the second: a chain that holds', async () => {
    await using product = new Product()
    const journey = await aTask(product, [
      ['G1', 'G2', 'G3'],
      ['G4', 'hang'],
      ['G5', 'G6', 'G7', 'G8', 'G9', 'G10'],
    ])
    const first = startRun(journey)
    const agent = await untilHanging(journey)
    first.child.kill('SIGKILL')
    await first.ended
    await waitUntil(() => !isAlive(agent), 'the agent is gone with its supervisor', PATIENCE_MS)

    const second = await startRun(journey).ended
    expect(JSON.parse(second.stdout)).toMatchObject({
      task: 'feat-login',
      outcome: 'complete',
      position: 'G10-0',
      sessions: [{ ended: 'well', attempt: 1 }],
    })
    expect(second.code).toBe(0)
    expect(readFileSync(join(product.dir, 'opening-3'), 'utf8')).toContain('G4')
    const verified = await product.cli(['checkpoints', 'verify', '--task', 'feat-login'], { cwd: journey.project })
    expect({ code: verified.code, stdout: verified.stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Intact: \d+ checkpoints of 3 sessions in one chain/),
    })
    // What the supervisor says of the program is nobody's note.
    const events = await product.cli(['events', 'list', '--limit', '200', '--json'], { cwd: journey.project })
    expect(events.stdout).toContain('gate-changed')
    expect(events.stdout).not.toContain('digest-written')
    const { sessions } = sessionsOf(journey)
    expect(sessions.map(({ state, outcome }) => [state, outcome])).toEqual([
      ['complete', 'success'],
      ['suspended', null],
      ['complete', 'success'],
    ])
    expect(sessions.map(({ parent_session }) => parent_session)).toEqual([
      null,
      sessions[0]?.session_id,
      sessions[1]?.session_id,
    ])
  })

  test('the stop file ends it with an emergency checkpoint, and going on wants a review', async () => {
    await using product = new Product()
    const journey = await aTask(product, [['hang'], []])
    const { ended } = startRun(journey)
    const agent = await untilHanging(journey)
    const stop = join(journey.project, '.agentic-governance', 'STOP')
    mkdirSync(join(journey.project, '.agentic-governance'))
    writeFileSync(stop, '')
    const { code, stdout } = await ended
    expect({ code, alive: isAlive(agent) }).toEqual({ code: 1, alive: false })
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'stopped', sessions: [{ stopped_by: 'stop-file' }] })
    expect(sessionsOf(journey).sessions.map(({ state }) => state)).toEqual(['terminated'])
    const folder = join(journey.project, 'tasks', 'feat-login')
    expect(JSON.parse(readFileSync(join(folder, 'json', 'emergency-checkpoint.json'), 'utf8'))).toMatchObject({
      trigger: 'stop file detected',
      recovery: { manual_review_required: true },
    })
    const patch = readdirSync(join(folder, 'work', 'patches')).find((name) => name.startsWith('emergency-')) ?? ''
    expect(readFileSync(join(folder, 'work', 'patches', patch), 'utf8')).toContain('src/work-1.ts')

    const options = { cwd: journey.project }
    expect((await product.cli(['run', ...journey.argv], options)).stderr).toContain(
      'The stop file .agentic-governance/STOP exists',
    )
    rmSync(stop)
    const refused = await product.cli(['run', ...journey.argv], options)
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('--reviewed'),
    })
    const begun = await product.cli(['session', 'start', '--task', 'feat-login'], options)
    expect({ code: begun.code, stderr: begun.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('has not been reviewed'),
    })
    const reviewed = await product.cli(['run', '--reviewed', '--once', ...journey.argv], options)
    expect(reviewed.code).toBe(0)
  })

  test('Ctrl-C ends it in order, and nothing runs on', async () => {
    await using product = new Product()
    const journey = await aTask(product, [['hang']])
    const { child, ended } = startRun(journey)
    const agent = await untilHanging(journey)
    child.kill('SIGINT')
    const { code, stdout } = await ended
    expect({ code, alive: isAlive(agent) }).toEqual({ code: 1, alive: false })
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'interrupted', sessions: [{ stopped_by: 'person' }] })
    expect(sessionsOf(journey).sessions.map(({ state, outcome }) => [state, outcome])).toEqual([
      ['complete', 'partial'],
    ])
    // Only the daemon is left: the run, its guardian and the agent are gone.
    await waitUntil(
      () => pidsWithHome(product.home).every((pid) => pid === product.daemonPid()),
      'only the daemon is left',
      PATIENCE_MS,
    )
  })

  test('the stop file also ends the work of a harness session that nobody supervises', async () => {
    await using product = new Product()
    await product.connect()
    const { project } = await aTask(product, [])
    const pid = product.anAgent()
    const said = { session_id: 's1', cwd: project, transcript_path: join(product.dir, 'none.jsonl') }
    await product.hook('SessionStart', { ...said, source: 'startup' }, { pid })
    await product.json(['session', 'start', '--task', 'feat-login', '--session', 's1'], { cwd: project })
    const edit = { ...said, tool_name: 'Write', tool_input: { file_path: join(project, 'a.ts'), content: 'x' } }
    expect((await product.hook('PreToolUse', { ...edit, tool_use_id: 't1' }, { pid })).stdout).not.toContain('deny')
    mkdirSync(join(project, '.agentic-governance'))
    writeFileSync(join(project, '.agentic-governance', 'STOP'), '')
    // More than once where the machine is so busy that an answer comes after its deadline.
    let refused = ''
    let tool = 1
    await waitUntil(
      async () => {
        tool += 1
        refused = (await product.hook('PreToolUse', { ...edit, tool_use_id: `t${tool}` }, { pid })).stdout
        return refused.includes('deny')
      },
      'a tool is refused',
      PATIENCE_MS,
    )
    expect(JSON.parse(refused)).toMatchObject({
      continue: false,
      hookSpecificOutput: {
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining('stop file'),
      },
    })
    const emergency = join(project, 'tasks', 'feat-login', 'json', 'emergency-checkpoint.json')
    await waitUntil(() => existsSync(emergency), 'the emergency checkpoint', PATIENCE_MS)
    await waitUntil(
      () => sessionsOf({ project }).sessions[0]?.state === 'terminated',
      'the task session is terminated',
      PATIENCE_MS,
    )
    // Its task session is over, and it is refused all the same while the file is there.
    await waitUntil(
      async () => {
        const { stdout } = await product.hook('UserPromptSubmit', { ...said, prompt: 'go on' }, { pid })
        return stdout.includes('"decision":"block"')
      },
      'a prompt is refused',
      PATIENCE_MS,
    )
    rmSync(join(project, '.agentic-governance', 'STOP'))
    expect((await product.hook('PreToolUse', { ...edit, tool_use_id: 'last' }, { pid })).stdout).not.toContain('deny')
  })

  test("a supervised harness's own session is taken for the task's, and no dead one for an interruption", async () => {
    await using product = new Product()
    await product.connect()
    const journey = await aTask(product, [['hook', 'hang']])
    writeFileSync(join(product.dir, 'session-start'), installedCommand(product, 'SessionStart'))
    const { child, ended } = startRun(journey)
    await untilHanging(journey)
    await waitUntil(
      async () => {
        const { stdout } = await product.cli(['events', 'list', '--session', 's1', '--json'], { cwd: journey.project })
        return stdout.includes('task-session-changed')
      },
      'the session of the harness is linked',
      PATIENCE_MS,
    )
    child.kill('SIGINT')
    expect(JSON.parse((await ended).stdout)).toMatchObject({ outcome: 'interrupted' })
    expect(sessionsOf(journey).sessions.map(({ state, outcome }) => [state, outcome])).toEqual([
      ['complete', 'partial'],
    ])
  })

  test('a health check that fails lets nothing begin, and passes on to a person', async () => {
    await using product = new Product()
    const journey = await aTask(product, [[]])
    mkdirSync(join(journey.project, '.agentic-governance'))
    writeFileSync(
      join(journey.project, '.agentic-governance', 'config.json'),
      JSON.stringify({ packOptions: { 'session-continuity': { smokeCommand: ['test', '-e', 'healthy'] } } }),
    )
    const failed = await startRun(journey).ended
    expect(JSON.parse(failed.stdout)).toMatchObject({ outcome: 'escalated', sessions: [] })
    expect(existsSync(join(product.dir, 'sessions'))).toBe(false)
    writeFileSync(join(journey.project, 'healthy'), '')
    const passed = await product.cli(['run', '--once', ...journey.argv], { cwd: journey.project })
    expect(passed.code).toBe(0)
  })

  test.each([
    [['run', '--', 'true'], 2, /required option '--task <slug>'/i],
    [['run', '--task', 'feat-login'], 2, /missing required argument 'command'/i],
    [['run', '--task', '../etc', '--', 'true'], 2, /\.\.\/etc/],
    [['run', '--task', 'nobody', '--', 'true'], 1, /There is no task nobody/],
  ])('%j is refused with the way out', async (args, code, stderr) => {
    await using product = new Product()
    const ran = await product.cli(args, { cwd: await product.aProject('project') })
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code, stderr: expect.stringMatching(stderr) })
  })
})

/** What `init` put into the settings for a hook. */
function installedCommand({ claudeDir }: Product, hook: string): string {
  const settings: { hooks: Record<string, { hooks: { command?: string }[] }[]> } = JSON.parse(
    readFileSync(join(claudeDir, 'settings.json'), 'utf8'),
  )
  return settings.hooks[hook]?.[0]?.hooks[0]?.command ?? ''
}

interface SessionFile {
  readonly session_id: string
  readonly state: string
  readonly outcome: string | null
  readonly parent_session: string | null
  readonly started_at: string
}

function sessionsOf({ project }: Pick<Journey, 'project'>): { readonly sessions: readonly SessionFile[] } {
  const folder = join(project, 'tasks', 'feat-login', 'json', 'sessions')
  // A file that is being written has another name until it is whole.
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const sessions = names.map((name): SessionFile => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  return { sessions: sessions.sort((a, b) => (a.started_at < b.started_at ? -1 : 1)) }
}
