import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { systemLoopback } from './loopback.ts'

test('a port is known to be listened on, and not to be any more', async () => {
  const server = createServer()
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(address !== null && typeof address === 'object' ? address.port : 0)
    })
  })
  expect(await systemLoopback.isListening(port)).toBe(true)
  await new Promise((resolve) => server.close(resolve))
  expect(await systemLoopback.isListening(port)).toBe(false)
  expect(await systemLoopback.isListening(0)).toBeUndefined()
  expect(await systemLoopback.isListening(70_000)).toBeUndefined()
})
