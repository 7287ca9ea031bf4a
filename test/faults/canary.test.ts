import { readdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { resolveHome } from '../../src/platform/base/home.ts'
import { acquireLock, type LockHandle } from '../../src/storage/sqlite/connection/lock.ts'
import { ClaudeSession } from '../support/claude-session.ts'
import { commandOf, run } from '../support/hook-programs.ts'
import { PATIENT, Product, waitUntil } from '../support/product.ts'
import { CANARIES, canariesIn, ENV_FILE, HARMLESS, leaksBelow, SECRETS } from './support/canaries.ts'
import { ask, dist, PATIENCE_MS } from './support/daemon.ts'

const HARMLESS_TEXT = `See ${HARMLESS.path} at ${HARMLESS.hash} about ${HARMLESS.words}, request ${HARMLESS.uuid}.`

/** A session that lets every secret slip wherever a harness reports text. */
async function spill(session: ClaudeSession, project: string): Promise<void> {
  await session.prompt(`Rotate the keys.\n${SECRETS}\n${HARMLESS_TEXT}`)
  await session.bash(`deploy <<E\n${SECRETS}\nE`, { stdout: `done\n${SECRETS}` })
  await session.bash('npm test', { error: `Exit code 1\n${SECRETS}` })
  await session.bash('printenv', { stdout: SECRETS, isHookLost: true })
  await session.edit('src/parser.ts', 'old', SECRETS)
  await session.tool('Write', { file_path: join(project, 'notes.md'), content: SECRETS })
  await session.tool('TodoWrite', { todos: [{ content: SECRETS, status: 'pending', activeForm: 'x' }] })
  await session.say(`I decided to keep it because of this:\n${SECRETS}\nNext: ${HARMLESS_TEXT}`)
  await session.fire('PreCompact', { trigger: 'manual', custom_instructions: SECRETS })
  await session.start('compact')
  await session.fire('PostCompact', { trigger: 'manual', compact_summary: SECRETS })
}

/** What the event stream says from the beginning on. */
function streamOf(home: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const call = request({
      socketPath: resolveHome({ HOLDFAST_HOME: home }).socket,
      path: '/api/events?afterSeq=0',
      headers: { host: 'localhost', accept: 'text/event-stream' },
    })
    call.on('error', reject)
    call.on('response', (response) => {
      response.setEncoding('utf8')
      response.on('close', () => resolve(text))
      response.on('error', () => resolve(text))
      // The stream never ends by itself: it is left once it has been silent for a while, or never spoke.
      let leaving = setTimeout(() => response.destroy(), PATIENCE_MS)
      response.on('data', (chunk: string) => {
        text += chunk
        clearTimeout(leaving)
        leaving = setTimeout(() => response.destroy(), text.includes('tool-finished') ? 1_500 : PATIENCE_MS)
      })
    })
    call.end()
  })
}

async function answersOf(home: string, project: string): Promise<Readonly<Record<string, string>>> {
  const paths = [
    '/api/events?limit=1000',
    '/api/checkpoints?limit=100',
    '/api/sessions',
    `/api/recovery?cwd=${encodeURIComponent(project)}`,
    `/api/explain?cwd=${encodeURIComponent(project)}`,
    `/api/memories?cwd=${encodeURIComponent(project)}`,
    '/api/metrics',
    '/',
  ]
  const answers: Record<string, string> = { stream: await streamOf(home) }
  for (const path of paths) answers[path] = (await ask(home, { path })).body.toString('utf8')
  return answers
}

test('secrets in prompts, tools, transcripts and last words reach no byte of the home and no answer, with the daemon up and away', async () => {
  await using product = new Product()
  const home = resolveHome(product.env)
  await product.connect()
  const project = await product.aProject('app')
  writeFileSync(join(project, '.env'), ENV_FILE)

  const first = new ClaudeSession(product, project, { pid: product.anAgent(), env: PATIENT })
  await first.start()
  await waitUntil(() => product.daemonPid() !== undefined, 'there is a daemon', PATIENCE_MS)
  await spill(first, project)
  await first.end()
  expect(await product.cli(['remember', `The key is ${CANARIES['anthropic']}.`], { cwd: project })).toMatchObject({
    code: 1,
  })
  await sleep(3_000)
  expect(leaksBelow(home.root)).toEqual([])

  await product.killDaemon()
  // The kernel lets go of it when the last thread is gone, a moment after the process is.
  let lock: LockHandle | undefined
  await waitUntil(() => (lock ??= acquireLock(home.lockFile)) !== undefined, 'the lock is free')
  const second = new ClaudeSession(product, project, { pid: product.anAgent() })
  await second.start()
  await spill(second, project)
  await second.end()
  // Invalid JSON is set aside without a project, so only the value of the env file is unknown.
  const garbled = SECRETS.replaceAll(CANARIES['env'] ?? '', '')
  expect(
    await run([...commandOf('node', dist), 'claude-code', 'Stop'], { env: product.env, input: `{{{ ${garbled}` }),
  ).toEqual({
    exit: 0,
    stdout: '',
    stderr: '',
  })
  expect(readdirSync(home.deadSpoolDir)).toHaveLength(1)
  expect(leaksBelow(home.root)).toEqual([])
  lock?.release()

  const third = new ClaudeSession(product, project, { pid: product.anAgent(), env: PATIENT })
  const told = await third.begin()
  expect(told).toContain('## Session Recovery Context')
  expect(canariesIn(told)).toEqual([])
  await waitUntil(
    async () => {
      const { spoolBacklog }: { spoolBacklog: number } = JSON.parse(
        (await ask(home.root, { path: '/api/health' })).body.toString(),
      )
      return spoolBacklog === 0
    },
    'the spool is empty',
    PATIENCE_MS,
  )
  await sleep(3_000)
  const answers = await answersOf(home.root, project)
  const leaks = Object.entries(answers).flatMap(([path, text]) => canariesIn(text).map((name) => `${path}: ${name}`))
  expect(leaks).toEqual([])
  expect(leaksBelow(home.root)).toEqual([])

  // Text that is not a secret is still there, from both sessions.
  const events = answers['/api/events?limit=1000'] ?? ''
  for (const text of Object.values(HARMLESS)) expect(events).toContain(text)
  for (const { id } of [first, second]) expect(events).toContain(id)
  expect(answers['stream']).toContain('tool-finished')

  // Control: the same search finds every one of them in the harness's own transcripts.
  const found = leaksBelow(product.claudeDir).map((line) => line.split(': ')[1])
  expect(new Set(found)).toEqual(new Set(Object.keys(CANARIES)))
})
