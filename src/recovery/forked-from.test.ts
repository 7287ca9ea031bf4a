import { expect, test } from 'vitest'
import { aBench, type Bench, FIRST, here, PROJECT, start, told, work } from '../../test/support/continuity-setup.ts'
import { anEvent } from '../../test/support/events.ts'
import type { ToolCall } from '../kernel/event.ts'
import { EventId, SessionKey } from '../kernel/id.ts'

const NOTE = 'SENTINEL-7f3a  with two spaces'
const fork = { sessionKey: SessionKey('session-2'), cwd: PROJECT, process: { pid: 2 } } as const

function call(callId: string): ToolCall {
  return { name: 'Edit', kind: 'edit', files: [{ path: 'src/parser.ts', action: 'edited' }], callId }
}

/** A session that wrote a note with its last call, and lives on. */
async function aNoteIn({ continuity, ports }: Bench): Promise<void> {
  const at = ports.time.now()
  await continuity.record(anEvent('tool-finished', { ...here, at, tool: call('toolu_1') }))
  await continuity.record(anEvent('digest-written', { ...here, at, summary: NOTE }))
}

/** As Claude Code does it: a start that names nobody, then a transcript that begins with the other's calls. */
async function forked(bench: Bench, calls: readonly string[]): Promise<string> {
  const { continuity, ports } = bench
  const atStart = await told(bench, anEvent('session-started', { ...fork, source: 'fork' }))
  const copied = calls.map((callId) => ({
    type: 'event' as const,
    event: anEvent('tool-finished', {
      ...fork,
      id: EventId(`copied-${callId}`),
      door: 'transcript',
      tool: call(callId),
    }),
  }))
  ports.transcripts.set('/fork.jsonl', copied)
  const prompt = { ...fork, at: ports.time.now(), transcriptPath: '/fork.jsonl', prompt: 'Try it with a lexer first.' }
  await continuity.record(anEvent('prompt-submitted', prompt))
  return atStart
}

test('a fork that is compacted while its origin is live recovers what the origin had written until the fork', async () => {
  await using bench = await aBench()
  const { continuity, ports } = bench
  await work(bench)
  await aNoteIn(bench)
  expect(await forked(bench, ['toolu_1'])).not.toContain('| Asked')
  await continuity.record(anEvent('prompt-submitted', { ...here, at: ports.time.now(), prompt: 'Rename it all.' }))
  await continuity.record(anEvent('digest-written', { ...here, at: ports.time.now(), summary: 'Renamed it all.' }))
  await continuity.checkpoint(FIRST, 'explicit')
  const said = await told(bench, start('session-2', 2, 'compact'))
  expect(said).toContain(NOTE)
  expect(said).toContain('Try it with a lexer first.')
  expect(said).not.toMatch(/renamed? it all/i)
  expect((await bench.store.findSession(FIRST))?.phase).toBe('working')
})

test('control: a fork of somebody else takes nothing of a live session', async () => {
  await using bench = await aBench()
  await work(bench)
  await aNoteIn(bench)
  await forked(bench, ['toolu_9'])
  const said = await told(bench, start('session-2', 2, 'compact'))
  expect(said).toContain('Try it with a lexer first.')
  expect(said).not.toContain(NOTE)
})

test('of two that made the same calls it is the elder: the other is a fork too, with work of its own', async () => {
  await using bench = await aBench()
  const { continuity, ports } = bench
  await work(bench)
  await aNoteIn(bench)
  ports.time.advance(1_000)
  const sibling = { sessionKey: SessionKey('session-0'), cwd: PROJECT, process: { pid: 5 }, at: ports.time.now() }
  await continuity.record(anEvent('session-started', { ...sibling, source: 'fork' }))
  await continuity.record(anEvent('tool-finished', { ...sibling, tool: call('toolu_1') }))
  await continuity.record(anEvent('digest-written', { ...sibling, summary: 'The sibling went another way.' }))
  ports.time.advance(1_000)
  await forked(bench, ['toolu_1'])
  const said = await told(bench, start('session-2', 2, 'compact'))
  expect(said).toContain(NOTE)
  expect(said).not.toContain('another way')
})

test('a fork whose start names its origin recovers at once, while the origin is live', async () => {
  await using bench = await aBench()
  await work(bench)
  await aNoteIn(bench)
  const previousSessionKey = SessionKey('session-1')
  expect(await told(bench, anEvent('session-started', { ...fork, source: 'fork', previousSessionKey }))).toContain(NOTE)
  const [kept] = await bench.store.listCheckpoints({ sessionId: FIRST, limit: 1 })
  expect(kept?.checkpoint.trigger).not.toBe('interrupted')
  expect(await told(bench, start('session-2', 2, 'compact'))).toContain(NOTE)
})
