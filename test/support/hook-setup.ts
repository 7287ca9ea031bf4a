import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { type Home, resolveHome } from '../../src/platform/base/home.ts'
import { writeLauncherFile } from '../../src/platform/launcher-file.ts'
import { commandOf, type Ran, run, type Runner } from './hook-programs.ts'
import { tempDir } from './temp-dir.ts'

// Made here, so that no scanner takes this file for a leak.
export const SECRET = ['ghp', 'Ab3dEf7hIj1kLm5nOp9qRs2tUv6wXy0zAb3d'].join('_')
export const VALID_PAYLOAD = JSON.stringify({
  session_id: 's-1',
  hook_event_name: 'X',
  cwd: '/tmp',
  prompt: `grüße € 🙂 ${SECRET}`,
})

export interface HookSetup extends AsyncDisposable {
  readonly home: Home
  /** Requests as they came in. */
  readonly received: string[]
  spooled(): readonly { id: string; hook: string; payload: unknown; pid?: number }[]
  hook(runner: Runner, options?: { hook?: string; input?: string | Buffer; env?: NodeJS.ProcessEnv }): Promise<Ran>
}

/** A home for the hook programs in `programs`, with a daemon on TCP and socket that answers as told; with none when there is no `answer`. */
export async function openHookSetup(
  programs: string,
  answer?: (socket: Socket) => void,
  pid = process.pid,
): Promise<HookSetup> {
  const dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: join(dir.path, 'home') })
  mkdirSync(home.runDir, { recursive: true, mode: 0o700 })
  const received: string[] = []
  const sockets = new Set<Socket>()
  const servers: Server[] = []
  const listen = async (at: string | { host: string; port: number }) => {
    const server = createServer((socket) => {
      sockets.add(socket)
      let text = ''
      let isAnswered = false
      socket.on('error', () => undefined)
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
        const [head = '', body] = text.split(/\r\n\r\n(.*)/s)
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
        if (isAnswered || body === undefined || body.length < length) return
        isAnswered = true
        received.push(text)
        answer?.(socket)
      })
    }).listen(at)
    await once(server, 'listening')
    servers.push(server)
    return server.address()
  }
  if (answer !== undefined) {
    const address = await listen({ host: '127.0.0.1', port: 0 })
    await listen(home.socket)
    const port = typeof address === 'object' && address !== null ? address.port : 0
    writeLauncherFile(home, { port, hookToken: 'hook-token', pid, nodePath: process.execPath })
  }
  return {
    home,
    received,
    spooled() {
      if (!existsSync(home.spoolDir)) return []
      const files = readdirSync(home.spoolDir).filter((name) => name.endsWith('.json'))
      return files.toSorted().map((name) => JSON.parse(readFileSync(join(home.spoolDir, name), 'utf8')))
    },
    hook(runner, { hook = 'UserPromptSubmit', input = VALID_PAYLOAD, env = {} } = {}) {
      return run([...commandOf(runner, programs), 'claude-code', hook], {
        input,
        env: { PATH: process.env['PATH'], HOLDFAST_HOME: home.root, HOLDFAST_PID: String(process.pid), ...env },
      })
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      for (const server of servers) server.close()
      dir[Symbol.dispose]()
    },
  }
}
