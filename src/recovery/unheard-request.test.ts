import { expect, test } from 'vitest'
import { aBench, PROJECT, start, told, work } from '../../test/support/continuity-setup.ts'
import { anEvent } from '../../test/support/events.ts'
import { SessionKey } from '../kernel/id.ts'

test('a request that the agent died with is not lost, nor is the work before it', async () => {
  await using bench = await aBench()
  await work(bench)
  bench.ports.dead.add(1)
  const unheard = { sessionKey: SessionKey('unheard'), cwd: PROJECT, process: { pid: 2 }, at: bench.ports.time.now() }
  await told(bench, { ...start('unheard', 2), at: unheard.at })
  const prompt = 'Rename the exported function parse to parseDocument and update every caller.'
  await bench.continuity.record(anEvent('prompt-submitted', { ...unheard, prompt }))
  bench.ports.dead.add(2)
  const said = await told(bench, start('session-3', 3))
  expect(said).toContain(`User: "${prompt}"`)
  expect(said).toContain('src/parser.ts')
})
