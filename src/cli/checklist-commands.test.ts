import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../kernel/config.ts'
import { openApp } from '../daemon/wiring/open-app.ts'
import { type RunningDaemon, startDaemon } from '../daemon/start.ts'
import { daemonOptions, memoryLog } from '../../test/support/daemon-setup.ts'
import { systemClock as clock } from '../platform/base/clock.ts'
import { createRedactors } from '../platform/redactors.ts'
import { resolveHome } from '../platform/base/home.ts'
import { openSqliteStore } from '../storage/sqlite/engine.ts'
import { runCli } from './run.ts'

let base: string
let cwd: string
let daemon: RunningDaemon

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'holdfast-cli-checklist-'))
  cwd = join(base, 'project')
  mkdirSync(join(cwd, 'src'), { recursive: true })
  const home = resolveHome({ HOLDFAST_HOME: join(base, 'home') })
  const real = { home, config: DEFAULT_CONFIG, clock, log: memoryLog(), loadConfig: () => DEFAULT_CONFIG }
  const started = await startDaemon(
    daemonOptions(home, {
      clock,
      openApp: async () =>
        openApp({
          ...real,
          redactors: createRedactors({ clock }),
          store: await openSqliteStore({ file: ':memory:' }),
        }),
    }),
  )
  if (started.kind !== 'started') throw new Error('another daemon runs')
  daemon = started.daemon
})
afterEach(async () => {
  await daemon.stop('the test is over')
  rmSync(base, { recursive: true, force: true })
})

async function run(...words: readonly string[]) {
  let stdout = ''
  let stderr = ''
  const exitCode = await runCli(words, {
    env: { HOLDFAST_HOME: join(base, 'home'), HOME: base },
    cwd,
    io: {
      out: (text) => {
        stdout += text
      },
      err: (text) => {
        stderr += text
      },
      stdin: process.stdin,
      isInteractive: false,
      hasColor: false,
    },
  })
  return { exitCode, stdout, stderr }
}

function write(text: string): void {
  writeFileSync(join(cwd, 'CHECKLIST.md'), text)
}

const list = () => readFileSync(join(cwd, 'CHECKLIST.md'), 'utf8')

test('parse --json prints id, section, text, status and line, and nothing else', async () => {
  write('# A\n\n- [ ] one\n1. ✅ two\n')
  const { exitCode, stdout } = await run('checklist', 'parse', 'CHECKLIST.md', '--json')
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toEqual([
    { id: expect.stringMatching(/^[0-9a-f]{10}$/), section: 'A', text: 'one', status: 'pending', line: 3 },
    { id: expect.stringMatching(/^[0-9a-f]{10}$/), section: 'A', text: 'two', status: 'verified', line: 4 },
  ])
})

test('an item is verified only by a command that ran and printed what was expected', async () => {
  write('- [x] one\n')
  expect(await run('checklist', 'mark', 'one', 'verified')).toMatchObject({ exitCode: 2 })
  expect(await run('checklist', 'mark', 'one', 'verified', '--run', 'echo 11', '--expect', '12')).toMatchObject({
    exitCode: 1,
  })
  expect(list()).toBe('- [x] one\n')
  expect(await run('checklist', 'mark', 'one', 'verified', '--run', 'echo 12', '--expect', '12')).toMatchObject({
    exitCode: 0,
  })
  expect(list()).toBe('- ✅ one\n')
})

test('a command that the list states runs only when somebody says so', async () => {
  write('- [x] one (verify: `touch ran`)\n')
  expect(await run('checklist', 'verify')).toMatchObject({ exitCode: 2 })
  expect(() => readFileSync(join(cwd, 'ran'))).toThrow('ENOENT')
  expect(await run('checklist', 'verify', '--yes')).toMatchObject({ exitCode: 0 })
  expect(readFileSync(join(cwd, 'ran'), 'utf8')).toBe('')
})

test('show says what could not be compared with code, here for want of the built parser', async () => {
  write('- [x] tokens in src/auth.ts\n- [ ] docs\n')
  writeFileSync(join(cwd, 'src/auth.ts'), 'export function verifyToken(token: string) { return true }\n')
  expect(JSON.parse((await run('checklist', '--json')).stdout)).toMatchObject({
    total: 2,
    counts: { pending: 1, done: 1 },
    discrepancies: [],
    notLookedAt: [{ because: 'src/auth.ts: The source parser did not start.' }, {}],
  })
})

test('a failed verification of a ticked item is a discrepancy', async () => {
  write('- [x] one\n')
  await run('checklist', 'mark', 'one', 'verified', '--run', 'exit 3')
  expect(JSON.parse((await run('checklist', 'show', '--json')).stdout)).toMatchObject({
    discrepancies: [{ reason: 'verification-failed', where: 'exit 3' }],
  })
  expect(await run('checklist', 'verify', '--yes')).toMatchObject({ exitCode: 1 })
})

const SECRET = ['ghp', 'q7R2x9K4m1Z8w3V6b5N0t2Y7u4P1s8D3f6Gh'].join('_')

test.each([
  ['had something redacted', `touch ran; test ${SECRET} != x`, 'was redacted when it was stored'],
  ['was cut', `touch ran; true ${'word '.repeat(600)}`, 'was cut when it was stored'],
])('verify does not run a stored command again that %s, and says what to do', async (_, command, why) => {
  write('- [x] one\n- [x] two\n')
  expect(await run('checklist', 'mark', 'one', 'verified', '--run', command)).toMatchObject({ exitCode: 0 })
  await run('checklist', 'mark', 'two', 'verified', '--run', 'touch other')
  rmSync(join(cwd, 'ran'))
  rmSync(join(cwd, 'other'))
  const { exitCode, stdout } = await run('checklist', 'verify', '--yes')
  expect(() => readFileSync(join(cwd, 'ran'))).toThrow('ENOENT')
  expect(readFileSync(join(cwd, 'other'), 'utf8')).toBe('')
  expect(exitCode).toBe(1)
  expect(stdout).toContain(`one  not run: its command ${why}`)
  expect(stdout).toMatch(/Give the command again: holdfast checklist mark [0-9a-f]{10} verified --run /)
  expect(stdout).not.toContain(SECRET)
  const told = JSON.parse((await run('checklist', 'verify', 'one', '--yes', '--json')).stdout)
  expect(told).toMatchObject({ results: [], notRun: [{ item: { text: 'one' }, reason: expect.stringContaining(why) }] })
  expect(() => readFileSync(join(cwd, 'ran'))).toThrow('ENOENT')
})

test('verify does not look for an expected text that was redacted when it was stored', async () => {
  write('- [x] one\n')
  await run('checklist', 'mark', 'one', 'verified', '--run', 'cat got', '--expect', SECRET)
  const { exitCode, stdout } = await run('checklist', 'verify', '--yes')
  expect(exitCode).toBe(1)
  expect(stdout).toContain('not run: its expected text was redacted when it was stored')
})

test('a checkpoint file of the repository is shown with its warnings, and its control characters are not', async () => {
  mkdirSync(join(cwd, 'memory/checkpoints'), { recursive: true })
  writeFileSync(
    join(cwd, 'memory/checkpoints/theirs.md'),
    '# Checkpoint: theirs\n**Task:** evil \u001b]0;title\u0007\n## Next Action\nedit src/gone.ts\n',
  )
  const { exitCode, stdout } = await run('checkpoint', 'resume', 'theirs')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('edited by hand or written elsewhere')
  expect(stdout).toContain('src/gone.ts does not exist')
  expect(stdout).not.toContain('\u001b')
  expect(JSON.parse((await run('checkpoint', 'list', '--json')).stdout)).toMatchObject([
    { name: 'theirs', isOurs: false },
  ])
})

test('a forbidden name is refused before anything is asked of the daemon', async () => {
  expect(await run('checkpoint', 'save', 'task', '--task', 'Build the page')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Try "build-the-page".'),
  })
  expect(await run('checkpoint', 'delete', 'autosave', '--yes')).toMatchObject({ exitCode: 1 })
})
