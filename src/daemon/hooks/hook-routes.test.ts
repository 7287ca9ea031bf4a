import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Injection } from '../../kernel/injection.ts'
import { SessionId } from '../../kernel/id.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { createSpool } from '../../spool/spool.ts'
import type { Home } from '../../platform/base/home.ts'
import { systemClock } from '../../platform/base/clock.ts'
import { HEADER } from '../../wire/headers.ts'
import { type RunningDaemon, startDaemon } from '../start.ts'
import {
  daemonOptions,
  FAKE_SECRET,
  fakeBackend,
  type FakeContinuityApp,
  fakeContinuityApp,
  type MemoryLog,
  memoryLog,
  requestBytes,
  sendRaw,
  temporaryHome,
} from '../../../test/support/daemon-setup.ts'
import type { App } from '../wiring/app.ts'
const never = () => new Promise<never>(() => undefined)

const injection: Injection = {
  sessionId: SessionId('claude-code/s1'),
  at: '2026-01-01T00:00:00.000Z',
  kind: 'recovery',
  epoch: 1,
  chars: 5,
  textHash: 'h',
  sources: [],
  reasons: [],
}

interface Door extends AsyncDisposable {
  readonly home: Home
  readonly daemon: RunningDaemon
  readonly log: MemoryLog
  readonly confirmed: readonly Injection[]
  readonly engine: FakeContinuityApp
  call(
    hook: string,
    payload: unknown,
    headers?: Readonly<Record<string, string>>,
    harness?: string,
  ): Promise<{ status: number; head: string; body: string }>
}

async function openAgentApi(
  overrides: Parameters<typeof fakeContinuityApp>[0] = {},
  store: Partial<App['store']> = {},
): Promise<Door> {
  const place = temporaryHome()
  const { home } = place
  const log = memoryLog()
  const confirmed: Injection[] = []
  const engine = fakeContinuityApp({ confirmInjection: async (given) => void confirmed.push(given), ...overrides })
  const result = await startDaemon(
    daemonOptions(home, {
      log,
      clock: systemClock,
      openApp: async () => fakeBackend(engine, store),
      shutdownLimitMs: 500,
    }),
  )
  if (result.kind !== 'started') throw new Error('Another daemon runs.')
  const { daemon } = result
  return {
    home,
    daemon,
    log,
    confirmed,
    engine,
    call(hook, payload, headers = { [HEADER.client]: 'test' }, harness = 'claude-code') {
      const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
      const all: [string, string][] = [
        ['Host', 'localhost'],
        ['Content-Type', 'application/json'],
        ...Object.entries(headers),
      ]
      return sendRaw(
        { path: home.socket },
        requestBytes({ method: 'POST', target: `/hook/${harness}/${hook}`, headers: all, body }),
      )
    },
    async [Symbol.asyncDispose]() {
      await daemon.stop('the test is over')
      await place[Symbol.asyncDispose]()
    },
  }
}

const prompt = (text = 'hello', session = 's1') => ({
  session_id: session,
  hook_event_name: 'UserPromptSubmit',
  transcript_path: '/t.jsonl',
  cwd: '/project',
  prompt: text,
})
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
async function until(isTrue: () => boolean): Promise<void> {
  for (let round = 0; round < 6_000 && !isTrue(); round += 1) await pause(10)
  expect(isTrue()).toBe(true)
}

test('a payload becomes an event with the receipt that the hook stamped', async () => {
  await using door = await openAgentApi()
  const stamped = {
    [HEADER.client]: 'launcher',
    [HEADER.eventId]: 'event-0123456789',
    [HEADER.receivedAt]: '2026-02-03T04:05:06.000Z',
    [HEADER.pid]: String(process.pid),
  }
  expect(await door.call('UserPromptSubmit', prompt(), stamped)).toMatchObject({ status: 200, body: '' })
  expect(door.engine.recorded).toMatchObject([
    {
      kind: 'prompt-submitted',
      prompt: 'hello',
      sessionKey: 's1',
      at: '2026-02-03T04:05:06.000Z',
      door: 'hook',
      process: { pid: process.pid },
    },
  ])
})

test('what is injected is printed, and confirmed once it has left', async () => {
  await using door = await openAgentApi({ inject: async () => ({ text: 'where you were', injection }) })
  const reply = await door.call('UserPromptSubmit', prompt())
  expect(reply.body).toContain('where you were')
  await until(() => door.confirmed.length > 0)
  expect(door.confirmed).toEqual([injection])
})

test('a harness that calls by itself gets JSON, also when there is nothing to say', async () => {
  await using door = await openAgentApi()
  const reply = await door.call('UserPromptSubmit', prompt(), {})
  expect(reply.head).toMatch(/^content-type: application\/json$/im)
  expect(JSON.parse(reply.body)).toBeTypeOf('object')
})

test('an injection that was chosen too late is not sent and stays owed', async () => {
  await using door = await openAgentApi({
    inject: async () => {
      await pause(120)
      return { text: 'late', injection }
    },
  })
  const reply = await door.call('UserPromptSubmit', prompt(), { [HEADER.client]: 'test', [HEADER.deadlineMs]: '40' })
  expect(reply).toMatchObject({ status: 200, body: '' })
  await pause(150)
  expect([door.engine.recorded.length, door.confirmed]).toEqual([1, []])
})

test('an injection whose caller went away stays owed', async () => {
  let isAsked = false
  let letGo = () => {}
  const isGone = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await using door = await openAgentApi({
    inject: async () => {
      isAsked = true
      await isGone
      return { text: 'nobody reads this', injection }
    },
  })
  const body = JSON.stringify(prompt())
  const headers: [string, string][] = [
    ['Host', 'localhost'],
    ['Content-Type', 'application/json'],
    [HEADER.client, 'test'],
  ]
  const socket = connect(door.home.socket)
  socket.write(requestBytes({ method: 'POST', target: '/hook/claude-code/UserPromptSubmit', headers, body }))
  await until(() => isAsked)
  socket.destroy()
  // The daemon hears of it a turn of the loop later.
  await pause(60)
  letGo()
  await pause(120)
  expect([door.engine.recorded.length, door.confirmed]).toEqual([1, []])
})

/** Where closing with unread bytes does not reset the connection, the daemon cannot detect it. */
const cannotKnow = process.platform !== 'linux'

test.skipIf(cannotKnow)('an injection that its caller left unread stays owed', async () => {
  await using door = await openAgentApi({ inject: async () => ({ text: 'nobody reads this', injection }) })
  const body = JSON.stringify(prompt())
  const headers: [string, string][] = [
    ['Host', 'localhost'],
    ['Content-Type', 'application/json'],
    [HEADER.client, 'test'],
  ]
  const socket = connect(door.home.socket).pause()
  socket.write(requestBytes({ method: 'POST', target: '/hook/claude-code/UserPromptSubmit', headers, body }))
  await until(() => door.engine.recorded.length > 0)
  // Long enough for the answer to be there; nobody takes it.
  await pause(200)
  socket.destroy()
  await pause(120)
  expect([door.engine.recorded.length, door.confirmed]).toEqual([1, []])
})

test.skipIf(cannotKnow)('an injection that left late and was read all the same is on the ledger', async () => {
  await using door = await openAgentApi({
    async inject() {
      // In time, but the loop is held up before anything can be sent.
      queueMicrotask(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200))
      return { text: 'where you were', injection }
    },
  })
  const reply = await door.call('UserPromptSubmit', prompt(), { [HEADER.client]: 'test', [HEADER.deadlineMs]: '1000' })
  expect(reply.body).toContain('where you were')
  await until(() => door.confirmed.length > 0)
  expect(door.confirmed).toEqual([injection])
})

test('broken JSON is logged without its content, and the hook gets a quiet answer', async () => {
  await using door = await openAgentApi()
  expect(await door.call('UserPromptSubmit', '{"prompt":"my secret plan"')).toMatchObject({ status: 200, body: '' })
  expect(await door.call('UserPromptSubmit', '[]')).toMatchObject({ status: 200, body: '' })
  expect(door.engine.recorded).toEqual([])
  expect(door.log.lines.some((line) => line.includes('not JSON'))).toBe(true)
  expect(door.log.lines.join('\n')).not.toContain('secret plan')
})

test('an unknown harness is refused by name', async () => {
  await using door = await openAgentApi()
  const headers: [string, string][] = [
    ['Host', 'localhost'],
    ['Content-Type', 'application/json'],
  ]
  const reply = await sendRaw(
    { path: door.home.socket },
    requestBytes({ method: 'POST', target: '/hook/nobody/X', headers, body: '{}' }),
  )
  expect([reply.status, JSON.parse(reply.body).error.code]).toEqual([400, 'invalid-input'])
})

test('an event that was not kept in time is spooled by the daemon, once and without secrets, so that no client has to', async () => {
  await using door = await openAgentApi({ record: never })
  const headers = { [HEADER.deadlineMs]: '30', [HEADER.client]: 'launcher', [HEADER.eventId]: 'late-event' }
  expect((await door.call('UserPromptSubmit', prompt(FAKE_SECRET), headers)).status).toBe(200)
  const spooled = readdirSync(door.home.spoolDir).map((name) => readFileSync(join(door.home.spoolDir, name), 'utf8'))
  expect(spooled).toEqual([expect.stringContaining('"id":"late-event"')])
  expect(spooled[0]).not.toContain(FAKE_SECRET)
})

test('our client gets an error when an event was neither recorded in time nor spooled; a harness does not', async () => {
  await using door = await openAgentApi({ record: never })
  rmSync(door.home.spoolDir, { recursive: true })
  writeFileSync(door.home.spoolDir, '')
  const soon = { [HEADER.deadlineMs]: '30' }
  const { status } = await door.call('UserPromptSubmit', prompt(), { ...soon, [HEADER.client]: 'hook' })
  expect([status, (await door.call('UserPromptSubmit', prompt(), soon)).status]).toEqual([503, 200])
})

test('a session that starts gets a recovery although its start cannot be recorded, and the hook spools it', async () => {
  await using door = await openAgentApi({
    record: () => Promise.reject(new HoldfastError('store-unavailable', 'database or disk is full')),
    recoverUnrecorded: async ({ kind, cwd }) => `${kind} in ${cwd}: where you were, ${FAKE_SECRET}`,
  })
  const start = { session_id: 's1', hook_event_name: 'SessionStart', cwd: '/project', source: 'startup' }
  const told = await door.call('SessionStart', start)
  expect([told.status, /^holdfast-unkept: 1$/im.test(told.head)]).toEqual([503, true])
  expect(told.body).toContain('session-started in /project: where you were')
  expect(told.body).not.toContain(FAKE_SECRET)
  const harness = await door.call('SessionStart', start, {})
  expect([harness.status, harness.body]).toEqual([200, told.body])
  expect(createSpool({ home: door.home, log: door.log }).backlog()).toBe(1)
  // Nothing is put on the ledger for an epoch that is not kept: it stays owed.
  expect(door.confirmed).toEqual([])
})

test('where nothing can be read either, our client gets the plain refusal', async () => {
  const away = () => Promise.reject(new HoldfastError('store-unavailable', 'away'))
  await using door = await openAgentApi({ record: away, recoverUnrecorded: away })
  const start = { session_id: 's1', hook_event_name: 'SessionStart', cwd: '/project', source: 'startup' }
  const reply = await door.call('SessionStart', start)
  expect([reply.status, JSON.parse(reply.body).error.code]).toEqual([503, 'store-unavailable'])
  expect(reply.head).not.toMatch(/unkept/i)
})

test('a store that refuses makes the daemon spool for a harness that cannot, without secrets, and replay it later', async () => {
  let isAway = true
  const kept: string[] = []
  await using door = await openAgentApi({
    record: async (event) => {
      if (isAway) throw new HoldfastError('store-unavailable', 'away')
      kept.push(event.kind === 'prompt-submitted' ? event.prompt : event.kind)
      return fakeContinuityApp().record(event)
    },
  })
  expect((await door.call('UserPromptSubmit', prompt(`use ${FAKE_SECRET}`), {})).status).toBe(200)
  expect(createSpool({ home: door.home, log: door.log }).backlog()).toBe(1)
  isAway = false
  await door.call('UserPromptSubmit', prompt('after'))
  expect(kept).toHaveLength(2)
  expect(kept[0]).not.toContain(FAKE_SECRET)
  expect(kept[1]).toBe('after')
  expect(createSpool({ home: door.home, log: door.log }).backlog()).toBe(0)
})

test("what the daemon spools holds no value of the project's env file", async () => {
  const away = new HoldfastError('store-unavailable', 'away')
  await using door = await openAgentApi({ record: () => Promise.reject(away) })
  const cwd = join(door.home.root, 'project')
  mkdirSync(cwd)
  writeFileSync(join(cwd, '.env'), 'BILLING_PASSPHRASE=correct-horse-battery-42\n')
  await door.call('UserPromptSubmit', { ...prompt('use correct-horse-battery-42 there'), cwd }, {})
  const texts = readdirSync(door.home.spoolDir).map((name) => readFileSync(join(door.home.spoolDir, name), 'utf8'))
  expect(texts).toEqual([expect.stringContaining('"prompt":"use [REDACTED')])
})

test('live events wait behind what was spooled, in the order of arrival', async () => {
  await using door = await openAgentApi()
  const spool = createSpool({ home: door.home, log: door.log })
  for (let n = 0; n < 20; n += 1) {
    spool.put({
      id: `spooled-${n}`,
      at: '2026-01-01T00:00:00.000Z',
      harness: 'claude-code',
      hook: 'UserPromptSubmit',
      payload: prompt(`spooled ${n}`),
    })
  }
  await door.call('UserPromptSubmit', prompt('live'))
  const prompts = door.engine.recorded.map((event) => (event.kind === 'prompt-submitted' ? event.prompt : event.kind))
  expect(prompts).toEqual([...Array.from({ length: 20 }, (_, n) => `spooled ${n}`), 'live'])
  expect(door.engine.recorded.map(({ door: by }) => by)).toEqual([...Array.from({ length: 20 }, () => 'spool'), 'hook'])
})

test('every hook is a sighting, also one that tells no event', async () => {
  const seen: string[] = []
  await using door = await openAgentApi(
    {},
    { recordSighting: async ({ harness, hook }) => void seen.push(`${harness} ${hook}`) },
  )
  await door.call('UserPromptSubmit', prompt())
  await door.call('Notification', { session_id: 's1', hook_event_name: 'Notification' })
  await until(() => seen.length >= 2)
  expect(seen).toEqual(['claude-code UserPromptSubmit', 'claude-code Notification'])
})

const command = {
  session_id: 's1',
  turn_id: 't1',
  transcript_path: '/t.jsonl',
  tool_name: 'Bash',
  tool_input: { command: 'npm test' },
  tool_response: '2 failed',
  tool_use_id: 'call-1',
}

test('where a harness’s transcript knows more, it is read before the event is kept, and its trouble keeps nothing back', async () => {
  const order: string[] = []
  const engine = fakeContinuityApp()
  await using door = await openAgentApi({
    readTranscript: async ({ kind }) => {
      order.push(`read for ${kind}`)
      throw new Error('the disk hums')
    },
    record: async (event) => {
      order.push(`kept ${event.kind}`)
      return engine.record(event)
    },
  })
  expect((await door.call('PostToolUse', command, undefined, 'codex')).status).toBe(200)
  expect(order).toEqual(['read for tool-finished', 'kept tool-finished'])
  await door.call('PostToolUse', { ...command, tool_name: 'apply_patch' }, undefined, 'codex')
  await door.call('PostToolUse', { ...command, tool_use_id: 'call-2' })
  expect(order.slice(2)).toEqual(['kept tool-finished', 'kept tool-finished'])
})

test('a transcript that takes for ever does not keep an event from being kept in time', async () => {
  await using door = await openAgentApi({ readTranscript: never })
  const reply = await door.call(
    'PostToolUse',
    command,
    { [HEADER.client]: 'test', [HEADER.deadlineMs]: '2000' },
    'codex',
  )
  expect([reply.status, door.engine.recorded.map(({ kind }) => kind)]).toEqual([200, ['tool-finished']])
})

test('a page’s event is spooled, and not passed over, while what says how to read it cannot be read', async () => {
  await using door = await openAgentApi()
  mkdirSync(dirname(door.home.manifestFile), { recursive: true })
  writeFileSync(door.home.manifestFile, '{ broken')
  const told = { chat: { id: 'c1' }, text: 'two' }
  const reply = await door.call('typist.prompt-submitted.Ask', told, { [HEADER.client]: 'launcher' }, 'generic')
  expect([reply.status, JSON.parse(reply.body).error.code]).toEqual([503, 'store-unavailable'])
  expect((await door.call('UserPromptSubmit', prompt(), { [HEADER.client]: 'launcher' })).status).toBe(200)
})
