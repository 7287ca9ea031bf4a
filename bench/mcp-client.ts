import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isObject } from '../src/kernel/json-shape.ts'

const ROOT = process.env['HOLDFAST_ROOT'] ?? process.cwd()

export interface Client {
  readonly child: ChildProcess
  ask(method: string, params: object): Promise<Record<string, unknown>>
  tell(method: string): void
}

/** As a harness starts it: a child of its own, its answers read line by line. */
export function startClient(env: NodeJS.ProcessEnv, cwd: string, root = ROOT): Client {
  const child = spawn(process.execPath, [join(root, 'bin', 'holdfast'), 'mcp'], {
    env,
    cwd,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting = new Map<unknown, (message: Record<string, unknown>) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message: unknown = JSON.parse(line)
    if (isObject(message)) waiting.get(message['id'])?.(message)
  })
  let lastId = 0
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  return {
    child,
    tell: (method) => void send({ method }),
    ask(method, params) {
      lastId += 1
      const id = lastId
      return new Promise((resolve) => {
        waiting.set(id, resolve)
        send({ id, method, params })
      })
    },
  }
}

export async function endClient({ child }: Client): Promise<void> {
  child.stdin?.end()
  if (child.exitCode === null) await once(child, 'exit')
}

export async function connect(client: Client): Promise<void> {
  await client.ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  client.tell('notifications/initialized')
}
