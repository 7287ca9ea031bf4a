import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { homeOf } from '../platform/home.ts'
import { systemProcesses } from '../platform/processes.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import { daemonEnv } from './daemon-start.ts'
import { claimStart, passStampTo } from './start-stamp.ts'

function open() {
  const dir = tempDir()
  const home = homeOf({ HOLDFAST_HOME: join(dir.path, 'home') })
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

test('the daemon is told nothing of the harness that happened to start it', () => {
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
  expect(daemonEnv(env)).toEqual({ HOME: '/h', PATH: '/bin', LC_ALL: 'C', HOLDFAST_HOME: '/x', PGPASSFILE: '/p' })
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
