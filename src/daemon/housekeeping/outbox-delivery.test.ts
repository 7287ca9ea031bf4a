import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rememberingLog } from '../../../test/support/recording-log.ts'
import { systemClock } from '../../platform/base/clock.ts'
import { createRedactors } from '../../platform/redactors.ts'
import { systemProcesses } from '../../platform/process/processes.ts'
import { createOutboxDelivery } from './outbox-delivery.ts'

test('what tasks have told is sent while the daemon runs, once, and nothing without an address', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-outbox-'))
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(String(request.headers['webhook-id']))
    request.resume()
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    mkdirSync(join(dir, 'project', 'tasks', 'a-task', 'json'), { recursive: true })
    const event = {
      specversion: '1.0',
      id: 'e1',
      type: 'session.complete',
      source: 'urn:holdfast:task:a-task',
      subject: 's',
      time: '2026-01-02T03:04:05.000Z',
      datacontenttype: 'application/json',
      data: {},
    }
    writeFileSync(join(dir, 'project', 'tasks', 'a-task', 'json', 'events.ndjson'), `${JSON.stringify(event)}\n`)
    const log = rememberingLog()
    const ports = {
      home: { root: join(dir, 'home') },
      clock: systemClock,
      log,
      processes: systemProcesses,
      redactors: createRedactors({ clock: systemClock }),
      pid: process.pid,
      random: () => 0.5,
    }
    const roots = [join(dir, 'project'), join(dir, 'gone')]
    await createOutboxDelivery({ ...ports, url: '' })(roots)
    expect(received).toEqual([])
    const deliverEvents = createOutboxDelivery({ ...ports, url: `http://127.0.0.1:${address.port}/?token=hidden` })
    await deliverEvents(roots)
    await deliverEvents(roots)
    expect(received).toEqual(['e1'])
    expect(JSON.stringify(log.lines)).not.toContain('hidden')
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(dir, { recursive: true, force: true })
  }
})
