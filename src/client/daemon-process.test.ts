import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resolveHome } from '../platform/base/home.ts'
import { systemProcesses } from '../platform/process/processes.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import { ensureDaemon } from './daemon-process.ts'

/** Answers health where a daemon would, and notes that it was started. */
const LISTENING = `
  const fs = require('node:fs')
  fs.appendFileSync(process.env.HOLDFAST_HOME + '/pids', process.pid + '\\n')
  require('node:http').createServer((q, r) => r.end('{}')).listen(process.env.HOLDFAST_HOME + '/run/daemon.sock')`

function open(script: string) {
  const dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: join(dir.path, 'home') })
  const env = { PATH: process.env['PATH'], HOLDFAST_HOME: home.root }
  const pids = () => readFileSync(join(home.root, 'pids'), 'utf8').trim().split('\n').map(Number)
  return {
    options: { home, env, script: dir.write('daemon.js', script) },
    pids,
    [Symbol.dispose]: () => dir[Symbol.dispose](),
  }
}

test('a daemon that is away is started once, however many ask, and found by all', async () => {
  using at = open(LISTENING)
  await Promise.all(Array.from({ length: 20 }, () => ensureDaemon(at.options)))
  await ensureDaemon(at.options)
  const pids = at.pids()
  try {
    expect(pids.length).toBe(1)
    expect(pids.map((pid) => systemProcesses.isAlive({ pid }))).toEqual([true])
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGKILL')
  }
})

test('a daemon that dies at once is an error with the way to its log', async () => {
  using at = open('process.exit(1)')
  await expect(ensureDaemon({ ...at.options, timeoutMs: 500 })).rejects.toMatchObject({
    code: 'daemon-unavailable',
    hint: `\`holdfast doctor\` looks for the cause; its log is ${at.options.home.daemonLog}. If it hangs, \`holdfast daemon stop\` says how to end it.`,
  })
})

test('a home where nothing can be written is an error that names it', async () => {
  using at = open(LISTENING)
  const home = resolveHome({ HOLDFAST_HOME: '/dev/null/home' })
  await expect(ensureDaemon({ ...at.options, home })).rejects.toMatchObject({
    code: 'daemon-unavailable',
    message: expect.stringContaining('/dev/null/home'),
  })
})
