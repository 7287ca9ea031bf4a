import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'

/** Set by the runner when it could take every other network away. */
const isLoopbackOnly = process.env.HOLDFAST_TEST_NETWORK === 'loopback'

/** 192.0.2.0/24 is set aside for documentation: nobody is there, and only a machine with a network would try. */
const NOWHERE = { host: '192.0.2.1', port: 443, timeout: 5_000 }

function outcomeOfReaching(target: typeof NOWHERE): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(target)
    socket.once('connect', () => resolve('connected'))
    socket.once('timeout', () => resolve('timeout'))
    socket.once('error', (error) => resolve('code' in error ? String(error.code) : error.message))
  })
}

test('nothing that a client sends can leave this machine', async ({ skip }) => {
  skip(!isLoopbackOnly, 'NOT RUN: no network namespace could be made here, so the clients had the whole network')
  expect(Object.keys(networkInterfaces())).toEqual(['lo'])
  expect(await outcomeOfReaching(NOWHERE)).toBe('ENETUNREACH')
})
