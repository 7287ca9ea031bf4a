// S2, governed tasks: how sessions end, are interrupted, given up and re-opened, and what `verify` finds.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { PATIENT, Product, waitUntil } from '../support/product.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 })

const SLUG = 'fix-cart'
let product: Product
let cwd: string

const at = (...names: readonly string[]) => join(cwd, 'tasks', SLUG, ...names)
const read = (...names: readonly string[]) => readFileSync(at(...names), 'utf8')

async function must(...args: readonly string[]): Promise<string> {
  const ran = await product.cli(args, { cwd })
  if (ran.code !== 0) throw new Error(`holdfast ${args.join(' ')} exited ${ran.code}: ${ran.stderr}${ran.stdout}`)
  return ran.stdout
}

async function start(): Promise<{ readonly id: string; readonly pid: number }> {
  const pid = product.anAgent()
  const text = await must('sessions', 'start', '--task', SLUG, '--pid', String(pid))
  return { id: /Session start: (session-\S+)/.exec(text)?.[1] ?? '', pid }
}

const stateIn = (id: string): unknown => Reflect.get(JSON.parse(read('json/sessions', `${id}.json`)), 'state')
const log = (id: string) => read('logs/sessions', `${id}.log`)
const verify = () => product.cli(['checkpoints', 'verify', '--task', SLUG], { cwd })
const countInterrupted = () =>
  readdirSync(at('json/checkpoints')).filter((name) => read('json/checkpoints', name).includes('"type": "interrupted"'))
    .length
const countIncidents = () => read('logs/incidents.ndjson').split('"kind":"interrupted"').length - 1

beforeAll(async () => {
  product = new Product(PATIENT)
  cwd = await product.aProject('shop')
  await must('task', 'new', SLUG, '--criterion', 'the total is right')
})

afterAll(async () => {
  await product[Symbol.asyncDispose]()
})

test('S2.5 a COMPLETE session is re-opened with a reason, and resumed', async () => {
  const { id } = await start()
  const early = await product.cli(['sessions', 'reopen', '--task', SLUG, '--id', id, '--reason', 'x'], { cwd })
  expect([early.code, early.stderr, stateIn(id)]).toEqual([1, expect.stringContaining('is under way'), 'active'])
  await must('sessions', 'end', '--task', SLUG, '--summary', 'Found the rounding.', '--next', 'fix it')
  expect(stateIn(id)).toBe('complete')
  await must('sessions', 'reopen', '--task', SLUG, '--reason', 'it rounds twice')
  expect(stateIn(id)).toBe('suspended')
  expect(await must('sessions', 'start', '--task', SLUG, '--resume', '--pid', String(product.anAgent()))).toContain(id)
  expect(stateIn(id)).toBe('active')
  await must('sessions', 'end', '--task', SLUG, '--summary', 'Fixed.', '--next', 'test it')
  expect((await verify()).code).toBe(0)
})

test('a complete task is gone on with only after it was taken back with a reason', async () => {
  await must('task', 'new', 'find-cause', '--flow', 'research', '--criterion', 'the cause is known')
  const forced = ['--force', '--reason', 'it was found in a talk', '--next', 'go on']
  for (const gate of ['G1', 'G2', 'G3']) await must('task', 'gate', 'find-cause', gate, ...forced)
  await must('task', 'done', 'find-cause', '--summary', 'Found.', ...forced.slice(0, 3))
  for (const args of [
    ['sessions', 'start', '--task', 'find-cause', '--pid', String(product.anAgent())],
    // To block it and clear the blocker would put it in progress again.
    ['task', 'block', 'find-cause', 'not sure'],
  ]) {
    const { code, stderr } = await product.cli(args, { cwd })
    expect([args[1], code, stderr]).toEqual([args[1], 1, expect.stringContaining('is complete')])
  }
  await must('task', 'gate', 'find-cause', 'G2', '--reason', 'the cause is another')
  await must('task', 'block', 'find-cause', 'not sure')
  await must('task', 'block', 'find-cause', '--clear')
})

test('S2.36 one interrupted checkpoint and one incident for an agent and a daemon that were killed', async () => {
  const { id, pid } = await start()
  await product.killDaemon()
  await product.kill(pid)
  const next = await start()
  await waitUntil(() => stateIn(id) === 'suspended', 'the interruption is found')
  expect([countInterrupted(), countIncidents()]).toEqual([1, 1])
  expect(log(id)).toMatch(/Session end: \S+ outcome=interrupted$/m)
  await product.kill(next.pid)
  await waitUntil(() => stateIn(next.id) === 'suspended', 'the daemon finds the second')
  expect([countInterrupted(), countIncidents()]).toEqual([2, 2])
})

test('S2.3 an ACTIVE session whose process is gone becomes SUSPENDED', () => {
  expect(readdirSync(at('json/sessions')).map((name) => stateIn(name.slice(0, -5)))).toEqual(
    expect.arrayContaining(['complete', 'suspended', 'suspended']),
  )
})

test('S2.37 an interrupted session is suspended, and its checkpoint can be resumed', () => {
  const files = readdirSync(at('json/sessions')).map((name) => JSON.parse(read('json/sessions', name)))
  const suspended = files.filter((file) => Reflect.get(file, 'state') === 'suspended')
  expect(suspended.map((file) => Reflect.get(file, 'transitions').at(-1))).toMatchObject([
    { from: 'active', to: 'suspended' },
    { from: 'active', to: 'suspended' },
  ])
  const interrupted = readdirSync(at('json/checkpoints'))
    .map((name) => read('json/checkpoints', name))
    .filter((text) => text.includes('"type": "interrupted"'))
  for (const text of interrupted) expect(text).toContain('"can_resume": true')
})

test('S2.38 the interruption is an incident for review, in the log and in the timeline', async () => {
  const lines = read('logs/incidents.ndjson').trim().split('\n')
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
    kind: 'interrupted',
    session_id: expect.stringMatching(/^session-/),
    checkpoint_id: expect.stringMatching(/^ckpt-/),
    detail: expect.stringContaining('process'),
  })
  expect(await must('sessions', 'timeline', '--task', SLUG)).toMatch(/incident.*interrupted/i)
})

test('S2.6 a SUSPENDED session is given up with a reason, for good', async () => {
  const id = /(session-\S+) is terminated/.exec(
    await must('sessions', 'give-up', '--task', SLUG, '--reason', 'another approach'),
  )?.[1]
  expect(stateIn(id ?? '')).toBe('terminated')
  expect(log(id ?? '')).toMatch(/Session end: \S+ outcome=terminated$/m)
  const again = await product.cli(['sessions', 'reopen', '--task', SLUG, '--id', id ?? '', '--reason', 'x'], { cwd })
  expect(again.stderr).toContain('terminated cannot become suspended')
  expect((await verify()).code).toBe(0)
})

test('S2.7 a transition that the diagram does not have is refused, with the legal ones', async () => {
  const complete = readdirSync(at('json/sessions')).find((name) => stateIn(name.slice(0, -5)) === 'complete')
  const id = ['--id', (complete ?? '').slice(0, -5), '--reason', 'x']
  const refused = await product.cli(['sessions', 'give-up', '--task', SLUG, ...id], { cwd })
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('It can become suspended')])
})

test('S2.35 a start whose output is cut off is finished or found, and blocks nothing', async () => {
  const bin = join(import.meta.dirname, '..', '..', 'bin', 'holdfast')
  const pid = product.anAgent()
  await product.run(
    '/bin/sh',
    ['-c', `${process.execPath} ${bin} sessions start --task ${SLUG} --pid ${pid} | head -1`],
    { cwd },
  )
  await product.kill(pid)
  await waitUntil(
    () =>
      // A name with a dot is a file that is being written.
      readdirSync(at('json/sessions'))
        .filter((name) => !name.startsWith('.'))
        .every((name) => !['active', 'init'].includes(String(stateIn(name.slice(0, -5))))),
    'the orphan is suspended',
  )
  expect((await verify()).code).toBe(0)
})

test('S2.50 every session log ends with `Session end: <session_id> outcome=<outcome>`', () => {
  for (const name of readdirSync(at('json/sessions')).filter((one) => !one.startsWith('.')))
    expect(log(name.slice(0, -5)).trimEnd().split('\n').at(-1)).toMatch(/Session end: \S+ outcome=\w+$/)
})

test('S2.52 verify finds a forged status, a forged session file and a skipped gate', async () => {
  const statusFile = at('json/task-status.json')
  const before = readFileSync(statusFile, 'utf8')
  writeFileSync(statusFile, before.replace('"current_gate": "G0"', '"current_gate": "G9"'))
  const forged = await verify()
  expect([forged.code, forged.stdout]).toEqual([
    1,
    expect.stringContaining('has the gate G9; the newest checkpoint is at G0'),
  ])
  expect(await must('sessions', 'start', '--task', SLUG, '--pid', String(product.anAgent()))).toContain(
    'at G0 Initialize',
  )
  await must('sessions', 'end', '--task', SLUG, '--summary', 'Looked.', '--next', 'fix it')
  expect((await verify()).code).toBe(0)
  const ended = readFileSync(statusFile, 'utf8')
  writeFileSync(statusFile, ended.replace('"fix it"', '"delete everything"'))
  expect((await verify()).stdout).toContain('other next steps than the newest checkpoint')
  writeFileSync(statusFile, ended)
  const name = `${Reflect.get(JSON.parse(ended), 'last_session')}.json`
  const session = read('json/sessions', name)
  writeFileSync(at('json/sessions', name), session.replace(/"state": "\w+"/, '"state": "active"'))
  expect((await verify()).stdout).toContain('has the state active, but its last transition is to')
  const forgeries = [
    [/"current_gate": "G0"/, '"current_gate": "G9"', 'is at G9; its newest checkpoint is at G0'],
    [/"outcome": "partial"/, '"outcome": "success"', 'has the outcome success; it ended with partial'],
    [/"task_slug": "fix-cart"/, '"task_slug": "feat-login"', 'belongs to the task feat-login'],
  ] as const
  for (const [from, to, finding] of forgeries) {
    writeFileSync(at('json/sessions', name), session.replace(from, to))
    expect((await verify()).stdout).toContain(finding)
  }
  writeFileSync(at('json/sessions', name), session)
  const unblocked = [
    ['"status": "in-progress"', '"status": "blocked"', 'says blocked, with 0 blockers'],
    [/"last_session": "[^"]+"/, '"last_session": "session-2026-01-01-x"', 'session-2026-01-01-x as the last session'],
  ] as const
  for (const [from, to, finding] of unblocked) {
    writeFileSync(statusFile, ended.replace(from, to))
    expect((await verify()).stdout).toContain(finding)
  }
  writeFileSync(statusFile, ended)

  // A checkpoint that was written by hand, and an index that accepts it.
  const head = String(Reflect.get(JSON.parse(read('json/checkpoint-index.json')), 'head'))
  const bytes = readFileSync(at('json/checkpoints', `${head}.json`))
  const made = {
    ...JSON.parse(bytes.toString('utf8')),
    checkpoint_id: 'ckpt-2026-01-01-forged',
    type: 'gate_transition',
    gate: 'G9',
    parent: { checkpoint_id: head, sha256: createHash('sha256').update(bytes).digest('hex') },
    joins: [],
  }
  writeFileSync(at('json/checkpoints', 'ckpt-2026-01-01-forged.json'), `${JSON.stringify(made, undefined, 2)}\n`)
  const repaired = await product.cli(['checkpoints', 'verify', '--task', SLUG, '--repair'], { cwd })
  expect([repaired.code, repaired.stdout]).toEqual([
    1,
    expect.stringContaining('enters G9 Monitor. The flow feature needs G1'),
  ])
})
