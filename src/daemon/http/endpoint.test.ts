import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findEndpoint } from './endpoint.ts'
import { startDaemon } from '../start.ts'
import {
  daemonOptions,
  fakeClock,
  memoryLog,
  requestBytes,
  sendRaw,
  temporaryHome,
} from '../../../test/support/daemon-setup.ts'

test('an address that cannot be written stops no daemon, and is written once it can be', async () => {
  await using place = temporaryHome()
  const { home } = place
  mkdirSync(join(home.endpointFile, 'in the way'), { recursive: true, mode: 0o700 })
  const clock = fakeClock()
  const log = memoryLog()
  const result = await startDaemon(daemonOptions(home, { clock, log }))
  if (result.kind !== 'started') throw new Error('Another daemon runs.')
  const { daemon } = result
  const health = requestBytes({ target: '/api/health', headers: [['Host', 'localhost']] })
  expect((await sendRaw({ path: home.socket }, health)).status).toBe(200)
  const isTold = () => log.lines.filter((line) => line.includes('address not written')).length
  clock.advance(5_000)
  await daemon.tick()
  expect([isTold(), existsSync(home.launcherFile)]).toEqual([1, false])
  rmSync(home.endpointFile, { recursive: true })
  clock.advance(5_000)
  await daemon.tick()
  expect([isTold(), findEndpoint(home), existsSync(home.launcherFile)]).toEqual([1, daemon.endpoint, true])
  await daemon.stop('the test is over')
})
