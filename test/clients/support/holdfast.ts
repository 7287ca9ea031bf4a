import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { z } from 'zod'
import type { StoredCheckpoint } from '../../../src/kernel/checkpoint.ts'
import type { EventKind, EventOf, SessionEvent } from '../../../src/kernel/event.ts'
import type { Session } from '../../../src/kernel/session.ts'
import { resolveHome } from '../../../src/platform/base/home.ts'
import { EndpointSchema } from '../../../src/wire/daemon.ts'
import { ROUTES } from '../../../src/api/route-table.ts'
import { isAlive, killHard, pidsNaming, waitUntil } from '../../support/product.ts'
import type { Workspace } from './workspace.ts'

const run = promisify(execFile)
export const holdfastProgram = join(import.meta.dirname, '..', '..', '..', 'bin', 'holdfast')

const ENDING_MS = 120_000

/** The built product in its own home, and its store as seen through the API. */
export class Holdfast implements AsyncDisposable {
  constructor(readonly workspace: Workspace) {}

  get environment(): Record<string, string> {
    // The content matters here, not the latency: bench/ measures that.
    return { HOLDFAST_HOME: join(this.workspace.dir, 'holdfast'), HOLDFAST_HOOK_BUDGET_MS: '20000' }
  }

  get #home() {
    return resolveHome(this.environment)
  }

  get dir(): string {
    return this.#home.root
  }

  async cli(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const env = { ...this.workspace.environment, ...this.environment, ...environment }
    const { stdout } = await run(process.execPath, [holdfastProgram, ...args], { cwd: this.workspace.project, env })
    return stdout
  }

  /** What a command printed, however it ended: `doctor` ends with 1 when something is wrong. */
  async cliWhatever(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
    try {
      return await this.cli(args, environment)
    } catch (error) {
      if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string') return error.stdout
      throw error
    }
  }

  /** As a person would: one command, the harness's own configuration folder named by the harness's own variable. */
  async connect(
    harness: string,
    environment: Readonly<Record<string, string>>,
    options: readonly string[] = [],
  ): Promise<void> {
    await this.cli(['init', '--harness', harness, '--yes', ...options], environment)
  }

  async daemonPid(): Promise<number> {
    await this.cli(['daemon', 'start'])
    return (await this.#endpoint()).pid
  }

  async sessions(): Promise<readonly Session[]> {
    return (await this.#get('/api/sessions?limit=500', ROUTES.listSessions.reply)).sessions
  }

  async session(key: string): Promise<Session> {
    return (await this.#get(`/api/sessions/${key}`, ROUTES.getSession.reply)).session
  }

  /** Several harnesses tell their end by a hook that nobody waits for. */
  async untilEnded(key: string): Promise<void> {
    const isOver = async () =>
      (await this.sessions()).some((session) => session.key === key && session.phase === 'ended')
    await waitUntil(isOver, 'the session has ended', ENDING_MS)
  }

  async events(key: string): Promise<readonly SessionEvent[]> {
    const { events } = await this.#get('/api/events?limit=1000', ROUTES.listEvents.reply)
    return events.map((stored) => stored.event).filter((event) => event.sessionKey === key)
  }

  async eventsOf<Kind extends EventKind>(key: string, kind: Kind): Promise<readonly EventOf<Kind>[]> {
    const isOfKind = (event: SessionEvent): event is EventOf<Kind> => event.kind === kind
    return (await this.events(key)).filter(isOfKind)
  }

  async checkpoints(key: string): Promise<readonly StoredCheckpoint['checkpoint'][]> {
    const { checkpoints } = await this.#get(`/api/checkpoints/${key}?limit=50`, ROUTES.listCheckpoints.reply)
    return checkpoints.map((stored) => stored.checkpoint)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const endpoint = await this.#endpoint().catch(() => undefined)
    try {
      if (endpoint !== undefined) await this.cli(['daemon', 'stop'])
    } finally {
      // A client's last hook may still be on its way, and start a new daemon; and a client that gives its MCP servers no
      // variables has one of the default home started. All is quiet when nobody of this workspace is left.
      for (let quiet = 0; quiet < 4; ) {
        const left = pidsNaming(`${this.workspace.dir}/`)
        quiet = left.length === 0 ? quiet + 1 : 0
        for (const pid of left) if (isAlive(pid)) killHard(pid)
        await sleep(50)
      }
    }
  }

  /** Asking a daemon that runs needs no command, which would take longer than all the rest. */
  async #wake(): Promise<void> {
    const endpoint = await this.#endpoint().catch(() => undefined)
    if (endpoint === undefined || !isAlive(endpoint.pid)) await this.cli(['daemon', 'start'])
  }

  async #endpoint(): Promise<z.infer<typeof EndpointSchema>> {
    return EndpointSchema.parse(JSON.parse(await readFile(this.#home.endpointFile, 'utf8')))
  }

  async #get<Reply extends z.ZodType>(path: string, reply: Reply): Promise<z.infer<Reply>> {
    await this.#wake()
    const { port } = await this.#endpoint()
    const token = (await readFile(this.#home.tokenFile, 'utf8')).trim()
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } })
    const text = await response.text()
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${text}`)
    return reply.parse(JSON.parse(text))
  }
}
