import { createHmac } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CloudEvent } from '../model/cloud-event.ts'
import { createRedactor } from '../../redaction/redactor.ts'
import { takeProcessLock } from '../../platform/process/process-lock.ts'
import { deliver, type DeliverInput, findPendingEvents } from './deliver.ts'
import { decodeSecret, encodeSecret } from './webhook.ts'

const key = Buffer.alloc(32, 7)

interface Received {
  readonly id: string
  readonly body: string
  readonly headers: IncomingMessage['headers']
}
type Answer = (response: ServerResponse, received: Received) => void

const ok: Answer = (response) => response.writeHead(204).end()

class Receiver implements AsyncDisposable {
  readonly received: Received[] = []
  readonly answers: Answer[] = []
  readonly #server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      const received = { id: String(request.headers['webhook-id']), body, headers: request.headers }
      this.received.push(received)
      ;(this.answers.shift() ?? ok)(response, received)
    })
  })

  async listen(): Promise<URL> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return new URL(`http://127.0.0.1:${address.port}/in`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

const anEvent = (id: string, data: Readonly<Record<string, unknown>> = {}): CloudEvent => ({
  specversion: '1.0',
  id,
  type: 'session.complete',
  source: 'urn:holdfast:task:a-task',
  subject: 'session-1',
  time: '2026-01-02T03:04:05.000Z',
  datacontenttype: 'application/json',
  data,
})

let dir = ''
let nowMs = 0
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-outbox-'))
  nowMs = Date.parse('2026-01-02T03:04:05.000Z')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Time passes only while something is waited for. */
function inputFor(url: URL, events: readonly CloudEvent[], given: Partial<DeliverInput> = {}): DeliverInput {
  return {
    events,
    url,
    key,
    stateFile: join(dir, 'state.json'),
    clock: { now: () => new Date(nowMs).toISOString(), monotonicMs: () => nowMs },
    processes: { isAlive: () => true, startedAt: () => '1' },
    redactor: createRedactor(),
    pid: 4_242,
    random: () => 1,
    patienceMs: 60_000,
    timeoutMs: 30_000,
    wait: async (ms) => {
      nowMs += ms
    },
    ...given,
  }
}

const idsOf = ({ received }: Receiver) => received.map(({ id }) => id)

describe('events reach the receiver', () => {
  test('once each, in order and signed', async () => {
    await using receiver = new Receiver()
    const url = await receiver.listen()
    const events = [anEvent('e1', { outcome: 'success' }), anEvent('e2')]
    expect(await deliver(inputFor(url, events))).toEqual({ delivered: 2, pending: 0, state: 'done' })
    expect(await deliver(inputFor(url, events))).toEqual({ delivered: 0, pending: 0, state: 'done' })
    expect(idsOf(receiver)).toEqual(['e1', 'e2'])
    const [first] = receiver.received
    const signed = `e1.${String(first?.headers['webhook-timestamp'])}.${first?.body ?? ''}`
    expect(first?.headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    expect(first?.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8')
    expect(JSON.parse(first?.body ?? '')).toEqual(events[0])
  })

  test('with retries until it takes them, in order', async () => {
    await using receiver = new Receiver()
    const url = await receiver.listen()
    receiver.answers.push(
      (response) => response.writeHead(500).end(),
      (response) => response.destroy(),
      (response) => response.writeHead(400).end(),
    )
    expect(await deliver(inputFor(url, [anEvent('e1'), anEvent('e2')]))).toEqual({
      delivered: 2,
      pending: 0,
      state: 'done',
    })
    expect(idsOf(receiver)).toEqual(['e1', 'e1', 'e1', 'e1', 'e2'])
  })

  test('after a receiver that hangs', async () => {
    await using receiver = new Receiver()
    const url = await receiver.listen()
    receiver.answers.push(() => undefined)
    const { state } = await deliver(inputFor(url, [anEvent('e1')], { timeoutMs: 1_000 }))
    expect(state).toBe('done')
    // More than two where the machine is so busy that a good answer comes too late as well.
    expect(idsOf(receiver).length).toBeGreaterThanOrEqual(2)
    expect(new Set(idsOf(receiver))).toEqual(new Set(['e1']))
  })

  test('later, from the first undelivered one, when the receiver is away for longer than the patience', async () => {
    const away = new Receiver()
    const url = await away.listen()
    await away[Symbol.asyncDispose]()
    const events = [anEvent('e1'), anEvent('e2')]
    const gaveUp = await deliver(inputFor(url, events, { patienceMs: 5_000 }))
    expect(gaveUp).toEqual({
      delivered: 0,
      pending: 2,
      state: 'waiting',
      lastFailure: 'ECONNREFUSED',
      nextTryAt: '2026-01-02T03:04:12.000Z',
    })
    await using receiver = new Receiver()
    const back = await receiver.listen()
    expect(await deliver(inputFor(back, events, { patienceMs: 0 }))).toMatchObject({ delivered: 0, state: 'waiting' })
    nowMs = Date.parse('2026-01-02T03:04:12.000Z')
    expect(await deliver(inputFor(back, events, { patienceMs: 0 }))).toEqual({
      delivered: 2,
      pending: 0,
      state: 'done',
    })
  })

  test('not before the time in Retry-After', async () => {
    await using receiver = new Receiver()
    const url = await receiver.listen()
    receiver.answers.push((response) => response.writeHead(429, { 'retry-after': '40' }).end())
    const waits: number[] = []
    const wait = async (ms: number) => {
      waits.push(ms)
      nowMs += ms
    }
    await deliver(inputFor(url, [anEvent('e1')], { wait }))
    expect(waits).toEqual([40_000])
  })

  test('within the hour, whatever Retry-After or the clock say', async () => {
    await using receiver = new Receiver()
    const url = await receiver.listen()
    receiver.answers.push((response) => response.writeHead(503, { 'retry-after': '999999' }).end())
    const waits: number[] = []
    const wait = async (ms: number) => void waits.push(ms)
    const events = [anEvent('e1')]
    const patient = { wait, patienceMs: 10_000_000 }
    const first = await deliver(inputFor(url, events, { patienceMs: 0 }))
    expect(first.nextTryAt).toBe('2026-01-02T04:04:05.000Z')
    // The clock is set back by a day meanwhile.
    nowMs -= 86_400_000
    await deliver(inputFor(url, events, patient))
    expect([waits, idsOf(receiver)]).toEqual([[3_600_000], ['e1', 'e1']])
  })

  test('each recorded durably before the next is sent, and the full state written once', async () => {
    await using receiver = new Receiver()
    const url = await receiver.listen()
    const seen: string[][] = []
    receiver.answers.push(
      ...Array.from(
        { length: 3 },
        (): Answer => (response) => {
          const noted = join(dir, 'state.json.sent')
          seen.push([...readdirSync(dir).toSorted(), existsSync(noted) ? readFileSync(noted, 'utf8') : ''])
          ok(response, receiver.received[0] ?? { id: '', body: '', headers: {} })
        },
      ),
    )
    await deliver(inputFor(url, [anEvent('e1'), anEvent('e2'), anEvent('e3')]))
    expect(seen).toEqual([
      ['state.json.lock', ''],
      ['state.json.lock', 'state.json.sent', '"e1"\n'],
      ['state.json.lock', 'state.json.sent', '"e1"\n"e2"\n'],
    ])
    expect(readdirSync(dir)).toEqual(['state.json'])
  })

  test('not again after a kill in the middle of a burst, except the one in flight', async () => {
    await using receiver = new Receiver()
    const url = await receiver.listen()
    const events = [anEvent('e1'), anEvent('e2'), anEvent('e3'), anEvent('e4')]
    const failed = { failures: 1, notBefore: '2026-01-02T04:00:00.000Z', lastFailure: 'ECONNREFUSED' }
    writeFileSync(join(dir, 'state.json'), JSON.stringify({ version: 1, delivered: ['e1'], ...failed }))
    writeFileSync(join(dir, 'state.json.sent'), '"e2"\n"e3')
    expect(findPendingEvents(events, join(dir, 'state.json')).pending.map(({ id }) => id)).toEqual(['e3', 'e4'])
    expect(await deliver(inputFor(url, events))).toEqual({ delivered: 2, pending: 0, state: 'done' })
    expect(idsOf(receiver)).toEqual(['e3', 'e4'])
    // Killed between writing the whole and taking the notes away: nothing that the whole says is undone.
    writeFileSync(join(dir, 'state.json'), JSON.stringify({ version: 1, delivered: ['e1', 'e2'], ...failed }))
    writeFileSync(join(dir, 'state.json.sent'), '"e2"\n')
    expect(findPendingEvents(events, join(dir, 'state.json'))).toMatchObject({ lastFailure: 'ECONNREFUSED' })
  })

  test('no more after an abort', async () => {
    await using receiver = new Receiver()
    const url = await receiver.listen()
    const isAborted = () => receiver.received.length > 0
    expect(await deliver(inputFor(url, [anEvent('e1'), anEvent('e2')], { isAborted }))).toEqual({
      delivered: 1,
      pending: 1,
      state: 'waiting',
    })
  })

  test('including those that a merge inserted between the others', async () => {
    await using receiver = new Receiver()
    const url = await receiver.listen()
    await deliver(inputFor(url, [anEvent('e1'), anEvent('e3')]))
    await deliver(inputFor(url, [anEvent('e1'), anEvent('e2'), anEvent('e3'), anEvent('e4')]))
    expect(idsOf(receiver)).toEqual(['e1', 'e3', 'e2', 'e4'])
  })
})

describe('safety', () => {
  test('a redirect is not followed', async () => {
    await using elsewhere = new Receiver()
    await using receiver = new Receiver()
    const target = await elsewhere.listen()
    const url = await receiver.listen()
    receiver.answers.push((response) => response.writeHead(307, { location: target.href }).end())
    const { lastFailure } = await deliver(inputFor(url, [anEvent('e1')], { patienceMs: 0 }))
    expect(lastFailure).toBe('redirected (307); redirects are not followed')
    expect(elsewhere.received).toEqual([])
  })

  test('secrets in an old line are redacted before sending', async () => {
    await using receiver = new Receiver()
    const url = await receiver.listen()
    const secret = 'correct-horse-battery-staple'
    const redactor = createRedactor({ extraValues: [secret] })
    await deliver(inputFor(url, [anEvent('e1', { next_session_hint: `use ${secret}` })], { redactor }))
    expect(receiver.received[0]?.body).not.toContain(secret)
    expect(receiver.received[0]?.body).toContain('next_session_hint')
  })

  test('the state has ids and times but no key', async () => {
    await using receiver = new Receiver()
    const url = await receiver.listen()
    await deliver(inputFor(url, [anEvent('e1')]))
    expect(JSON.parse(readFileSync(join(dir, 'state.json'), 'utf8'))).toEqual({
      version: 1,
      delivered: ['e1'],
      failures: 0,
    })
  })
})

test('while one process delivers, another reports busy; a dead one does not block', async () => {
  await using receiver = new Receiver()
  const url = await receiver.listen()
  const events = [anEvent('e1')]
  const path = join(dir, 'state.json.lock')
  const held = takeProcessLock(path, { pid: 1, processes: { isAlive: () => true, startedAt: () => '1' } })
  expect(held).toBeDefined()
  expect(await deliver(inputFor(url, events))).toEqual({ delivered: 0, pending: 1, state: 'busy' })
  const dead = { isAlive: () => false, startedAt: () => '1' }
  expect(await deliver(inputFor(url, events, { processes: dead }))).toMatchObject({ delivered: 1, state: 'done' })
  expect(findPendingEvents(events, join(dir, 'state.json'))).toEqual({ delivered: 1, pending: [] })
})

test('a secret is whsec_ and base64 of sufficient length', () => {
  expect(decodeSecret(encodeSecret(key))).toEqual(key)
  for (const bad of ['', 'whsec_', 'whsec_c2hvcnQ=', encodeSecret(key).slice(6), encodeSecret(Buffer.alloc(65))])
    expect(() => decodeSecret(bad)).toThrow(/must be whsec_/)
})
