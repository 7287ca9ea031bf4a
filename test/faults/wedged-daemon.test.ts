import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseSpoolName } from '../../src/spool/spool-entry.ts'
import { resolveHome } from '../../src/platform/base/home.ts'
import { commandOf, isRunnable, RUNNERS, run } from '../support/hook-programs.ts'
import { Product, waitUntil } from '../support/product.ts'
import { Daemon, dist, PATIENCE_MS } from './support/daemon.ts'
import { readKeptLog } from './support/log-check.ts'

// The runner ends a hook that is still there after its hard stop, and then says a signal instead of an exit code.

const HOOKS = ['SessionStart', 'UserPromptSubmit', 'Stop', 'PreCompact', 'SessionEnd'] as const

interface Fired {
  readonly session: string
  readonly hook: string
}

function payloadOf({ session, hook }: Fired, cwd: string): string {
  const fields = {
    SessionStart: { source: 'startup' },
    UserPromptSubmit: { prompt: 'Go on.' },
    Stop: { last_assistant_message: 'Done.' },
    PreCompact: { trigger: 'auto' },
    SessionEnd: { reason: 'other' },
  }[hook]
  return JSON.stringify({ hook_event_name: hook, session_id: session, cwd, ...fields })
}

function spoolFiles(home: { spoolDir: string }): readonly string[] {
  if (!existsSync(home.spoolDir)) return []
  return readdirSync(home.spoolDir).filter((name) => parseSpoolName(name) !== undefined)
}

/** Only for a spool that nobody empties meanwhile. */
function spooledIn(home: { spoolDir: string }): readonly Fired[] {
  return spoolFiles(home)
    .toSorted()
    .map((name) => {
      const entry: { hook: string; payload: { session_id: string } } = JSON.parse(
        readFileSync(join(home.spoolDir, name), 'utf8'),
      )
      return { session: entry.payload.session_id, hook: entry.hook }
    })
}

const KIND_OF: Readonly<Record<string, string>> = {
  SessionStart: 'session-started',
  UserPromptSubmit: 'prompt-submitted',
  Stop: 'turn-ended',
  PreCompact: 'compaction-started',
  SessionEnd: 'session-ended',
}

test('a daemon that is stopped: every hook leaves in time with exit 0 and is spooled once; once awake, all is kept once', async () => {
  await using product = new Product()
  const home = resolveHome(product.env)
  const daemon = await new Daemon(product.env).ready()
  const fired: Fired[] = []
  process.kill(daemon.pid, 'SIGSTOP')
  try {
    for (const runner of RUNNERS.filter(isRunnable)) {
      for (const hook of HOOKS) {
        const call = { session: `by-${runner}`, hook }
        const command = [...commandOf(runner, dist), 'claude-code', hook]
        const ran = await run(command, { env: product.env, input: payloadOf(call, product.dir) })
        expect({ ...call, ...ran }).toEqual({ ...call, exit: 0, stdout: '', stderr: '' })
        fired.push(call)
      }
    }
    expect(spooledIn(home)).toEqual(fired)
  } finally {
    process.kill(daemon.pid, 'SIGCONT')
  }
  await waitUntil(() => spoolFiles(home).length === 0, 'the spool is empty', PATIENCE_MS)
  await daemon.signal('SIGTERM')
  const { events, findings } = await readKeptLog(home.root)
  // Sessions may mix with one another, but each stays in order.
  const bySession = (lines: readonly string[]) =>
    lines.toSorted((a, b) => a.split(' ')[0]?.localeCompare(b.split(' ')[0] ?? '') ?? 0)
  expect(bySession(events.map(({ event }) => `${event.sessionKey} ${event.kind}`))).toEqual(
    bySession(fired.map(({ session, hook }) => `${session} ${KIND_OF[hook]}`)),
  )
  expect(findings).toEqual([])
})

test('control: an awake daemon takes the same hooks, and nothing is spooled', async () => {
  await using product = new Product()
  const home = resolveHome(product.env)
  await new Daemon(product.env).ready()
  for (const runner of RUNNERS.filter(isRunnable)) {
    const call = { session: `by-${runner}`, hook: 'UserPromptSubmit' }
    const env = { ...product.env, HOLDFAST_HOOK_BUDGET_MS: '20000' }
    const command = [...commandOf(runner, dist), 'claude-code', call.hook]
    expect(await run(command, { env, input: payloadOf(call, product.dir) })).toMatchObject({ exit: 0 })
  }
  expect(spoolFiles(home)).toEqual([])
})
