import { expect, test } from 'vitest'
import { systemClock } from '../../platform/base/clock.ts'
import { startDaemon } from '../start.ts'
import { openTestApp } from '../../../test/support/app-setup.ts'
import { waitUntil } from '../../../test/support/product.ts'
import { daemonOptions, FAKE_SECRET, requestBytes, sendRaw, temporaryHome } from '../../../test/support/daemon-setup.ts'

const LINES = (count: number) => Array.from({ length: count }, (_, n) => `line ${n} of what was pasted`).join('\n')

test('a long prompt is in the log whole and without secrets, and a longer one says how much was left out', async () => {
  await using place = temporaryHome()
  const backend = await openTestApp(place.home)
  const result = await startDaemon(daemonOptions(place.home, { clock: systemClock, openApp: async () => backend }))
  if (result.kind !== 'started') throw new Error('Another daemon runs.')
  const submit = (prompt: string, id: string) =>
    sendRaw(
      { path: place.home.socket },
      requestBytes({
        method: 'POST',
        target: '/hook/claude-code/UserPromptSubmit',
        headers: [
          ['Host', 'localhost'],
          ['Content-Type', 'application/json'],
        ],
        body: JSON.stringify({
          session_id: 's',
          hook_event_name: 'UserPromptSubmit',
          cwd: place.home.root,
          prompt_id: id,
          prompt,
        }),
      }),
    )
  const long = `Mend this.\n${LINES(800)}\nthe key is ${FAKE_SECRET}\n${LINES(800)}\nThanks.`
  const longer = `Mend that.\n${LINES(9_000)}\nThanks.`
  try {
    expect([(await submit(long, 'one')).status, (await submit(longer, 'two')).status]).toEqual([200, 200])
    const listEvents = () => backend.continuity.listEvents({ kinds: ['prompt-submitted'], limit: 10 })
    // On a busy machine the answer comes at the hook's deadline, before the event is stored.
    await waitUntil(async () => (await listEvents()).length === 2, 'both prompts are stored')
    const events = await listEvents()
    const [whole, cut] = events.map(({ event }) => (event.kind === 'prompt-submitted' ? event.prompt : ''))
    expect(long.length).toBeGreaterThan(30_000)
    expect(whole).not.toContain(FAKE_SECRET)
    expect(whole?.split('\n').filter((line) => !line.startsWith('the key is'))).toEqual(
      long.split('\n').filter((line) => !line.startsWith('the key is')),
    )
    const leftOut = Number(/\[(\d+) characters left out\]/.exec(cut ?? '')?.[1])
    expect(cut?.length).toBeLessThanOrEqual(64_000)
    expect(cut?.length).toBeGreaterThan(60_000)
    expect((cut?.replace(/ … \[\d+ characters left out\] … /, '').length ?? 0) + leftOut).toBe(longer.length)
    expect(cut).toMatch(/^Mend that\.[\s\S]*Thanks\.$/)
  } finally {
    await result.daemon.stop('the test is over')
  }
})
