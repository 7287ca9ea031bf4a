import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildHookPrograms, commandOf, isRunnable, RUNNERS, run } from '../../test/support/hook-programs.ts'
import { openHookSetup, SECRET, VALID_PAYLOAD } from '../../test/support/hook-setup.ts'
import { type TempDir, tempDir } from '../../test/support/temp-dir.ts'
import { resolveHome } from '../platform/base/home.ts'
import { findTargetProcess, writeLauncherFile } from '../platform/launcher-file.ts'
import { isAliveCheaply } from '../platform/process/proc-stat.ts'

const ANSWER = '{"hookSpecificOutput":{"hookEventName":"X","additionalContext":"hällo €\\n"}}'
/** Answers count however slow the machine is; deadlines are tested where nobody answers. */
const PATIENT = { HOLDFAST_HOOK_BUDGET_MS: '20000' }

const PATIENCE = { timeout: 20_000 }

const reply = (status: string, body: string, headers = '') =>
  `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const ANSWERS = {
  up: reply('200 OK', ANSWER),
  'up, in chunks': `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n`,
  'up, with plain text': reply('200 OK', 'remember: ä\nand so on'),
  'up, with nothing to say': reply('200 OK', ''),
  'up, with 204': 'HTTP/1.1 204 No Content\r\n\r\n',
  'up, with far too much to say': reply('200 OK', 'x'.repeat(500_000)),
  'refusing for good': reply('400 Bad Request', '{"error":{}}'),
  failing: reply('500 Internal Server Error', '{"error":{}}'),
  'not keeping it in time': reply('503 Service Unavailable', '{"error":{}}'),
  'not keeping it, with something to say': reply('503 Service Unavailable', ANSWER, 'holdfast-unkept: 1\r\n'),
  'not keeping it, in chunks': `HTTP/1.1 503 Service Unavailable\r\nholdfast-unkept: 1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n`,
  'not keeping it, with far too much to say': reply('503 X', 'x'.repeat(30_000), 'holdfast-unkept: 1\r\n'),
  'not knowing our token': reply('401 Unauthorized', '{"error":{}}'),
  'cut off in the head': 'HTTP/1.1 200 OK\r\nContent-Le',
  'cut off in the body': 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"half":',
  'speaking garbage': '\0\xff\xfe not http at all\r\n\r\n',
  'hanging up': '',
} as const
type State = keyof typeof ANSWERS

/** Told, and spooled. */
const TOLD: Partial<Record<State, string>> = {
  'not keeping it, with something to say': ANSWER,
  'not keeping it, in chunks': '{"a":1}',
}

const KEPT: Partial<Record<State, string>> = {
  up: ANSWER,
  'up, in chunks': '{"a":1}',
  'up, with plain text': 'remember: ä\nand so on',
  'up, with nothing to say': '',
  'up, with 204': '',
  'up, with far too much to say': '',
  'refusing for good': '',
}

/** Answers on TCP and on the given socket, and prints its port. */
const STOPPABLE = `
  const http = require('http')
  const answer = (request, response) => request.on('data', () => 0).on('end', () => response.end('awake'))
  const server = http.createServer(answer).listen(0, '127.0.0.1', () =>
    http.createServer(answer).listen(process.argv[1], () => console.log(server.address().port)))`

const CAN_MOUNT = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0

let built: TempDir
beforeAll(async () => {
  built = tempDir()
  await buildHookPrograms(built.path)
})
afterAll(() => built[Symbol.dispose]())

const world = (answer?: (socket: Socket) => void, pid?: number) => openHookSetup(built.path, answer, pid)

const silent = { exit: 0, stdout: '', stderr: '' }
const eventIdsIn = (requests: readonly string[]) => requests.map((text) => /holdfast-event-id: (\S+)/i.exec(text)?.[1])

/** A folder as npm puts it before everything else: each program in it leaves a mark that it ran. */
function projectPrograms(mark: string): TempDir {
  const dir = tempDir()
  for (const name of ['node', 'cat', 'head', 'curl', 'date', 'timeout', 'perl', 'sh', 'sleep'])
    chmodSync(dir.write(join('node_modules', '.bin', name), `#!/bin/sh\n: >'${mark}'\n`), 0o755)
  return dir
}

describe.each(RUNNERS.filter(isRunnable))('the hook by %s', (runner) => {
  test.each(Object.keys(ANSWERS).filter((key): key is State => key in ANSWERS))(
    'a daemon that is %s',
    async (state) => {
      await using at = await world((socket) => socket.end(ANSWERS[state]))
      const ran = await at.hook(runner, { env: PATIENT })
      const output = KEPT[state]
      expect(ran).toEqual({ ...silent, stdout: output ?? TOLD[state] ?? '' })
      const spooled = at.spooled()
      expect(spooled.length).toBe(output === undefined ? 1 : 0)
      // However often it was sent, it is one event.
      expect(new Set([...eventIdsIn(at.received), ...spooled.map(({ id }) => id)]).size).toBe(1)
    },
  )

  test.each([
    ['before it answers', ''],
    ['in the middle of its answer', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ])('a connection that is reset %s: spooled once, and nobody hears of it', async (_, begun) => {
    // Only TCP has resets.
    const reset = (socket: Socket) => (socket.remoteAddress === undefined ? socket.destroy() : socket.resetAndDestroy())
    await using at = await world((socket) => socket.write(begun, () => reset(socket)))
    expect(await at.hook(runner, { env: PATIENT })).toEqual(silent)
    expect(at.spooled().length).toBe(1)
  })

  test('the request carries the payload byte for byte, the pid, a deadline and who sends it', async () => {
    await using at = await world((socket) => socket.end(ANSWERS.up))
    await at.hook(runner, { env: PATIENT })
    const [request = ''] = at.received
    const [head = '', body = ''] = request.split(/\r\n\r\n(.*)/s)
    expect(Buffer.from(body, 'latin1').toString('utf8')).toBe(VALID_PAYLOAD)
    expect(head.split('\r\n')[0]).toBe('POST /hook/claude-code/UserPromptSubmit HTTP/1.1')
    expect(head.toLowerCase()).toContain(`content-length: ${Buffer.byteLength(VALID_PAYLOAD)}`)
    expect(head.toLowerCase()).toContain('content-type: application/json')
    expect(head).toMatch(new RegExp(`holdfast-pid: ${process.pid}`, 'i'))
    expect(head).toMatch(/holdfast-client: (?:launcher|hook)/i)
    expect(head).toMatch(/holdfast-deadline-ms: \d+/i)
    expect(existsSync(at.home.hookLog)).toBe(false)
  })

  test("the user's own curl settings have no say", async () => {
    using settings = tempDir()
    settings.write('.curlrc', 'write-out = "\\nstatus %{http_code}\\n"\n')
    await using at = await world((socket) => socket.end(ANSWERS.up))
    const env = { ...PATIENT, CURL_HOME: settings.path }
    expect(await at.hook(runner, { env })).toEqual({ ...silent, stdout: ANSWER })
  })

  test('an answer that never comes: spooled under the id that was sent, without its secrets, in time', async () => {
    await using at = await world(() => undefined)
    expect(await at.hook(runner)).toEqual(silent)
    const [entry] = at.spooled()
    // A stand-in asks only whether anybody is there.
    const told = at.received.filter((text) => text.startsWith('POST /hook/'))
    expect([...new Set(eventIdsIn(told))]).toEqual(told.length === 0 ? [] : [entry?.id])
    expect(entry).toMatchObject({ harness: 'claude-code', hook: 'UserPromptSubmit', pid: process.pid })
    expect(JSON.stringify(entry)).not.toContain(SECRET)
    expect(JSON.stringify(entry)).toContain('grüße € 🙂')
    expect(readFileSync(at.home.hookLog, 'utf8')).not.toContain('grüße')
  })

  test("what is spooled holds no value of the project's env file", async () => {
    using project = tempDir()
    project.write('.env', 'BILLING_PASSPHRASE=correct-horse-battery-42\n')
    await using at = await world()
    const input = JSON.stringify({ session_id: 's', cwd: project.path, prompt: 'use correct-horse-battery-42 there' })
    await at.hook(runner, { input })
    expect(at.spooled().map(({ payload }) => payload)).toEqual([
      { session_id: 's', cwd: project.path, prompt: expect.stringMatching(/^use \[REDACTED.*\] there$/) },
    ])
    // Broken JSON names no folder; the hook runs in it.
    const env = { PATH: process.env['PATH'], HOLDFAST_HOME: at.home.root }
    const command = [...commandOf(runner, built.path), 'claude-code', 'Stop']
    await run(command, { input: '{"prompt":"correct-horse-battery-42', env, cwd: project.path })
    const dead = readdirSync(at.home.deadSpoolDir).map((name) => readFileSync(join(at.home.deadSpoolDir, name), 'utf8'))
    expect(dead).toEqual([expect.stringContaining('[REDACTED')])
    expect(dead.join('')).not.toContain('correct-horse')
  })

  test('no daemon: spooled, and one is started', async () => {
    await using at = await world()
    for (const hook of ['SessionStart', 'UserPromptSubmit', 'SessionEnd']) {
      expect(await at.hook(runner, { hook })).toEqual(silent)
    }
    expect(at.spooled().map(({ hook }) => hook)).toEqual(['SessionStart', 'UserPromptSubmit', 'SessionEnd'])
    await expect.poll(() => existsSync(join(at.home.root, 'daemon-started')), { timeout: 10_000 }).toBe(true)
  })

  test('a daemon that is gone and left its address: nothing is sent to whoever has the port now', async () => {
    await using at = await world((socket) => socket.end(ANSWERS.up), 999_999_999)
    rmSync(at.home.socket)
    expect(await at.hook(runner)).toEqual(silent)
    expect([at.received, at.spooled().length]).toEqual([[], 1])
  })

  test('a launcher file of garbage leaves it to the Node client', async () => {
    await using at = await world((socket) => socket.end(ANSWERS.up))
    writeFileSync(at.home.launcherFile, 'holdfast 99\n\0\n$(touch /tmp/x)\n')
    expect(await at.hook(runner, { env: PATIENT })).toEqual({ ...silent, stdout: ANSWER })
  })

  test.each([
    ['nothing', ''],
    ['garbage', 'not json {{{'],
    ['zero bytes', Buffer.alloc(100)],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0xc3, 0x28])],
    ['half an object', '{"session_id":"x","prompt":"'],
  ])('%s on stdin and no daemon: no event, no word, no alarm', async (_what, input) => {
    await using at = await world()
    expect(await at.hook(runner, { input })).toEqual(silent)
    expect(at.spooled()).toEqual([])
  })

  test('70 KB still arrive whole; 10 MB are let go', async () => {
    await using at = await world((socket) => socket.end(ANSWERS.up))
    const large = JSON.stringify({ session_id: 's', prompt: 'ä'.repeat(35_000) })
    expect(await at.hook(runner, { input: large, env: PATIENT })).toEqual({ ...silent, stdout: ANSWER })
    expect(Buffer.from(at.received[0] ?? '', 'latin1').toString('utf8')).toContain(large)
    expect(await at.hook(runner, { input: Buffer.alloc(10_000_000, 'x'), env: PATIENT })).toEqual(silent)
    expect([at.received.length, at.spooled()]).toEqual([1, []])
  })

  test.each([
    ['120 KB', 120_000],
    ['60 KB', 60_000],
  ])('a file of %s as stdin arrives whole', async (_size, length) => {
    using dir = tempDir()
    const large = JSON.stringify({ session_id: 's', cwd: '/tmp', prompt: 'ä'.repeat(length / 2) })
    const file = dir.write('payload.json', large)
    await using at = await world((socket) => socket.end(ANSWERS.up))
    const env = { PATH: process.env['PATH'], HOLDFAST_HOME: at.home.root, ...PATIENT }
    const [program = '', script = ''] = commandOf(runner, built.path)
    const line = `'${program}' '${script}' claude-code UserPromptSubmit <'${file}'`
    expect(await run(['/bin/sh', '-c', line], { env, input: '' })).toEqual({ ...silent, stdout: ANSWER })
    // Equal and not only contained: a part that is sent twice would contain it too.
    const [, body = ''] = (at.received[0] ?? '').split(/\r\n\r\n(.*)/s)
    expect(Buffer.from(body, 'latin1').toString('utf8') === large).toBe(true)
  })

  // A hook that waits for the end of its input is ended by the runner, which then says a signal instead of an exit code.
  test.each([
    ['says nothing', ''],
    ['stops in the middle', '{"session_id":"s","prompt":"'],
    ['stops in the middle of a large payload', `{"session_id":"s","prompt":"${'x'.repeat(70_000)}`],
  ])('a sender that never closes its end and %s is not waited for', async (_what, beginning) => {
    await using at = await world()
    const env = { PATH: process.env['PATH'], HOLDFAST_HOME: at.home.root }
    const command = [...commandOf(runner, built.path), 'claude-code', 'Stop']
    expect(await run(command, { env, beginning })).toEqual(silent)
    expect(at.spooled()).toEqual([])
  })

  test.each([
    ['small', VALID_PAYLOAD],
    ['large', JSON.stringify({ session_id: 's', cwd: '/tmp', prompt: 'x'.repeat(70_000) })],
  ])('a sender that never closes its end and has sent a whole %s payload is heard', async (_what, beginning) => {
    await using at = await world()
    const env = { PATH: process.env['PATH'], HOLDFAST_HOME: at.home.root }
    const command = [...commandOf(runner, built.path), 'claude-code', 'Stop']
    expect(await run(command, { env, beginning })).toEqual(silent)
    expect(at.spooled().length).toBe(1)
  })

  test.skipIf(runner === 'node')('no program of the project is run, whatever the PATH says', async () => {
    await using at = await world()
    const mark = join(at.home.root, 'ran')
    using project = projectPrograms(mark)
    const PATH = `${join(project.path, 'node_modules', '.bin')}:relative/bin::${process.env['PATH']}`
    expect(await at.hook(runner, { env: { PATH } })).toEqual(silent)
    expect([existsSync(mark), at.spooled().length]).toEqual([false, 1])
    await using awake = await world((socket) => socket.end(ANSWERS.up))
    expect(await awake.hook(runner, { env: { ...PATIENT, PATH } })).toEqual({ ...silent, stdout: ANSWER })
    expect(existsSync(mark)).toBe(false)
  })

  test('a closed stdin, a closed stdout and a full disk behind stdout', async () => {
    await using at = await world((socket) => socket.end(ANSWERS.up))
    const env = { PATH: process.env['PATH'], HOLDFAST_HOME: at.home.root, ...PATIENT }
    const [program = '', script = ''] = commandOf(runner, built.path)
    const line = `'${program}' '${script}' claude-code Stop`
    for (const redirect of ['<&-', '>&- <<E\n{"a":1}\nE', '>/dev/full <<E\n{"a":1}\nE', '</dev/null']) {
      const ran = await run(['/bin/sh', '-c', `${line} ${redirect}\n`], { env, input: '' })
      expect({ redirect, ...ran }).toEqual({ redirect, ...silent })
    }
  })

  test.each([
    ['that cannot be made', { HOLDFAST_HOME: '/dev/null/home' }],
    ['on a file system without writing', { HOLDFAST_HOME: '/proc/holdfast' }],
    ['that nobody told', { HOLDFAST_HOME: undefined, HOME: undefined, HOLDFAST_DEBUG: '' }],
  ])('a home %s', async (_what, env) => {
    await using at = await world()
    // Without HOME the Node client asks the system for it; this one must not find the real one.
    const nowhere = env.HOLDFAST_HOME === undefined ? { HOME: '/dev/null' } : {}
    expect(await at.hook(runner, { env: { ...env, ...nowhere } })).toEqual(silent)
  })

  test('a spool that something is in the way of: the event is lost, and the log says so without its text', async () => {
    await using at = await world()
    writeFileSync(at.home.spoolDir, '')
    expect(await at.hook(runner)).toEqual(silent)
    const log = readFileSync(at.home.hookLog, 'utf8')
    expect(log).toContain('event lost')
    expect(log).not.toContain('grüße')
  })

  test('a stopped daemon: in time, spooled; and the next hooks do not run into it again', async () => {
    await using at = await world()
    const child = spawn(process.execPath, ['-e', STOPPABLE, at.home.socket], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const [line] = await once(child.stdout, 'data')
      const pid = child.pid ?? 0
      writeLauncherFile(at.home, { port: Number(line), hookToken: 't', pid, nodePath: process.execPath })
      child.kill('SIGSTOP')
      // Enough that starting on a busy machine leaves time to ask.
      const env = { HOLDFAST_HOOK_BUDGET_MS: '3000' }
      expect([await at.hook(runner, { env }), await at.hook(runner, { env })]).toEqual([silent, silent])
      const ids = () => new Set(at.spooled().map(({ id }) => id)).size
      expect(ids()).toBe(2)
      await expect.poll(() => findTargetProcess(at.home.lateFile), PATIENCE).toBeDefined()
      const standIn = findTargetProcess(at.home.lateFile)?.pid ?? 0
      // Taken by the stand-in or by the Node client; either way without asking the daemon, and without a secret on the disk.
      expect(await at.hook(runner)).toEqual(silent)
      expect(ids()).toBe(3)
      expect(JSON.stringify(at.spooled())).not.toContain(SECRET)
      child.kill('SIGCONT')
      await expect.poll(() => existsSync(at.home.lateFile), PATIENCE).toBe(false)
      expect(await at.hook(runner, { env: PATIENT })).toEqual({ ...silent, stdout: 'awake' })
      expect(ids()).toBe(3)
      await expect.poll(() => isAliveCheaply({ pid: standIn }), PATIENCE).toBe(false)
      expect(readdirSync(at.home.runDir).filter((name) => name.startsWith('daemon.l'))).toEqual([])
    } finally {
      child.kill('SIGKILL')
    }
  })

  test.skipIf(!CAN_MOUNT)('a full disk: no alarm, nothing half-written', async () => {
    await using at = await world()
    const [program = '', script = ''] = commandOf(runner, built.path)
    const fill =
      'mount -t tmpfs -o size=64k none "$HOLDFAST_HOME" && head -c 65536 /dev/zero >"$HOLDFAST_HOME/ballast" 2>/dev/null'
    const line = `${fill}; '${program}' '${script}' claude-code Stop; echo "exit $?"; find "$HOLDFAST_HOME" -name '*.json' -o -name '*.tmp'`
    const env = { PATH: process.env['PATH'], HOLDFAST_HOME: at.home.root }
    expect(await run(['unshare', '-rm', 'sh', '-c', line], { env, input: VALID_PAYLOAD })).toEqual({
      ...silent,
      stdout: 'exit 0\n',
    })
  })

  test('parts of the package missing', async () => {
    using dir = tempDir()
    await buildHookPrograms(dir.path)
    await using at = await world()
    const env = { PATH: process.env['PATH'], HOLDFAST_HOME: at.home.root }
    for (const part of [
      'daemon.js',
      'hook-fallback.cjs',
      ...(runner === 'node' ? [] : ['hook.cjs', 'launcher-fallback.sh']),
    ]) {
      rmSync(join(dir.path, part))
      expect(await run([...commandOf(runner, dir.path), 'claude-code', 'Stop'], { env, input: VALID_PAYLOAD })).toEqual(
        silent,
      )
    }
  })
})

describe.each(RUNNERS.filter(isRunnable))('%s', (runner) => {
  test('a relative HOLDFAST_HOME makes no home in any folder: the hook uses the user’s own', async () => {
    using dir = tempDir()
    const user = join(dir.path, 'user')
    mkdirSync(user)
    for (const name of ['one', 'two']) {
      const cwd = join(dir.path, name)
      mkdirSync(cwd)
      const env = {
        ...PATIENT,
        PATH: process.env.PATH,
        HOME: user,
        HOLDFAST_HOME: 'mine',
        HOLDFAST_NODE: process.execPath,
      }
      const ran = await run([...commandOf(runner, built.path), 'claude-code', 'Stop'], {
        cwd,
        env,
        input: VALID_PAYLOAD,
      })
      expect(ran).toEqual({ exit: 0, stdout: '', stderr: '' })
      expect(readdirSync(cwd)).toEqual([])
    }
    const { spoolDir } = resolveHome({ HOME: user })
    expect(readdirSync(spoolDir).filter((name) => name.endsWith('.json'))).toHaveLength(2)
  })
})
