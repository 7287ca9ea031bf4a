import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { renderOpeningRequest } from '../../src/mcp/pipe/daemon-link.ts'
import { ClaudeSession } from '../support/claude-session.ts'
import { httpAgentApi, McpClient } from '../support/mcp-client.ts'
import { PATIENT, Product, waitUntil } from '../support/product.ts'

const bin = join(import.meta.dirname, '..', '..', 'bin', 'holdfast')
const initialize = {
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const call = (id: number, name: string, args: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

/** Everything that is written at once, and everything that comes back before the end. */
async function pipe(product: Product, lines: readonly (string | object)[], lastLineEnd = '\n') {
  const input = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n') + lastLineEnd
  const ran = await product.run(process.execPath, [bin, 'mcp'], { input })
  const answers: unknown[] = ran.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  return { ...ran, byId: new Map(answers.map((answer) => [Object(answer).id, answer])), answers }
}

describe('the pipe', () => {
  test('starts the daemon, answers everything that was asked before stdin ended, and ends well', async () => {
    await using product = new Product()
    const lines = [
      initialize,
      '',
      'no json',
      { jsonrpc: '2.0', id: 2, method: 'ping' },
      { jsonrpc: '2.0', id: 3, method: 'x/y' },
    ]
    const ran = await pipe(product, [...lines, call(4, 'list_projects', {})], '')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.byId.get('init')).toMatchObject({ result: { protocolVersion: '2025-06-18' } })
    expect(ran.byId.get(2)).toMatchObject({ result: {} })
    expect(ran.byId.get(3)).toMatchObject({ error: { code: -32601 } })
    expect(ran.byId.get(4)).toMatchObject({ result: { content: [{ type: 'text' }] } })
    expect(ran.byId.get(null)).toMatchObject({ error: { code: -32700 } })
    expect(ran.answers).toHaveLength(5)
  })

  test('a batch is refused with a reason, since no revision served here has them', async () => {
    await using product = new Product()
    const { answers } = await pipe(product, ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]'])
    expect(answers).toMatchObject([{ id: null, error: { code: -32600 } }])
  })

  test('a daemon that is killed is replaced, and the client goes on without noticing', async () => {
    await using product = new Product()
    await using mcp = await McpClient.connect(product, {
      transport: 'stdio',
      revision: '2025-11-25',
      cwd: product.dir,
    })
    const before = await mcp.json('remember', { content: 'Said before the end of the first daemon' })
    await product.killDaemon()
    expect((await mcp.client.listTools()).tools.length).toBeGreaterThan(20)
    expect(await mcp.json('recall', { query: 'first daemon' })).toMatchObject({
      count: 1,
      memories: [{ id: Object(before).id }],
    })
  })

  test('the same in the newer revision, and when the daemon stops in good order', async () => {
    await using product = new Product()
    await using mcp = await McpClient.connect(product, {
      transport: 'stdio',
      revision: '2026-07-28',
      cwd: product.dir,
    })
    await mcp.json('remember', { content: 'Kept by the one that stopped' })
    await product.json(['daemon', 'stop'])
    // Stopped on purpose: it is started again by the next question, not by the pipe that was left open.
    expect((await product.cli(['daemon', 'status', '--json'])).stdout).toContain('"isRunning": false')
    expect(await mcp.json('recall', { query: 'stopped' })).toMatchObject({ count: 1 })
  })

  test('a daemon that does not speak this is named as the reason, to the client and to the person', async () => {
    await using product = new Product()
    mkdirSync(join(product.home, 'run'), { recursive: true, mode: 0o700 })
    const old = createServer((_, response) => response.writeHead(404).end('{}'))
    old.listen(join(product.home, 'run', 'daemon.sock'))
    await once(old, 'listening')
    const ran = await pipe(product, [initialize])
    old.close()
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('another version')
    expect(ran.byId.get('init')).toMatchObject({ error: { message: expect.stringContaining('holdfast daemon stop') } })
  })

  test('a tool call that was under way when the daemon died is handed back, not done twice', async () => {
    await using product = new Product()
    mkdirSync(join(product.home, 'run'), { recursive: true, mode: 0o700 })
    // Takes the call and dies: what a daemon does that is killed in the middle.
    const dying = createServer()
    dying.on('upgrade', (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
      socket.once('data', () => {
        dying.close()
        socket.destroy()
      })
    })
    dying.listen(join(product.home, 'run', 'daemon.sock'))
    await once(dying, 'listening')
    const child = spawn(process.execPath, [bin, 'mcp'], { env: product.env, cwd: product.dir })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async () => JSON.parse((await lines.next()).value ?? '{}')
    child.stdin.write(`${JSON.stringify(call(1, 'remember', { content: 'Only once' }))}\n`)
    expect(await next()).toMatchObject({ id: 1, result: { isError: true } })
    child.stdin.write(`${JSON.stringify(call(2, 'recall', {}))}\n`)
    const { id, result } = await next()
    expect(id).toBe(2)
    expect(JSON.parse(result.content[0].text)).toMatchObject({ count: 0 })
    child.stdin.end()
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
  })

  test('what the agent saves here is injected after a compaction', async () => {
    // The content matters here, not the latency.
    await using product = new Product(PATIENT)
    await product.connect()
    const project = await product.aProject('app')
    const session = new ClaudeSession(product, project, { pid: product.anAgent() })
    await session.start()
    await session.prompt('Make the parser keep blank lines.')
    await using mcp = await McpClient.connect(product, {
      transport: 'stdio',
      revision: '2026-07-28',
      cwd: project,
      sessionKey: session.id,
    })
    const digest = { summary: 'The splitter is rewritten', next_action: 'run npm test -- splitter' }
    expect(await mcp.json('session_digest', digest)).toMatchObject({ session_id: session.id })
    const told = [await session.compact(), await session.prompt('Go on.')]
    expect(told.join('\n')).toContain('run npm test -- splitter')
  })
})

describe('the way in over HTTP', () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

  test('is behind the same checks as every other route', async () => {
    await using product = new Product()
    const { url, token } = await httpAgentApi(product)
    const post = async (headers: Record<string, string>, text = body) =>
      (await fetch(url, { method: 'POST', headers: { ...json, ...headers }, body: text })).status
    const bearer = { authorization: `Bearer ${token}` }
    expect(await post(bearer)).toBe(200)
    expect(await post({})).toBe(401)
    expect(await post({ authorization: `Bearer ${'x'.repeat(43)}` })).toBe(401)
    expect(await post({ ...bearer, origin: 'https://example.com' })).toBe(403)
    expect(await post({ ...bearer, 'content-type': 'text/plain' })).toBe(415)
    expect(await post(bearer, '{"no json')).toBe(400)
    expect((await fetch(url, { headers: { ...bearer, accept: 'text/event-stream' } })).status).toBe(405)
  })

  test('opens no pipe on TCP: a pipe has no token to show', async () => {
    await using product = new Product()
    const { url } = await httpAgentApi(product)
    const socket = connect({ host: '127.0.0.1', port: Number(url.port) })
    socket.write(renderOpeningRequest({}, '/').replace('Host: localhost', `Host: 127.0.0.1:${url.port}`))
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 404/)
    socket.destroy()
  })

  test('a pipe on the socket needs a Host of ours, and comes from no web page', async () => {
    await using product = new Product()
    await httpAgentApi(product)
    const first = async (request: string) => {
      const socket = connect(join(product.home, 'run', 'daemon.sock'))
      socket.write(request)
      const [answer] = await once(socket, 'data')
      socket.destroy()
      return String(answer).split('\r\n')[0]
    }
    const opening = renderOpeningRequest({}, '/')
    expect(await first(opening)).toMatch(/ 101 /)
    expect(await first(opening.replace('localhost', 'example.com'))).toMatch(/ 403 /)
    expect(await first(opening.replace('\r\n\r\n', '\r\nOrigin: https://example.com\r\n\r\n'))).toMatch(/ 403 /)
    expect(await first(opening.replace('/mcp/stdio', '/api/health'))).toMatch(/ 404 /)
  })
})

test('an open pipe ends with the daemon that stops, and does not hold it up', async () => {
  await using product = new Product()
  await httpAgentApi(product)
  const pid = product.daemonPid()
  const socket = connect(join(product.home, 'run', 'daemon.sock'))
  socket.write(renderOpeningRequest({}, '/'))
  await once(socket, 'data')
  const closed = once(socket, 'close')
  socket.resume()
  await product.json(['daemon', 'stop'])
  await closed
  await waitUntil(() => product.daemonPid() !== pid, 'the daemon is gone')
})
