import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildHookPrograms, commandOf, isRunnable, RUNNERS, run } from '../../test/support/hook-programs.ts'
import { openHookSetup, VALID_PAYLOAD } from '../../test/support/hook-setup.ts'
import { type TempDir, tempDir } from '../../test/support/temp-dir.ts'
import { findTargetProcess, writeLateFile, writeLauncherFile } from '../platform/launcher-file.ts'
import { procStat } from '../platform/process/proc-stat.ts'

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const PATIENT = { HOLDFAST_HOOK_BUDGET_MS: '20000' }
const PATIENCE = { timeout: 20_000 }
const silent = { exit: 0, stdout: '', stderr: '' }

/** Listens with the shortest accept queue there is, and prints its port. */
const SHORT_QUEUE = `
  const server = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () =>
    console.log(server.address().port))`

let built: TempDir
beforeAll(async () => {
  built = tempDir()
  await buildHookPrograms(built.path)
})
afterAll(() => built[Symbol.dispose]())

const world = (answer?: (socket: Socket) => void) => openHookSetup(built.path, answer)

/** A process that listens and is then stopped; its port. */
async function spawnStopped() {
  const child: ChildProcess = spawn(process.execPath, ['-e', SHORT_QUEUE], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = child.stdout === null ? [] : await once(child.stdout, 'data')
  const pid = child.pid ?? 0
  child.kill('SIGSTOP')
  await expect.poll(() => procStat(pid)?.state, PATIENCE).toBe('T')
  return { pid, port: Number(line), [Symbol.dispose]: () => void child.kill('SIGKILL') }
}

/** Opens connections until the kernel takes no more for this port. */
async function fillQueue(port: number) {
  const sockets = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  await once(sockets[0] ?? connect(port), 'connect')
  return { [Symbol.dispose]: () => sockets.forEach((socket) => void socket.destroy()) }
}

describe.skipIf(process.platform !== 'linux').each(RUNNERS.filter(isRunnable))('the launcher by %s', (runner) => {
  test('does not wait for a stopped daemon whose accept queue is full', async () => {
    await using at = await world()
    using daemon = await spawnStopped()
    using _full = await fillQueue(daemon.port)
    writeLauncherFile(at.home, { port: daemon.port, hookToken: 't', pid: daemon.pid, nodePath: process.execPath })
    expect(await at.hook(runner)).toEqual(silent)
    expect(new Set(at.spooled().map(({ id }) => id)).size).toBe(1)
  })

  test('has a stopped stand-in replaced', async () => {
    await using at = await world(() => undefined)
    using stopped = await spawnStopped()
    const { port, pid } = stopped
    const socket = `${at.home.lateSocketPrefix}old`
    writeLateFile(at.home, { port, hookToken: 't', pid, nodePath: process.execPath, socket })
    // Enough that starting on a busy machine leaves time to ask.
    expect(await at.hook(runner, { env: { HOLDFAST_HOOK_BUDGET_MS: '3000' } })).toEqual(silent)
    expect(new Set(at.spooled().map(({ id }) => id)).size).toBe(1)
    await expect.poll(() => findTargetProcess(at.home.lateFile)?.pid ?? stopped.pid, PATIENCE).not.toBe(stopped.pid)
  })

  test('prints a whole reply although the daemon leaves the connection open', async () => {
    await using at = await world((socket) => socket.write(ANSWER))
    expect(await at.hook(runner, { env: { HOLDFAST_HOOK_BUDGET_MS: '3000' } })).toEqual({ ...silent, stdout: 'ok' })
    expect(at.spooled()).toEqual([])
  })

  test('waits for the rest of a reply that has begun', async () => {
    const [head, rest] = [ANSWER.slice(0, 20), ANSWER.slice(20)]
    await using at = await world((socket) => {
      socket.write(head)
      setTimeout(() => socket.end(rest), 300)
    })
    expect(await at.hook(runner, { env: PATIENT })).toEqual({ ...silent, stdout: 'ok' })
  })

  test('passes over a Node in the PATH that is too old for the client', async () => {
    await using at = await world()
    using old = tempDir()
    const node = join(old.path, 'node')
    writeFileSync(node, '#!/bin/sh\n[ "$1" = --version ] && echo v18.20.8\nexit 1\n', { mode: 0o755 })
    const PATH = `${old.path}:${dirname(process.execPath)}:${process.env['PATH']}`
    const broken = runner === 'node' ? {} : { NODE_OPTIONS: '--no-such-option' }
    const env = { PATH, HOLDFAST_NODE: '/gone/node', ...broken }
    expect(await at.hook(runner, { env })).toEqual(silent)
    expect(at.spooled().length).toBe(1)
  })

  test.skipIf(runner === 'node')(
    'passes over the recorded Node too, and leaves a note when no other is found',
    async () => {
      await using at = await world()
      using old = tempDir()
      const node = join(old.path, 'node')
      writeFileSync(node, '#!/bin/sh\n[ "$1" = --version ] && echo v20.18.3\nexit 0\n', { mode: 0o755 })
      const lost = { PATH: old.path, HOLDFAST_NODE: node }
      expect(await at.hook(runner, { env: lost })).toEqual(silent)
      expect(await at.hook(runner, { env: lost })).toEqual(silent)
      expect(at.spooled()).toEqual([])
      expect(readFileSync(at.home.noNodeFile, 'utf8')).toBe(`claude-code\n${node}\n`)
      const PATH = `${old.path}:${dirname(process.execPath)}:${process.env['PATH']}`
      expect(await at.hook(runner, { env: { ...lost, PATH } })).toEqual(silent)
      expect(at.spooled().length).toBe(1)
    },
  )

  test('logs each call where HOLDFAST_DEBUG asks for it, and not what was said', async () => {
    await using at = await world((socket) => socket.end(ANSWER))
    const readLog = () => (existsSync(at.home.hookLog) ? readFileSync(at.home.hookLog, 'utf8') : '')
    const line = `${commandOf(runner, built.path).join(' ')} claude-code UserPromptSubmit 2>/dev/null`
    const env = { PATH: process.env['PATH'], HOLDFAST_HOME: at.home.root, HOLDFAST_NODE: process.execPath, ...PATIENT }
    const call = (more = {}) => run(['/bin/sh', '-c', line], { env: { ...env, ...more }, input: VALID_PAYLOAD })
    expect(await call()).toEqual({ ...silent, stdout: 'ok' })
    expect(readLog()).not.toMatch(/answered|kept/)
    await call({ HOLDFAST_DEBUG: '1' })
    const lines = readLog()
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect(lines.filter(({ hook }) => hook === 'UserPromptSubmit').length).toBeGreaterThan(0)
    expect(readLog()).not.toContain('grüße')
  })

  test('reads a budget with a leading zero as none, and not as octal', async () => {
    await using at = await world()
    expect(await at.hook(runner, { env: { HOLDFAST_HOOK_BUDGET_MS: '0900' } })).toEqual(silent)
    expect(at.spooled().length).toBe(1)
  })

  test('waits for a sender that pauses within a payload', async () => {
    await using at = await world((socket) => socket.end(ANSWER))
    const [half, rest] = [VALID_PAYLOAD.slice(0, 20), VALID_PAYLOAD.slice(20)]
    const command = [...commandOf(runner, built.path), 'claude-code', 'UserPromptSubmit']
    // The pause is what is tested: longer than the second that bash reads for.
    const line = `{ printf %s "$HALF"; sleep 1.5; printf %s "$REST"; } | '${command.join("' '")}'`
    const env = { PATH: process.env['PATH'], HOLDFAST_HOME: at.home.root, HALF: half, REST: rest, ...PATIENT }
    expect(await run(['/bin/sh', '-c', line], { env, input: '' })).toEqual({ ...silent, stdout: 'ok' })
    const [, body = ''] = (at.received[0] ?? '').split(/\r\n\r\n(.*)/s)
    expect(Buffer.from(body, 'latin1').toString('utf8')).toBe(VALID_PAYLOAD)
  })
})
