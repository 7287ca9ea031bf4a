import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { HoldfastError } from '../../kernel/errors.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { createTasks } from '../use-cases/create-tasks.ts'
import { memorizeTask } from './task-memory.ts'
import { openTask } from '../files/open-task.ts'
import { createRestMemory, createRestMemoryFromEnv } from './rest-memory.ts'
import { readManifest, readMemoryIds } from '../files/task-files.ts'
import { createTaskSetup } from '../../../test/support/task-setup.ts'

type Answer = (request: IncomingMessage, body: string, response: ServerResponse) => void

/** A real server that behaves like a memory backend. */
async function startBackend(answer?: Answer) {
  const memories = new Map<string, { content: string; tags: string[] }>()
  const seen: string[] = []
  const keep: Answer = (request, body, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    const id = decodeURIComponent(path.slice('/api/memories/'.length))
    const say = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
    if (request.headers.authorization !== 'Bearer key') return say(401, { success: false })
    if (request.method === 'POST') {
      const made = `m${memories.size + 1}`
      memories.set(made, JSON.parse(body))
      return say(201, { success: true, data: { id: made } })
    }
    if (path.endsWith('/search')) {
      const found = [...memories].map(([known, memory]) => ({
        id: known,
        text: memory.content,
        tags: memory.tags,
        score: 0.9,
      }))
      return say(200, { memories: found })
    }
    const known = memories.get(id)
    if (known === undefined) return say(404, { success: false })
    if (request.method === 'PUT') memories.set(id, { ...known, ...JSON.parse(body) })
    say(200, { success: true, data: { id, ...memories.get(id) } })
  }
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      seen.push(`${request.method} ${request.url}`)
      ;(answer ?? keep)(request, body, response)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    memories,
    seen,
    url: `http://127.0.0.1:${port}/api/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('stores, updates, finds and searches over HTTP', async () => {
  await using backend = await startBackend()
  const memory = createRestMemory({ baseUrl: backend.url, apiKey: 'key', timeoutMs: 60_000 })
  const input = { content: 'first', importance: 7, tags: ['task_x'] }
  const { id } = await memory.store(input)
  expect(await memory.find(id)).toEqual({ id, content: 'first', tags: ['task_x'] })
  expect(await memory.update(id, { ...input, content: 'second' })).toEqual({ id })
  expect(await memory.search('x', 5)).toEqual([{ id, content: 'second', tags: ['task_x'], similarity: 0.9 }])
  expect(await memory.find('nobody/../m1')).toBeUndefined()
  expect(backend.seen).toEqual([
    'POST /api/memories',
    'GET /api/memories/m1',
    'PUT /api/memories/m1',
    'GET /api/memories/search?query=x&limit=5&domain=governance',
    'GET /api/memories/nobody%2F..%2Fm1',
  ])
})

test.each([
  ['refuses', 500, '{"success":false}'],
  ['says yes without an id', 200, '{"success":true,"data":{}}'],
  ['says no with an id', 200, '{"success":false,"data":{"id":"m1"}}'],
  ['talks nonsense', 200, '<html>'],
])('a backend that %s has stored nothing', async (_what, status, body) => {
  await using backend = await startBackend((_request, _body, response) => void response.writeHead(status).end(body))
  const memory = createRestMemory({ baseUrl: backend.url, timeoutMs: 60_000 })
  await expect(memory.store({ content: 'x', importance: 5, tags: [] })).rejects.toThrow(HoldfastError)
})

test('the environment configures the backend, and credentials in its URL are refused', () => {
  expect(createRestMemoryFromEnv({}, '')).toBeUndefined()
  expect(createRestMemoryFromEnv({ MEMORY_ADAPTER_BASE_URL: 'http://127.0.0.1:1/api/' }, '')?.name).toBe(
    'http://127.0.0.1:1/api',
  )
  expect(() => createRestMemoryFromEnv({ LOCAL_MEMORY_BASE_URL: 'http://a:b@127.0.0.1' }, '')).toThrow(
    'contains credentials',
  )
  expect(() => createRestMemoryFromEnv({ LOCAL_MEMORY_BASE_URL: 'file:///etc' }, '')).toThrow('http: or https:')
})

test('parity is what was read back, with the id of the backend', async () => {
  using dir = tempDir()
  await using backend = await startBackend()
  const at = { cwd: dir.path, slug: 'feat-x' }
  const rest = createRestMemory({ baseUrl: backend.url, apiKey: 'key', timeoutMs: 60_000 })
  const ports = createTaskSetup({ memoryBackends: () => [rest] })
  await createTasks(ports).create(at)
  const task = await openTask(ports, at)
  expect(await memorizeTask(ports, task, undefined)).toMatchObject({ id: 'm2', isVerified: true })
  expect(readMemoryIds(task.folder)).toEqual({ primary: 'm2' })
  expect(readManifest(task.folder)['memory']).toMatchObject({ memory_ids: ['m2'], parity_verified: true })

  // Again: the same one is updated.
  expect(await memorizeTask(ports, task, undefined)).toMatchObject({ id: 'm2', isVerified: true })
  expect(backend.memories.size).toBe(2)

  const away = createRestMemory({ baseUrl: 'http://127.0.0.1:1', timeoutMs: 60_000 })
  const alone = createTaskSetup({ memoryBackends: () => [away] })
  expect(await memorizeTask(alone, task, undefined)).toMatchObject({ id: null, isVerified: false })
  expect(readMemoryIds(task.folder)).toEqual({ primary: 'm2' })
  expect(readManifest(task.folder)['memory']).toMatchObject({ memory_ids: ['m2'], parity_verified: false })
})

test('a checkpoint is written even if its mirror fails, and the result says so', async () => {
  using dir = tempDir()
  const away = createRestMemory({ baseUrl: 'http://127.0.0.1:1', timeoutMs: 60_000 })
  const tasks = createTasks(createTaskSetup({ memoryBackends: () => [away] }))
  const at = { cwd: dir.path, slug: 'feat-x' }
  await tasks.create(at)
  const { mirrored } = await tasks.enterGate({ ...at, gate: 'G1', force: true, reason: 'not needed here' })
  expect(mirrored).toMatch(/^http:\/\/127\.0\.0\.1:1: The memory backend at .* did not answer/)
  expect((await tasks.verify(at)).findings).toEqual([])
})
