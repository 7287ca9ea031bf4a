import { expect, test } from 'vitest'
import { aBench, FIRST, here, PROJECT, start, told, work } from '../../test/support/continuity-setup.ts'
import { anEvent } from '../../test/support/events.ts'
import { EventId, SessionKey } from '../kernel/id.ts'

const outcomeWith = (exitStatus: number) => ({ ok: exitStatus === 0, exitStatus })

test('what the transcript knows of a call is kept before the hook’s own word, which then adds nothing', async () => {
  await using bench = await aBench()
  const { continuity, store, ports } = bench
  const id = EventId('call-1')
  const better = anEvent('tool-finished', { ...here, id, door: 'transcript', outcome: outcomeWith(3) })
  await continuity.record(anEvent('prompt-submitted', { ...here, transcriptPath: '/t.jsonl' }))
  ports.transcripts.set('/t.jsonl', [{ type: 'event', event: better }])
  const hook = anEvent('tool-finished', { ...here, id, transcriptPath: '/t.jsonl', outcome: { ok: true } })
  await continuity.readTranscript(hook)
  expect((await continuity.record(hook)).isNew).toBe(false)
  const kept = (await store.listEvents({ sessionId: FIRST, limit: 10 })).map(({ event }) => event)
  expect(kept.flatMap((event) => (event.kind === 'tool-finished' ? [event.outcome] : []))).toEqual([outcomeWith(3)])
})

test('of a subagent’s own file its calls are kept, and nothing that was said between the agents', async () => {
  await using bench = await aBench()
  const { continuity, store, ports } = bench
  const subagent = { id: 'a1' }
  await continuity.record(anEvent('prompt-submitted', { ...here, transcriptPath: '/t.jsonl' }))
  ports.transcripts.set('/sub.jsonl', [
    { type: 'event', event: anEvent('prompt-submitted', { ...here, id: EventId('errand'), subagent }) },
    { type: 'event', event: anEvent('tool-finished', { ...here, id: EventId('sub-1'), subagent }) },
  ])
  await continuity.readTranscript(anEvent('tool-finished', { ...here, subagent, transcriptPath: '/sub.jsonl' }))
  const ids = (await store.listEvents({ sessionId: FIRST, limit: 10 })).map(({ event }) => event.id)
  expect(ids).toContain('sub-1')
  expect(ids).not.toContain('errand')
  expect((await store.findSession(FIRST))?.transcriptPath).toBe('/t.jsonl')
})

test('an unknown session has no transcript to read', async () => {
  await using bench = await aBench()
  const event = anEvent('tool-finished', { ...here, sessionKey: SessionKey('unknown'), transcriptPath: '/t.jsonl' })
  await bench.continuity.readTranscript(event)
  expect(await bench.store.listEvents({ limit: 10 })).toEqual([])
})

test('a compaction that only the transcript has makes a recovery owed, which is injected once at the end of the next tool', async () => {
  await using bench = await aBench()
  const { continuity, ports } = bench
  await work(bench)
  const tool = () => anEvent('tool-finished', { ...here, at: ports.time.now() })
  expect(await told(bench, tool())).toBe('')
  const compacted = { ...start('session-1', 1, 'compact'), id: EventId('snapshot-1'), door: 'transcript' as const }
  ports.transcripts.set('/t.jsonl', [{ type: 'event', event: compacted }])
  const next = { ...tool(), cwd: PROJECT, transcriptPath: '/t.jsonl' }
  await continuity.readTranscript(next)
  expect(await told(bench, next)).toContain('keep blank lines')
  expect(await told(bench, tool())).toBe('')
})
