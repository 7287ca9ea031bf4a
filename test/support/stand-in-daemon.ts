import { createServer, type Server } from 'node:http'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { resolveHome } from '../../src/platform/base/home.ts'

export interface Told {
  readonly hook: string
  readonly payload: unknown
  readonly pid: string | undefined
}

/** Receives the events of a plugin and answers each hook as configured. */
export class StandInDaemon implements AsyncDisposable {
  readonly told: Told[] = []
  readonly answers = new Map<string, string>()
  readonly #server: Server

  private constructor(readonly root: string) {
    this.#server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        const hook = decodeURIComponent(incoming.url?.split('/').at(-1) ?? '')
        const { 'holdfast-pid': pid } = incoming.headers
        const payload: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
        this.told.push({ hook, payload, pid: typeof pid === 'string' ? pid : undefined })
        outgoing.end(this.answers.get(hook) ?? '')
      })
    })
  }

  static async start(root: string): Promise<StandInDaemon> {
    const daemon = new StandInDaemon(root)
    const { socket } = resolveHome({ HOLDFAST_HOME: root })
    mkdirSync(dirname(socket), { recursive: true, mode: 0o700 })
    await new Promise<void>((resolve) => daemon.#server.listen(socket, resolve))
    return daemon
  }

  get hooks(): readonly string[] {
    return this.told.map(({ hook }) => hook)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    rmSync(resolveHome({ HOLDFAST_HOME: this.root }).socket, { force: true })
  }
}
