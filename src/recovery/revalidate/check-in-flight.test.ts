import { expect, test } from 'vitest'
import type { InFlightWork } from '../../kernel/checkpoint.ts'
import { checkInFlight, type InFlightPorts } from './check-in-flight.ts'

const server = { kind: 'server', what: 'npm run dev', order: 1 } as const
const harness = { pid: 7, startedAt: '1' }
const dead: InFlightPorts['processes'] = { isAlive: () => false }
const living: InFlightPorts['processes'] = { isAlive: () => true }
const listens = (answer: boolean | undefined) => ({ isListening: () => Promise.resolve(answer) })

test.each<[string, InFlightWork, InFlightPorts, string]>([
  ['a port that is listened on', { ...server, port: 3000 }, { loopback: listens(true) }, 'alive'],
  ['a port that refuses', { ...server, port: 3000 }, { loopback: listens(false) }, 'gone'],
  ['a port that does not answer', { ...server, port: 3000 }, { loopback: listens(undefined) }, 'not-checked'],
  ['a port without a way to look', { ...server, port: 3000 }, {}, 'not-checked'],
  ['a process that is gone', { ...server, pid: 9 }, { processes: dead }, 'gone'],
  ['a process that may be another one', { ...server, pid: 9 }, { processes: living }, 'id-in-use'],
  ['a server of which nothing is known', server, { processes: dead, startedBy: harness }, 'not-checked'],
  ['a subagent of a dead harness', { ...server, kind: 'subagent' }, { processes: dead, startedBy: harness }, 'gone'],
  ['a subagent of an ended session', { ...server, kind: 'subagent' }, { startedBy: 'ended' }, 'gone'],
  [
    'a subagent of a living one',
    { ...server, kind: 'subagent' },
    { processes: living, startedBy: harness },
    'not-checked',
  ],
])('%s', async (_what, work, ports, verdict) => {
  expect(await checkInFlight([work], ports)).toEqual(new Map([[work, verdict]]))
})
