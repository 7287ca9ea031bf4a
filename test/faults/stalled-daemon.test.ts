import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseSpoolName } from '../../src/spool/spool-entry.ts'
import { resolveHome } from '../../src/platform/base/home.ts'
import { findTargetProcess } from '../../src/platform/launcher-file.ts'
import { commandOf, isRunnable, RUNNERS, run, type Runner } from '../support/hook-programs.ts'
import { isAlive, pidsWithHome, Product, waitUntil } from '../support/product.ts'
import { Daemon, dist, PATIENCE_MS } from './support/daemon.ts'
import { readKeptLog } from './support/log-check.ts'

const SESSIONS = 8
const PROMPTS_AFTERWARDS = 4

function waitingIn(spoolDir: string): number {
  if (!existsSync(spoolDir)) return 0
  return readdirSync(spoolDir).filter((name) => parseSpoolName(name) !== undefined).length
}

interface Load {
  /** Prompts of every session so far, in the order in which they were sent. */
  readonly sent: ReadonlyMap<string, readonly string[]>
  count(): number
  stop(): Promise<void>
}

/** Sessions that each send one prompt after the other, by turns of the runners, until they are stopped. */
function startLoad(product: Product, runners: readonly Runner[]): Load {
  const sent = new Map<string, string[]>()
  const stopping = new AbortController()
  async function send(session: string, runner: Runner): Promise<void> {
    const prompts: string[] = []
    sent.set(session, prompts)
    while (!stopping.signal.aborted) {
      const prompt = `Step ${prompts.length} of ${session}.`
      const input = JSON.stringify({
        hook_event_name: 'UserPromptSubmit',
        session_id: session,
        cwd: product.dir,
        prompt,
      })
      const command = [...commandOf(runner, dist), 'claude-code', 'UserPromptSubmit']
      const { exit, stderr } = await run(command, { env: product.env, input })
      expect({ prompt, exit, stderr }).toEqual({ prompt, exit: 0, stderr: '' })
      prompts.push(prompt)
    }
  }
  const running = Array.from({ length: SESSIONS }, (_, n) => send(`s-${n}`, runners[n % runners.length] ?? 'node'))
  return {
    sent,
    count: () => [...sent.values()].reduce((sum, prompts) => sum + prompts.length, 0),
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

test('a daemon that stalls under load: every prompt is kept once and in order, one stand-in serves and leaves', async () => {
  await using product = new Product()
  const home = resolveHome(product.env)
  const daemon = await new Daemon(product.env).ready()
  const load = startLoad(product, RUNNERS.filter(isRunnable))
  await waitUntil(() => load.count() >= SESSIONS * 2, 'the load runs', PATIENCE_MS)
  process.kill(daemon.pid, 'SIGSTOP')
  let standIn: number | undefined
  try {
    await waitUntil(
      () => (standIn = findTargetProcess(home.lateFile)?.pid) !== undefined,
      'a stand-in is there',
      PATIENCE_MS,
    )
    const before = load.count()
    await waitUntil(() => load.count() >= before + SESSIONS * PROMPTS_AFTERWARDS, 'the load goes on', PATIENCE_MS)
  } finally {
    process.kill(daemon.pid, 'SIGCONT')
  }
  const awake = load.count()
  await waitUntil(() => !existsSync(home.lateFile), 'launchers are called back', PATIENCE_MS)
  await waitUntil(() => load.count() >= awake + SESSIONS * PROMPTS_AFTERWARDS, 'the load still goes on', PATIENCE_MS)
  await load.stop()
  await waitUntil(() => waitingIn(home.spoolDir) === 0, 'the spool is empty', PATIENCE_MS)
  await waitUntil(() => !isAlive(standIn ?? 0), 'the stand-in is gone', PATIENCE_MS)
  // One that a hook started on a mere suspicion finds the daemon awake, and leaves too.
  await waitUntil(() => pidsWithHome(home.root).length === 1, 'only the daemon is left', PATIENCE_MS)
  expect(pidsWithHome(home.root)).toEqual([daemon.pid])
  expect(readdirSync(home.runDir).filter((name) => name.startsWith('daemon.l'))).toEqual([])
  expect(readFileSync(home.hookLog, 'utf8')).toContain('"why":"the daemon answers"')
  await daemon.signal('SIGTERM')
  const { events, findings } = await readKeptLog(home.root)
  const kept = new Map([...load.sent.keys()].map((session) => [session, [] as string[]]))
  for (const { event } of events) if (event.kind === 'prompt-submitted') kept.get(event.sessionKey)?.push(event.prompt)
  expect(kept).toEqual(load.sent)
  expect(findings).toEqual([])
})

test('a daemon that stays stopped is ended and replaced, and nothing is lost', async () => {
  await using product = new Product()
  const home = resolveHome(product.env)
  const daemon = await new Daemon(product.env).ready()
  const fire = (prompt: string) =>
    run([...commandOf('bash', dist), 'claude-code', 'UserPromptSubmit'], {
      env: product.env,
      input: JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: product.dir, prompt }),
    })
  process.kill(daemon.pid, 'SIGSTOP')
  expect(await fire('While it is stopped.')).toEqual({ exit: 0, stdout: '', stderr: '' })
  expect(await daemon.ended()).toBe('SIGKILL')
  await waitUntil(() => (findTargetProcess(home.launcherFile)?.pid ?? 0) > 0, 'another daemon is there', PATIENCE_MS)
  await waitUntil(() => waitingIn(home.spoolDir) === 0, 'the spool is empty', PATIENCE_MS)
  expect(await fire('Afterwards.')).toMatchObject({ exit: 0, stderr: '' })
  const replaced = findTargetProcess(home.launcherFile)?.pid ?? 0
  expect(replaced).not.toBe(daemon.pid)
  await waitUntil(() => pidsWithHome(home.root).length === 1, 'only the daemon is left', PATIENCE_MS)
  process.kill(replaced, 'SIGTERM')
  await waitUntil(() => !isAlive(replaced), 'it is gone', PATIENCE_MS)
  const { events } = await readKeptLog(home.root)
  expect(events.flatMap(({ event }) => (event.kind === 'prompt-submitted' ? [event.prompt] : []))).toEqual([
    'While it is stopped.',
    'Afterwards.',
  ])
})
