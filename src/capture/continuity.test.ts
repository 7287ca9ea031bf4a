import { describe, expect, test } from 'vitest'
import { aBench, FIRST, here, PROJECT, start, told, work } from '../../test/support/continuity-setup.ts'
import { anEvent } from '../../test/support/events.ts'
import { EventId, SessionKey } from '../kernel/id.ts'
import { createContinuity } from '../app/create-continuity.ts'

describe('recording', () => {
  test('an event is redacted before it is kept, and a second arrival changes nothing', async () => {
    await using bench = await aBench()
    const { continuity, store, ports } = bench
    const event = anEvent('prompt-submitted', { ...here, prompt: `Use ${ports.secret} to log in.` })
    const first = await continuity.record(event)
    const second = await continuity.record(event)
    expect([first.isNew, second.isNew, second.seq]).toEqual([true, false, first.seq])
    const kept = await store.listEvents({ limit: 10 })
    expect(kept.map((stored) => stored.event)).toEqual([{ ...event, prompt: 'Use [REDACTED] to log in.' }])
  })

  test('where capturing is switched off nothing is kept, and what comes with it from elsewhere is', async () => {
    await using bench = await aBench()
    const { store, ports } = bench
    const off = { ...ports.config, continuity: { ...ports.config.continuity, enabled: false } }
    const configFor = async (worktree?: string) => (worktree === PROJECT ? off : ports.config)
    const continuity = createContinuity({ ...ports.deps(store), configFor })
    const elsewhere = { sessionKey: SessionKey('session-2'), cwd: '/another' }
    const recorded = await continuity.recordAll([
      anEvent('prompt-submitted', { ...here, prompt: 'Between us.' }),
      anEvent('prompt-submitted', { ...elsewhere, prompt: 'For the record.' }),
      anEvent('turn-ended', here),
    ])
    expect(recorded.map(({ isNew, session }) => [isNew, session.key])).toEqual([
      [false, 'session-1'],
      [true, 'session-2'],
      [false, 'session-1'],
    ])
    const kept = await store.listEvents({ limit: 10 })
    expect([kept.map(({ event }) => event.kind), await store.findSession(FIRST)]).toEqual([
      ['prompt-submitted'],
      undefined,
    ])
  })

  test('whoever listens hears of an event after it is kept, once', async () => {
    await using bench = await aBench()
    const heard: string[] = []
    const stop = bench.continuity.subscribe((announcement) => heard.push(`${announcement.seq} ${announcement.detail}`))
    const event = anEvent('prompt-submitted', here)
    await bench.continuity.record(event)
    await bench.continuity.record(event)
    stop()
    await bench.continuity.record(anEvent('turn-ended', here))
    expect(heard).toEqual(['1 prompt-submitted'])
  })
})

describe('checkpoints', () => {
  test('composing waits for the debounce and merges what came meanwhile', async () => {
    await using bench = await aBench()
    const { continuity, store, ports } = bench
    for (let count = 1; count <= 12; count += 1)
      await continuity.record(anEvent('prompt-submitted', { ...here, prompt: `Step ${count}.` }))
    await Promise.resolve()
    ports.time.advance(2_499)
    expect(await store.listCheckpoints({ sessionId: FIRST, limit: 10 })).toEqual([])
    ports.time.advance(1)
    await continuity.drain()
    const kept = await store.listCheckpoints({ sessionId: FIRST, limit: 10 })
    expect(kept.map(({ checkpoint }) => [checkpoint.trigger, checkpoint.promptCount])).toEqual([['periodic', 12]])
  })

  test('an agent that works alone is checkpointed by time, with no prompt and no hook to wake us', async () => {
    await using bench = await aBench()
    await work(bench)
    bench.ports.time.advance(899_000)
    await bench.continuity.tick()
    expect(await bench.store.listCheckpoints({ sessionId: FIRST, limit: 10 })).toEqual([])
    bench.ports.time.advance(1_000)
    await bench.continuity.tick()
    const kept = await bench.store.listCheckpoints({ sessionId: FIRST, limit: 10 })
    expect(kept.map(({ checkpoint }) => checkpoint.trigger)).toEqual(['periodic'])
  })

  test('nothing new makes no checkpoint', async () => {
    await using bench = await aBench()
    await work(bench)
    expect(await bench.continuity.checkpoint(FIRST, 'explicit')).toBeDefined()
    expect(await bench.continuity.checkpoint(FIRST, 'explicit')).toBeUndefined()
  })

  test('a session whose process died gets its last checkpoint and is interrupted', async () => {
    await using bench = await aBench()
    await work(bench)
    bench.ports.dead.add(1)
    await bench.continuity.tick()
    const session = await bench.store.findSession(FIRST)
    const [kept] = await bench.store.listCheckpoints({ sessionId: FIRST, limit: 1 })
    expect([session?.phase, kept?.checkpoint.trigger]).toEqual(['interrupted', 'interrupted'])
  })

  test('tool calls that only the transcript knows are logged, and a repeated read adds nothing', async () => {
    await using bench = await aBench()
    const { continuity, store, ports } = bench
    const lost = anEvent('tool-finished', { ...here, id: EventId('lost'), door: 'transcript' })
    ports.transcripts.set('/t.jsonl', [
      { type: 'event', event: lost },
      { type: 'note', note: { kind: 'statement', text: `Now printing ${ports.secret}.` } },
      { type: 'note', note: { kind: 'context-measured', contextTokens: 1_234 } },
    ])
    await continuity.record(anEvent('prompt-submitted', { ...here, transcriptPath: '/t.jsonl' }))
    const first = await continuity.checkpoint(FIRST, 'explicit')
    await continuity.record(anEvent('turn-ended', here))
    await continuity.checkpoint(FIRST, 'explicit')
    const kinds = (await store.listEvents({ limit: 10 })).map((stored) => stored.event.kind)
    expect(kinds).toEqual(['prompt-submitted', 'tool-finished', 'turn-ended'])
    expect(JSON.stringify(first)).not.toContain(ports.secret)
    expect((await store.findSession(FIRST))?.contextTokens).toBe(1_234)
  })
})

describe('memories', () => {
  test('a memory with a secret is refused and nothing of it is kept', async () => {
    await using bench = await aBench()
    const content = `The key is ${bench.ports.secret}.`
    await expect(bench.continuity.remember({ content, cwd: PROJECT, source: 'cli' })).rejects.toMatchObject({
      code: 'secret-refused',
    })
    expect(await bench.continuity.listMemories({ cwd: PROJECT, limit: 10 })).toEqual([])
  })

  test('a relevant memory is put before a prompt once per session, an irrelevant one never', async () => {
    await using bench = await aBench()
    await bench.continuity.remember({
      content: 'The parser grammar treats blank lines as separators.',
      cwd: PROJECT,
      source: 'cli',
    })
    await bench.continuity.remember({
      content: 'Deployments run from the release branch only.',
      cwd: PROJECT,
      source: 'cli',
    })
    await told(bench, start('session-1', 1))
    const ask = () => anEvent('prompt-submitted', { ...here, prompt: 'Why does the parser grammar drop blank lines?' })
    expect(await told(bench, { ...ask(), subagent: { id: 'agent-1' } })).toBe('')
    const first = await told(bench, ask())
    expect(first).toContain('blank lines as separators')
    expect(first).not.toContain('Deployments')
    expect(await told(bench, ask())).toBe('')
  })

  test('a secret that became known after a memory was stored is redacted when it is injected', async () => {
    await using bench = await aBench()
    const { store, continuity, ports } = bench
    const { id, ...kept } = await continuity.remember({
      content: 'The walrus gateway opens to those who know it.',
      cwd: PROJECT,
      source: 'cli',
    })
    await continuity.forget(id)
    const content = `The walrus gateway opens ${'very slowly '.repeat(39)} with ${ports.secret}.`
    await store.saveMemory({ ...kept, id, content, tags: [ports.secret] })
    await told(bench, start('session-1', 1))
    const said = await told(
      bench,
      anEvent('prompt-submitted', { ...here, prompt: 'How does the walrus gateway open?' }),
    )
    expect(said).toContain('The walrus gateway opens')
    const recalled = await continuity.recall({ cwd: PROJECT, text: 'walrus gateway', limit: 5 })
    const listed = await continuity.listMemories({ cwd: PROJECT, limit: 5 })
    const explained = await continuity.explain({ sessionKey: SessionKey('session-1') })
    expect([recalled.length, listed.length, explained.prompts[0]?.memories.length]).toEqual([1, 1, 1])
    expect(JSON.stringify([said, recalled, listed, explained])).not.toContain('sk-planted')
  })

  test('the newest of a type are found behind newer ones of another', async () => {
    await using bench = await aBench()
    await bench.continuity.remember({ content: 'Parse by hand.', type: 'decision', cwd: PROJECT, source: 'cli' })
    await bench.continuity.remember({ content: 'The parser is slow.', cwd: PROJECT, source: 'cli' })
    const decisions = await bench.continuity.listMemories({ cwd: PROJECT, types: ['decision'], limit: 1 })
    expect(decisions.map(({ content }) => content)).toEqual(['Parse by hand.'])
  })

  test('the beginning of a long memory is injected, and leaves room for another', async () => {
    await using bench = await aBench()
    const remember = (content: string) => bench.continuity.remember({ content, cwd: PROJECT, source: 'cli' })
    await remember(`The parser grammar drops blank lines. ${'It has many more rules. '.repeat(200)}`)
    await remember('The release branch goes to staging by the pipeline.')
    await told(bench, start('session-1', 1))
    const prompt =
      'Does the parser grammar drop blank lines, and does the pipeline bring the release branch to staging too?'
    const said = await told(bench, anEvent('prompt-submitted', { ...here, prompt }))
    expect(said).toContain('The parser grammar drops blank lines.')
    expect(said).toContain('to staging by the pipeline.')
  })

  test('what is remembered in a session counts towards its next checkpoint', async () => {
    await using bench = await aBench()
    await work(bench)
    const session = { harness: 'claude-code', sessionKey: SessionKey('session-1') }
    await bench.continuity.remember({ content: 'Tabs, never spaces.', cwd: PROJECT, source: 'mcp', session })
    const kept = await bench.continuity.checkpoint(FIRST, 'explicit')
    expect(kept?.checkpoint.recentRemembers).toEqual(['Tabs, never spaces.'])
  })

  test('the memory that replaced another is the one that is recalled', async () => {
    await using bench = await aBench()
    const old = await bench.continuity.remember({
      content: 'Indent the parser with tabs.',
      cwd: PROJECT,
      source: 'cli',
    })
    const current = await bench.continuity.remember({
      content: 'Indent the parser with spaces.',
      cwd: PROJECT,
      source: 'cli',
      supersedes: old.id,
    })
    const hits = await bench.continuity.recall({ cwd: PROJECT, text: 'indent parser', limit: 5 })
    expect(hits.map((hit) => hit.memory.id)).toEqual([current.id])
  })
})

describe('keeping house', () => {
  test('after a clock jump no checkpoint is pruned until the clock is trusted again', async () => {
    await using bench = await aBench()
    const { continuity, store, ports } = bench
    await work(bench)
    await continuity.checkpoint(FIRST, 'explicit')
    await continuity.record(anEvent('turn-ended', { ...here, at: ports.time.now() }))
    await continuity.checkpoint(FIRST, 'explicit')
    await continuity.tick()
    ports.time.jump(10 * 24 * 3_600_000)
    ports.time.advance(3_600_000)
    await continuity.tick()
    expect(await store.listCheckpoints({ sessionId: FIRST, limit: 10 })).toHaveLength(2)
    const seenAtMs = Date.parse(ports.time.now())
    ports.clockTrust = { trustedAtMs: seenAtMs, seenAtMs, observedMs: 13 * 3_600_000, neededMs: 3_600_000 }
    await createContinuity(ports.deps(store)).tick()
    expect(await store.listCheckpoints({ sessionId: FIRST, limit: 10 })).toHaveLength(1)
  })

  test('only sessions that may still be worked in count as live', async () => {
    await using bench = await aBench()
    await work(bench)
    expect(await bench.continuity.liveSessions()).toBe(1)
    bench.ports.dead.add(1)
    expect(await bench.continuity.liveSessions()).toBe(0)
  })
})
