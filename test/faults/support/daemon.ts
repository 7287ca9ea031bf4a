import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { exchange, ExchangeError, type HttpReply } from '../../../src/client/http.ts'
import type { SessionEvent } from '../../../src/kernel/event.ts'
import { resolveHome } from '../../../src/platform/base/home.ts'
import { waitUntil } from '../../support/product.ts'

export const dist = join(import.meta.dirname, '..', '..', '..', 'dist')
const DAEMON = join(dist, 'daemon.js')
/** Only a daemon that never comes is as slow. */
export const PATIENCE_MS = 120_000

export interface Ask {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly deadlineMs?: number
}

/** One request over the Unix socket of a home. */
export function ask(home: string, { method, path, headers, body, deadlineMs }: Ask): Promise<HttpReply> {
  return exchange({
    socketPath: resolveHome({ HOLDFAST_HOME: home }).socket,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    path,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    deadlineMs: deadlineMs ?? PATIENCE_MS,
    maxReplyBytes: 64_000_000,
  })
}

/** The JSON of an answer that must be 200. */
export async function askJson<Reply>(home: string, request: Ask): Promise<Reply> {
  const { status, body } = await ask(home, request)
  if (status !== 200) throw new Error(`${request.path} answered ${status}: ${body.toString('utf8')}`)
  const reply: Reply = JSON.parse(body.toString('utf8'))
  return reply
}

export async function isUp(home: string): Promise<boolean> {
  try {
    return (await ask(home, { path: '/api/health', deadlineMs: 2_000 })).status === 200
  } catch (thrown) {
    if (thrown instanceof ExchangeError) return false
    throw thrown
  }
}

/** The seq of each event, once they are durable; undefined when the daemon did not say so. */
export async function record(home: string, events: readonly SessionEvent[]): Promise<readonly number[] | undefined> {
  try {
    const { status, body } = await ask(home, { path: '/api/events', body: { events } })
    if (status !== 200) return undefined
    const reply: { recorded: { seq: number }[] } = JSON.parse(body.toString('utf8'))
    return reply.recorded.map(({ seq }) => seq)
  } catch (thrown) {
    if (thrown instanceof ExchangeError) return undefined
    throw thrown
  }
}

/** The daemon's program run by the test itself, so that it is known when it is gone. */
export class Daemon {
  readonly #child: ChildProcess
  readonly #home: string
  readonly #closed: Promise<unknown>
  #said = ''

  constructor(env: NodeJS.ProcessEnv, script: string = DAEMON) {
    this.#home = env['HOLDFAST_HOME'] ?? ''
    this.#child = spawn(process.execPath, [script], { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#closed = once(this.#child, 'close')
    const hear = (chunk: Buffer) => {
      this.#said += chunk.toString('utf8')
    }
    this.#child.stdout?.on('data', hear)
    this.#child.stderr?.on('data', hear)
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the daemon has no process')
    return this.#child.pid
  }

  get isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** What it wrote to its terminal. */
  get said(): string {
    return this.#said
  }

  async ready(): Promise<this> {
    await waitUntil(
      async () => {
        if (!this.isOver) return isUp(this.#home)
        throw new Error(`the daemon ended before it was ready: ${await this.ended()} ${this.#said}`)
      },
      'the daemon answers',
      PATIENCE_MS,
    )
    return this
  }

  /** Its exit code, or the signal that ended it, once all that it said is heard. */
  async ended(): Promise<number | string> {
    await this.#closed
    return this.#child.exitCode ?? this.#child.signalCode ?? 'unknown'
  }

  async signal(name: NodeJS.Signals): Promise<number | string> {
    this.#child.kill(name)
    return this.ended()
  }

  kill(): Promise<number | string> {
    return this.signal('SIGKILL')
  }
}
