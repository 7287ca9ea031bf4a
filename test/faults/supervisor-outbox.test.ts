import { createHmac } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Product } from '../support/product.ts'

const root = join(import.meta.dirname, '..', '..')
const EVENTS = 30

function eventsOf(slug: string): readonly string[] {
  return Array.from({ length: EVENTS }, (_, n) =>
    JSON.stringify({
      specversion: '1.0',
      id: `${slug}-${n}`,
      type: 'session.complete',
      source: `urn:holdfast:task:${slug}`,
      subject: `session-${n}`,
      time: '2026-01-02T03:04:05.000Z',
      datacontenttype: 'application/json',
      data: { n },
    }),
  )
}

/** Takes events, and every so often fails, hangs or drops the connection: after it took one, too. */
class RoughReceiver implements AsyncDisposable {
  readonly taken: string[] = []
  readonly unsigned: string[] = []
  onTaken: (id: string) => void = () => undefined
  key = Buffer.alloc(0)
  #calls = 0
  readonly #server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      this.#calls += 1
      const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = request.headers
      const signed = createHmac('sha256', this.key)
        .update(`${String(id)}.${String(at)}.${body}`)
        .digest('base64')
      if (signature !== `v1,${signed}`) this.unsigned.push(String(id))
      if (this.#calls % 11 === 3) return void response.writeHead(503, { 'retry-after': '0' }).end()
      if (this.#calls % 11 === 6) return void response.destroy()
      this.taken.push(String(id))
      this.onTaken(String(id))
      // Taken, and the sender does not learn of it: it has to come again.
      if (this.#calls % 11 === 9) return void response.destroy()
      response.writeHead(204).end()
    })
  })

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return address.port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

function firstArrivals(taken: readonly string[], slug: string): readonly string[] {
  return [...new Set(taken.filter((id) => id.startsWith(`${slug}-`)))]
}

test('a sender that is killed again and again: every event arrives, each task in its order, every one signed', async () => {
  await using product = new Product()
  await using receiver = new RoughReceiver()
  const port = await receiver.listen()
  const project = await product.aProject('project')
  for (const slug of ['one', 'two']) {
    mkdirSync(join(project, 'tasks', slug, 'json'), { recursive: true })
    // The last line was cut short by a crash: it is not an event and does not stop delivery.
    writeFileSync(
      join(project, 'tasks', slug, 'json', 'events.ndjson'),
      `${eventsOf(slug).join('\n')}\n{"specversion":"1.`,
    )
  }
  const env = { ...product.env, HOLDFAST_OUTBOX_URL: `http://127.0.0.1:${port}/in?token=secret-of-the-user` }
  const status = await product.cli(['outbox', 'status'], { cwd: project, env })
  expect(status.code).toBe(0)
  expect(status.stdout).not.toContain('secret-of-the-user')
  const secret = readFileSync(join(product.home, 'outbox', 'secret'), 'utf8').trim()
  receiver.key = Buffer.from(secret.slice('whsec_'.length), 'base64')

  for (let kills = 0; kills < 8; kills += 1) {
    const child = spawn(process.execPath, [join(root, 'bin', 'holdfast'), 'outbox', 'deliver', '--for', '120'], {
      cwd: project,
      env,
      stdio: 'ignore',
    })
    const wanted = receiver.taken.length + 3
    receiver.onTaken = () => {
      if (receiver.taken.length >= wanted) child.kill('SIGKILL')
    }
    await once(child, 'exit')
  }
  receiver.onTaken = () => undefined
  const last = await product.cli(['outbox', 'deliver', '--for', '120', '--json'], { cwd: project, env })
  expect({ code: last.code, stderr: last.stderr }).toEqual({ code: 0, stderr: '' })
  for (const slug of ['one', 'two'])
    expect(firstArrivals(receiver.taken, slug)).toEqual(Array.from({ length: EVENTS }, (_, n) => `${slug}-${n}`))
  expect(receiver.unsigned).toEqual([])
  // The control: it was rough indeed, so that some came twice.
  expect(receiver.taken.length).toBeGreaterThan(2 * EVENTS)
  const after = await product.cli(['outbox', 'status', '--json'], { cwd: project, env })
  expect(JSON.parse(after.stdout)).toMatchObject({
    tasks: [
      { task: 'one', delivered: EVENTS, pending: [], unreadable: 1 },
      { task: 'two', delivered: EVENTS, pending: [], unreadable: 1 },
    ],
  })
  console.log(`outbox: ${receiver.taken.length} deliveries of ${2 * EVENTS} events over 8 kills`)
})
