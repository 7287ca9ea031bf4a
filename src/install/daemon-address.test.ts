import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resolveHome } from '../platform/base/home.ts'
import { ensureHookToken, findFreePort, findHookToken, findRunningPort } from './daemon-address.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-address-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))
const home = () => resolveHome({ HOLDFAST_HOME: join(root, 'home') })

test('a token is made once, for its owner alone, and leaves nothing beside it', () => {
  expect(findHookToken(home())).toBeUndefined()
  const made = ensureHookToken(home())
  expect(made).toMatch(/^[\w-]{43}$/)
  expect(ensureHookToken(home())).toBe(made)
  expect(findHookToken(home())).toBe(made)
  expect(readdirSync(home().root)).toEqual(['hook-token'])
  if (process.platform !== 'win32') expect(statSync(home().hookTokenFile).mode & 0o777).toBe(0o600)
})

test('a file that holds no token of ours is neither used nor overwritten', () => {
  mkdirSync(home().root, { mode: 0o700 })
  writeFileSync(home().hookTokenFile, 'something else')
  expect(() => ensureHookToken(home())).toThrow(expect.objectContaining({ code: 'forbidden' }))
})

test('the port of a daemon is known only from a whole endpoint file', () => {
  expect(findRunningPort(home())).toBeUndefined()
  mkdirSync(dirname(home().endpointFile), { recursive: true })
  writeFileSync(home().endpointFile, '{"pid":1')
  expect(findRunningPort(home())).toBeUndefined()
  const endpoint = { pid: 1, startedAt: 'x', port: 4_242, socket: 's', version: '1', nonce: 'n' }
  writeFileSync(home().endpointFile, JSON.stringify(endpoint))
  expect(findRunningPort(home())).toBe(4_242)
})

test('a free port can be listened on, and lies below those for outgoing connections', async () => {
  const port = await findFreePort()
  expect(port).toBeGreaterThanOrEqual(20_000)
  expect(port).toBeLessThan(30_000)
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
})
