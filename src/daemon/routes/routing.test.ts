import { expect, test } from 'vitest'
import type { ContinuityApp } from '../../app/create-continuity.ts'
import { startDaemon } from '../start.ts'
import {
  daemonOptions,
  fakeBackend,
  fakeContinuityApp,
  requestBytes,
  sendRaw,
  temporaryHome,
} from '../../../test/support/daemon-setup.ts'

async function daemonWithQueries() {
  const place = temporaryHome()
  const queries: Parameters<ContinuityApp['listCheckpoints']>[0][] = []
  const engine = fakeContinuityApp({
    listCheckpoints: async (query) => {
      queries.push(query)
      return []
    },
  })
  const result = await startDaemon(daemonOptions(place.home, { openApp: async () => fakeBackend(engine) }))
  if (result.kind !== 'started') throw new Error('Another daemon runs.')
  return {
    queries,
    ask: (target: string, method = 'GET') =>
      sendRaw(
        { path: place.home.socket },
        requestBytes({
          target,
          method,
          headers: [
            ['Host', 'localhost'],
            ['Content-Type', 'application/json'],
          ],
        }),
      ),
    async [Symbol.asyncDispose]() {
      await result.daemon.stop('the test is over')
      await place[Symbol.asyncDispose]()
    },
  }
}

test('a parameter is decoded once, and one that cannot be decoded stays as it came', async () => {
  await using daemon = await daemonWithQueries()
  for (const key of ['a%2Fb%20c', '%252F', '%zz', '%E6%97%A5', 'a+b'])
    expect((await daemon.ask(`/api/checkpoints/${key}`)).status).toBe(200)
  expect(daemon.queries.map((query) => query?.sessionKey)).toEqual(['a/b c', '%2F', '%zz', '日', 'a+b'])
})

test('of a repeated name in the query the first value counts', async () => {
  await using daemon = await daemonWithQueries()
  await daemon.ask('/api/checkpoints?limit=3&limit=9&project=%2Fa+b')
  expect(daemon.queries).toMatchObject([{ limit: 3 }])
})

test.each(['/api/checkpoints/', '/api//checkpoints', '/api/../api/checkpoints', '/api/checkpoints/a/b', '/nowhere'])(
  'the path %s leads nowhere',
  async (target) => {
    await using daemon = await daemonWithQueries()
    expect((await daemon.ask(target)).status).toBe(404)
    expect(daemon.queries).toEqual([])
  },
)

test('a method that the route does not have is refused, HEAD is GET without a body, and a page may have any path', async () => {
  await using daemon = await daemonWithQueries()
  expect((await daemon.ask('/api/health', 'DELETE')).status).toBe(404)
  expect(await daemon.ask('/api/health', 'HEAD')).toMatchObject({ status: 200, body: '' })
  for (const target of ['/ui', '/ui/sessions/x/y?z=1']) expect((await daemon.ask(target)).status).toBe(200)
})
