import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { waitUntil } from '../../test/support/product.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { toEnvName } from '../platform/config-display.ts'
import { resolveHome } from '../platform/base/home.ts'
import { systemProcesses } from '../platform/process/processes.ts'
import { saveStartFailure } from '../platform/start-failure.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import { daemonEnv, harnessDaemonEnv, startDaemon } from './daemon-start.ts'
import { claimStart, passStampTo } from './daemon-start.ts'

function open() {
  const dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: join(dir.path, 'home') })
  mkdirSync(home.runDir, { recursive: true })
  return { home, [Symbol.dispose]: () => dir[Symbol.dispose]() }
}

test('of many at once only the first is to start the daemon', () => {
  using at = open()
  const claims = Array.from({ length: 50 }, () => claimStart(at.home, systemProcesses))
  expect(claims).toEqual([true, ...Array.from({ length: 49 }, () => false)])
})

test('the stamp holds as long as the daemon that was started, and no longer', () => {
  using at = open()
  claimStart(at.home, systemProcesses)
  passStampTo(at.home, process.pid, systemProcesses)
  expect(claimStart(at.home, systemProcesses)).toBe(false)
  const isDead = { ...systemProcesses, isAlive: () => false }
  expect(claimStart(at.home, isDead)).toBe(true)
})

test.each([
  ['of a process that is gone', '999999999\n\n', 0],
  ['of a process that only has the same pid', `${process.pid}\nother-boot:1\n`, 0],
  ['older than any start takes', `${process.pid}\n\n`, -60],
  // Seven of the ten seconds that a command waits for its daemon.
  ['older than a caller is patient', `${process.pid}\n\n`, -7],
  ['from the future', `${process.pid}\n\n`, 60],
  ['of garbage, and not just written', 'garbage', -5],
])('a stamp %s stops nobody', (_what, content, ageSeconds) => {
  using at = open()
  writeFileSync(at.home.startStampFile, content)
  const time = Date.now() / 1_000 + ageSeconds
  utimesSync(at.home.startStampFile, time, time)
  expect(claimStart(at.home, systemProcesses)).toBe(true)
  expect(readFileSync(at.home.startStampFile, 'utf8').split('\n')[0]).toBe(String(process.pid))
})

test('the daemon inherits no variables of the harness that started it', () => {
  const env = {
    HOME: '/h',
    PATH: '/bin',
    LC_ALL: 'C',
    HOLDFAST_HOME: '/x',
    PGPASSFILE: '/p',
    HOLDFAST_EVENT_ID: 'e',
    HOLDFAST_PID: '1',
    CLAUDE_PROJECT_DIR: '/project',
    ANTHROPIC_API_KEY: 'sk',
    NODE_OPTIONS: '--inspect',
    GIT_DIR: '/g',
  }
  expect(daemonEnv(env)).toEqual({ HOME: '/h', PATH: '/bin', LC_ALL: 'C', HOLDFAST_HOME: '/x' })
})

test('a daemon started from a supervised run belongs to no run, and knows nothing of its session', () => {
  const env = {
    PATH: '/bin',
    HOLDFAST_HOME: '/x',
    HOLDFAST_RUN_ID: 'run-2026-01-02-abc',
    HOLDFAST_TASK: 'a-task',
    HOLDFAST_SESSION_ID: 's',
    HOLDFAST_OPENING_FILE: '/o',
  }
  expect(daemonEnv(env)).toEqual({ PATH: '/bin', HOLDFAST_HOME: '/x', HOLDFAST_RUN_ID: '' })
})

const USER_SETTINGS = ['store.url', 'store.person', 'outbox.url', 'safety.probe', 'tasks.memoryUrl'].map(toEnvName)
const ENV_FILES = toEnvName('redaction.envFiles')

test.each(['true', '1', 'YES', 'on'])('a harness may turn the redaction of env files on with %s', (value) => {
  expect(harnessDaemonEnv({ [ENV_FILES]: value })).toEqual({ [ENV_FILES]: value })
})

test.each(['false', '0', 'no', 'OFF', ''])(
  'a harness may not turn the redaction of env files off with "%s"',
  (value) => {
    expect(harnessDaemonEnv({ HOME: '/h', [ENV_FILES]: value })).toEqual({ HOME: '/h' })
  },
)

test.each([
  { who: 'a harness', isHarnessEnv: true },
  { who: 'the user', isHarnessEnv: false },
])('what a daemon started from the environment of $who knows of the store', async ({ isHarnessEnv }) => {
  using at = open()
  const seen = join(at.home.root, 'seen.json')
  const script = join(at.home.root, 'daemon.mjs')
  const names = [...USER_SETTINGS, ENV_FILES]
  writeFileSync(
    script,
    `import { renameSync, writeFileSync } from 'node:fs'
    const seen = ${JSON.stringify(seen)}
    writeFileSync(seen + '.new', JSON.stringify(Object.keys(process.env)))
    renameSync(seen + '.new', seen)`,
  )
  // What pg reads besides the address of the store. A project can set them for a harness, and direnv for a shell.
  const libpq = ['PGHOST', 'PGHOSTADDR', 'PGPORT', 'PGUSER', 'PGPASSWORD', 'PGPASSFILE', 'PGSSLMODE', 'PGOPTIONS']
  const settings = Object.fromEntries([...names, ...libpq].map((name) => [name, 'planted-value']))
  const env = { ...settings, PATH: process.env.PATH, HOLDFAST_HOME: at.home.root }
  expect(startDaemon({ home: at.home, env, script, isHarnessEnv })).toBe(true)
  await waitUntil(() => existsSync(seen), 'the daemon has started')
  const known: unknown = JSON.parse(readFileSync(seen, 'utf8'))
  const log = readFileSync(at.home.daemonLog, 'utf8')
  expect(known).toContain('HOLDFAST_HOME')
  expect(log).not.toContain('planted-value')
  for (const name of libpq) expect(known).not.toContain(name)
  const lines = log.split('\n').filter((line) => line !== '')
  const ignoredPg = { level: 'info', variables: libpq }
  if (isHarnessEnv) {
    for (const name of names) expect(known).not.toContain(name)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'warn', variables: names }, ignoredPg])
  } else {
    expect(known).toEqual(expect.arrayContaining(names))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([ignoredPg])
  }
})

/** Seconds before now. */
function setBack(file: string, ageSeconds: number): void {
  const time = Date.now() / 1_000 - ageSeconds
  utimesSync(file, time, time)
}

describe('after a daemon refused to start', () => {
  const refusals = [
    ['store-not-yours', true],
    ['store-too-new', true],
    ['settings-unreadable', true],
    ['store-unavailable', false],
    ['internal', false],
  ] as const

  /** Once `file` is newer than `other`: two files that are written in one tick of the kernel have one time. */
  async function writeAfter(write: () => void, file: string, other: string): Promise<void> {
    await waitUntil(() => {
      write()
      return statSync(file).ctimeMs > statSync(other).ctimeMs
    }, `${file} is newer`)
  }

  async function refused(code: (typeof refusals)[number][0]) {
    const at = open()
    const starts = join(at.home.root, 'starts')
    const script = join(at.home.root, 'daemon.mjs')
    writeFileSync(script, `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(starts)}, 'x')`)
    const fail = () => saveStartFailure(at.home, new HoldfastError(code, 'No.'), { pid: 1 })
    await writeAfter(fail, at.home.startFailureFile, script)
    const ask = (isHarnessEnv: boolean) =>
      startDaemon({ home: at.home, env: { PATH: process.env.PATH, HOLDFAST_HOME: at.home.root }, script, isHarnessEnv })
    return { at, ask, [Symbol.dispose]: () => at[Symbol.dispose]() }
  }

  test.each(refusals)('for %s, a hook starts none for a minute: %s', async (code, isHeldBack) => {
    using world = await refused(code)
    expect(world.ask(true)).toBe(!isHeldBack)
  })

  test('a command of a person starts one all the same', async () => {
    using world = await refused('store-not-yours')
    expect(world.ask(false)).toBe(true)
  })

  test.each(['configFile', 'personFile'] as const)('a changed %s has a hook try again', async (file) => {
    using world = await refused('store-not-yours')
    expect(world.ask(true)).toBe(false)
    const changed = world.at.home[file]
    await writeAfter(() => writeFileSync(changed, '{}'), changed, world.at.home.startFailureFile)
    expect(world.ask(true)).toBe(true)
  })

  test('a configuration that was removed has a hook try again', async () => {
    using world = await refused('settings-unreadable')
    const { root, configFile, startFailureFile } = world.at.home
    await writeAfter(
      () => {
        writeFileSync(configFile, '')
        rmSync(configFile)
      },
      root,
      startFailureFile,
    )
    expect(world.ask(true)).toBe(true)
  })

  test('a minute later a hook tries again', async () => {
    using world = await refused('store-not-yours')
    const { startFailureFile } = world.at.home
    expect(world.ask(true)).toBe(false)
    setBack(startFailureFile, 61)
    expect(world.ask(true)).toBe(true)
  })
})
