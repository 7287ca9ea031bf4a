import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { resolveHome } from '../../platform/base/home.ts'
import { findHealth } from './daemon-access.ts'

test('a daemon that accepts the call but never answers is reported with its pid and how to end it', async () => {
  using dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: dir.path })
  mkdirSync(dirname(home.socket), { recursive: true, mode: 0o700 })
  const endpoint = { pid: 4242, startedAt: '2026-01-01T00:00:00.000Z', port: 1, socket: home.socket, version: '0.1.0' }
  writeFileSync(home.endpointFile, JSON.stringify({ ...endpoint, nonce: 'n' }))
  const server = createServer(() => undefined)
  await new Promise<void>((resolve) => server.listen(home.socket, resolve))
  try {
    await expect(findHealth(home)).rejects.toMatchObject({
      code: 'daemon-unavailable',
      message: 'The daemon (pid 4242) is running but does not answer.',
      hint: expect.stringContaining('`kill -9 4242` ends it'),
    })
  } finally {
    server.close()
  }
})

test('where nobody listens there is no daemon, whatever the last one left', async () => {
  using dir = tempDir()
  expect(await findHealth(resolveHome({ HOLDFAST_HOME: dir.path }))).toBeUndefined()
})
