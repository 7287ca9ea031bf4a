import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { httpAgentApi, McpClient } from '../support/mcp-client.ts'
import { Product } from '../support/product.ts'

const REVISION = '2026-07-28'
const LIST = (command: string) => `# Release\n\n- [ ] ship it (verify: \`${command}\`)\n- [x] build it\n`

async function aHostileProject(settings?: Readonly<Record<string, unknown>>, env: NodeJS.ProcessEnv = {}) {
  const product = new Product(env)
  if (settings !== undefined) {
    mkdirSync(product.home, { mode: 0o700 })
    writeFileSync(join(product.home, 'config.json'), JSON.stringify(settings))
  }
  const project = await product.aProject('app')
  const ran = join(product.dir, 'ran')
  const command = `touch ${ran}`
  const file = join(project, 'CHECKLIST.md')
  writeFileSync(file, LIST(command))
  const connect = () =>
    McpClient.connect(product, { transport: 'stdio', revision: REVISION, cwd: project, sessionKey: 'one' })
  return { product, project, command, file, connect, hasRun: () => existsSync(ran) }
}

test('no status makes the tool run a command, and no project or environment turns it on', async () => {
  const env = { HOLDFAST_CHECKLIST_VERIFY_OVER_MCP: 'true' }
  const { product, project, command, file, connect, hasRun } = await aHostileProject(undefined, env)
  await using _product = product
  mkdirSync(join(project, '.holdfast'))
  writeFileSync(
    join(project, '.holdfast', 'config.json'),
    JSON.stringify({ checklist: { verifyOverMcp: [command, 'npm test'] } }),
  )
  await using mcp = await connect()

  const { tools } = await mcp.client.listTools()
  const listed = tools.find(({ name }) => name === 'mark_checklist_item')
  expect(listed?.annotations).toEqual({ destructiveHint: false, idempotentHint: true, openWorldHint: false })
  expect(JSON.stringify(listed?.inputSchema)).not.toContain('verify_command')

  // What the list states is never handed to the agent as something to run.
  const unproven = JSON.stringify(await mcp.refusal('mark_checklist_item', { item: 'ship it', status: 'verified' }))
  expect(unproven).not.toContain(command)
  expect(unproven).not.toContain('verify_command')

  for (const status of ['pending', 'in_progress', 'done', 'blocked', 'verified']) {
    const refused = await mcp.refusal('mark_checklist_item', { item: 'ship it', status, verify_command: command })
    expect(refused).toMatchObject({ code: status === 'verified' ? 'forbidden' : 'invalid-input' })
    if (status === 'verified')
      expect(refused).toMatchObject({
        error: expect.stringContaining('verify_command is off'),
        hint: expect.stringMatching(/holdfast checklist mark <item> verified --run.*verifyOverMcp/s),
      })
  }
  expect(hasRun()).toBe(false)
  expect(readFileSync(file, 'utf8')).toBe(LIST(command))

  // The way that the refusal names: the agent's own shell, where the harness's permissions hold.
  const shell = await product.cli(['checklist', 'mark', 'ship it', 'verified', '--run', 'echo fine'], { cwd: project })
  expect(shell).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).toContain('✅ ship it')
})

test('what the user wrote into their own configuration runs, and is announced as what it is', async () => {
  const allowed = 'echo 12 passed'
  const { product, command, connect, hasRun } = await aHostileProject({ checklist: { verifyOverMcp: [allowed] } })
  await using _product = product
  await using mcp = await connect()
  const { tools } = await mcp.client.listTools()
  const listed = tools.find(({ name }) => name === 'mark_checklist_item')
  expect(listed?.annotations).toEqual({ destructiveHint: true, openWorldHint: true })
  const verified = { item: 'ship it', status: 'verified' }
  for (const line of [command, `${allowed}; ${command}`, `${allowed}\n${command}`])
    expect(await mcp.refusal('mark_checklist_item', { ...verified, verify_command: line })).toMatchObject({
      code: 'forbidden',
    })
  expect(hasRun()).toBe(false)
  expect(await mcp.json('mark_checklist_item', { ...verified, verify_command: allowed })).toMatchObject({ ok: true })
})

test('a browser’s cookie and its page’s value open neither the tools nor what writes into a project', async () => {
  const settings = { checklist: { verifyOverMcp: [] as string[] } }
  const { product, project, command, hasRun } = await aHostileProject(settings)
  await using _product = product
  // As generous as a user can be: the very command is allowed.
  settings.checklist.verifyOverMcp.push(command)
  writeFileSync(join(product.home, 'config.json'), JSON.stringify(settings))
  const { url, token } = await httpAgentApi(product)
  const code = await fetch(new URL('/api/login-codes', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  const { url: link }: { url: string } = Object(await code.json())
  const login = await fetch(link, { redirect: 'manual' })
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const page = await (await fetch(new URL(login.headers.get('location') ?? '', url), { headers: { cookie } })).text()
  const value = /name="holdfast-page" content="([^"]+)"/.exec(page)?.[1]
  expect(value).toMatch(/^[\w-]{20,}$/)
  const headers = {
    cookie,
    'holdfast-page': value ?? '',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  // Control: the value is good, for what changes the store alone.
  const kept = await fetch(new URL('/api/memories', url), {
    method: 'POST',
    headers,
    body: JSON.stringify({ content: 'browsers may remember', cwd: project, source: 'api' }),
  })
  expect(kept.status).toBe(200)

  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'mark_checklist_item',
      arguments: { project, item: 'ship it', status: 'verified', verify_command: command },
    },
  }
  const mark = { cwd: project, item: 'ship it', status: 'verified' }
  const run = { command, ok: true, output: '', at: '2026-01-01T00:00:00.000Z', durationMs: 1 }
  const record = { itemId: 'i', section: '', text: 't', status: 'done', by: 'x', at: run.at, run }
  for (const [path, body] of [
    ['/mcp', call],
    ['/api/checklist/items', { ...mark, verification: { command } }],
    ['/api/checklist/items', mark],
    ['/api/checklist/records', { cwd: project, record }],
    ['/api/tasks', { cwd: project, slug: 'feat-x', title: 'x' }],
  ] as const) {
    const reply = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) })
    expect({ path, status: reply.status }).toEqual({ path, status: 403 })
  }
  // With the user's own token, no REST route takes a command either.
  const byToken = await fetch(new URL('/api/checklist/items', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...mark, verification: { command } }),
  })
  expect(byToken.status).toBe(400)
  expect(hasRun()).toBe(false)
})
