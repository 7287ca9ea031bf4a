import { describe, expect, test } from 'vitest'
import { AgentApiSetup, type EventBody } from '../../test/support/agent-api-setup.ts'
import { waitUntil } from '../../test/support/product.ts'
import { SessionKey, toSessionId } from '../kernel/id.ts'
import { createDigestRuns, type DigestRunPorts } from './digest-runs.ts'
import type { DigestRun } from './run-limits.ts'

const ID = toSessionId('claude-code', SessionKey('me'))
const HANDOFF = 'Goal: a parser.\nAll tests pass.'

async function aBench(write: DigestRunPorts['write'] = () => Promise.resolve(HANDOFF)) {
  const world = await AgentApiSetup.open()
  const runs: DigestRun[] = []
  const excerpts: string[] = []
  const digests = createDigestRuns({
    ...world.deps(world.store),
    write(excerpt, options) {
      excerpts.push(excerpt)
      return write(excerpt, options)
    },
    record: (event) => world.engine.recordNote(event),
    readRuns: () => runs,
    appendRun: (run) => runs.push(run),
  })
  world.engine.subscribe((announcement) => digests.onAnnouncement(announcement))
  const happen = (event: EventBody) => world.happen('me', event)
  await happen({ kind: 'session-started', source: 'startup' })
  await happen({ kind: 'prompt-submitted', prompt: `Write a parser. My key is ${world.secret}.` })
  return {
    world,
    runs,
    excerpts,
    digests,
    happen,
    async work(calls: number) {
      for (let call = 0; call < calls; call += 1)
        await happen({
          kind: 'tool-finished',
          tool: { name: 'Bash', kind: 'shell', files: [], command: 'npm test' },
          outcome: { ok: false, exitStatus: 1, output: '2 failed' },
        })
    },
    written: async () => (await world.store.listEvents({ sessionId: ID, kinds: ['digest-written'], limit: 9 })).length,
    [Symbol.asyncDispose]: async () => {
      await digests.stop()
      await world[Symbol.asyncDispose]()
    },
  }
}

describe('at a checkpoint', () => {
  test('the program gets a redacted excerpt, and what it prints becomes a claimed note of the session', async () => {
    await using bench = await aBench()
    await bench.work(5)
    const before = await bench.world.store.findSession(ID)
    bench.world.time.advance(60_000)
    await bench.world.engine.checkpoint(ID, 'session_end')
    await waitUntil(async () => (await bench.written()) === 1, 'the digest is stored')
    await waitUntil(() => bench.runs.length === 1, 'the run is recorded')
    const [excerpt = ''] = bench.excerpts
    expect(excerpt).toContain('Write a parser.')
    expect(excerpt).toContain('npm test')
    expect(excerpt).not.toContain(bench.world.secret)
    const stored = await bench.world.engine.checkpoint(ID, 'agent')
    const [newest] =
      stored === undefined ? await bench.world.store.listCheckpoints({ sessionId: ID, limit: 1 }) : [stored]
    expect(newest?.checkpoint.written).toMatchObject({ summary: HANDOFF, author: 'command' })
    expect(newest?.checkpoint.digest).toContain(`### Written by digest.command\n${HANDOFF}`)
    expect(newest?.checkpoint.work.claims?.[0]).toMatchObject({ contradictedBy: expect.any(String) })
    expect((await bench.world.store.findSession(ID))?.lastEventAt).toBe(before?.lastEventAt)
    expect(bench.runs).toEqual([
      { at: expect.any(String), sessionId: ID, ms: expect.any(Number), chars: HANDOFF.length },
    ])
  })

  test('with little new work, or right after the agent’s own digest, nothing runs', async () => {
    await using bench = await aBench()
    await bench.work(4)
    await bench.world.engine.checkpoint(ID, 'periodic')
    await bench.happen({ kind: 'digest-written', summary: 'My own words.' })
    await bench.work(19)
    await bench.world.engine.checkpoint(ID, 'session_end')
    await bench.digests.stop()
    expect(bench.excerpts).toEqual([])
  })

  test('its own checkpoint starts no second run, and work that went on meanwhile is newer than the note', async () => {
    let release = () => {}
    const slow = new Promise<string>((resolve) => {
      release = () => resolve(HANDOFF)
    })
    await using bench = await aBench(() => slow)
    await bench.work(5)
    await bench.world.engine.checkpoint(ID, 'pre_compaction')
    await waitUntil(() => bench.excerpts.length === 1, 'the program runs')
    await bench.work(2)
    release()
    await waitUntil(async () => (await bench.written()) === 1, 'the digest is stored')
    await bench.world.engine.drain()
    await bench.world.engine.checkpoint(ID, 'agent')
    const [newest] = await bench.world.store.listCheckpoints({ sessionId: ID, limit: 1 })
    const { written, work } = newest?.checkpoint ?? {}
    expect((work?.lastOrder ?? 0) - (written?.order ?? 0)).toBe(3)
    expect(bench.excerpts).toHaveLength(1)
  })

  test('a failure is recorded, not retried, and pauses after three', async () => {
    await using bench = await aBench(() => Promise.reject(new Error('no quota')))
    for (let round = 1; round <= 5; round += 1) {
      await bench.work(5)
      await bench.world.engine.checkpoint(ID, 'periodic')
      await waitUntil(() => bench.runs.length === Math.min(round, 3), 'the run is recorded')
    }
    expect(bench.runs.map(({ error }) => error)).toEqual(['no quota', 'no quota', 'no quota'])
    expect(await bench.written()).toBe(0)
  })

  test('a stop ends the run that is under way', async () => {
    await using bench = await aBench(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')))
        }),
    )
    await bench.work(5)
    await bench.world.engine.checkpoint(ID, 'periodic')
    await waitUntil(() => bench.excerpts.length === 1, 'the program runs')
    await bench.digests.stop()
    expect(bench.runs).toEqual([])
  })
})
