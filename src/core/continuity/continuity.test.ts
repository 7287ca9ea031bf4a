import { describe, expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import { World } from '../../../test/support/world.ts'
import { openSqliteStore } from '../../storage/sqlite/open.ts'
import type { SessionEvent } from '../event.ts'
import { EventId, SessionId, SessionKey } from '../id.ts'
import type { Store } from '../ports.ts'
import { type ContinuityEngine, createContinuity } from './create.ts'

const PROJECT = '/project'
const FIRST = SessionId('claude-code/session-1')

interface Bench extends AsyncDisposable {
  readonly world: World
  readonly store: Store
  readonly continuity: ContinuityEngine
}

async function aBench(): Promise<Bench> {
  const world = new World()
  const store = await openSqliteStore({ file: ':memory:' })
  return {
    world,
    store,
    continuity: createContinuity(world.deps(store)),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

const here = { cwd: PROJECT, process: { pid: 1 } } as const

function start(
  key: string,
  pid: number,
  source: 'startup' | 'compact' | 'resume' = 'startup',
  at?: string,
): SessionEvent {
  const sessionKey = SessionKey(key)
  return anEvent('session-started', {
    sessionKey,
    source,
    cwd: PROJECT,
    process: { pid },
    ...(at === undefined ? {} : { at }),
  })
}

/** A session with something to tell, stamped with the world's time. */
async function work({ world, continuity }: Bench): Promise<void> {
  const at = world.time.now()
  await continuity.recordAll([
    { ...start('session-1', 1), at },
    anEvent('prompt-submitted', { ...here, at, prompt: 'Make the parser keep blank lines.' }),
    anEvent('tool-finished', { ...here, at }),
    anEvent('turn-ended', { ...here, at, lastMessage: 'The parser keeps blank lines now.' }),
  ])
}

function endOf({ continuity, world }: Bench) {
  return continuity.record(anEvent('session-ended', { ...here, at: world.time.now() }))
}

async function told({ continuity, world }: Bench, event: SessionEvent): Promise<string> {
  const stamped = { ...event, at: world.time.now() }
  await continuity.record(stamped)
  const injected = await continuity.inject({ event: stamped, maxChars: 9_500 })
  if (injected !== undefined) await continuity.confirmInjection(injected.injection)
  return injected?.text ?? ''
}

describe('recording', () => {
  test('an event is redacted before it is kept, and a second arrival changes nothing', async () => {
    await using bench = await aBench()
    const { continuity, store, world } = bench
    const event = anEvent('prompt-submitted', { ...here, prompt: `Use ${world.secret} to log in.` })
    const first = await continuity.record(event)
    const second = await continuity.record(event)
    expect([first.isNew, second.isNew, second.seq]).toEqual([true, false, first.seq])
    const kept = await store.listEvents({ limit: 10 })
    expect(kept.map((stored) => stored.event)).toEqual([{ ...event, prompt: 'Use [REDACTED] to log in.' }])
  })

  test('where capturing is switched off nothing is kept, and what comes with it from elsewhere is', async () => {
    await using bench = await aBench()
    const { store, world } = bench
    const off = { ...world.config, continuity: { ...world.config.continuity, enabled: false } }
    const configFor = async (worktree?: string) => (worktree === PROJECT ? off : world.config)
    const continuity = createContinuity({ ...world.deps(store), configFor })
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
    const { continuity, store, world } = bench
    for (let count = 1; count <= 12; count += 1)
      await continuity.record(anEvent('prompt-submitted', { ...here, prompt: `Step ${count}.` }))
    await Promise.resolve()
    world.time.advance(2_499)
    expect(await store.listCheckpoints({ sessionId: FIRST, limit: 10 })).toEqual([])
    world.time.advance(1)
    await continuity.drain()
    const kept = await store.listCheckpoints({ sessionId: FIRST, limit: 10 })
    expect(kept.map(({ checkpoint }) => [checkpoint.trigger, checkpoint.promptCount])).toEqual([['periodic', 12]])
  })

  test('an agent that works alone is checkpointed by time, with no prompt and no hook to wake us', async () => {
    await using bench = await aBench()
    await work(bench)
    bench.world.time.advance(899_000)
    await bench.continuity.tick()
    expect(await bench.store.listCheckpoints({ sessionId: FIRST, limit: 10 })).toEqual([])
    bench.world.time.advance(1_000)
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
    bench.world.dead.add(1)
    await bench.continuity.tick()
    const session = await bench.store.findSession(FIRST)
    const [kept] = await bench.store.listCheckpoints({ sessionId: FIRST, limit: 1 })
    expect([session?.phase, kept?.checkpoint.trigger]).toEqual(['interrupted', 'interrupted'])
  })

  test('tool calls that only the transcript knows are logged, and a repeated read adds nothing', async () => {
    await using bench = await aBench()
    const { continuity, store, world } = bench
    const lost = anEvent('tool-finished', { ...here, id: EventId('lost'), door: 'transcript' })
    world.transcripts.set('/t.jsonl', [
      { type: 'event', event: lost },
      { type: 'note', note: { kind: 'statement', text: `Now printing ${world.secret}.` } },
      { type: 'note', note: { kind: 'context-measured', contextTokens: 1_234 } },
    ])
    await continuity.record(anEvent('prompt-submitted', { ...here, transcriptPath: '/t.jsonl' }))
    const first = await continuity.checkpoint(FIRST, 'explicit')
    await continuity.record(anEvent('turn-ended', here))
    await continuity.checkpoint(FIRST, 'explicit')
    const kinds = (await store.listEvents({ limit: 10 })).map((stored) => stored.event.kind)
    expect(kinds).toEqual(['prompt-submitted', 'tool-finished', 'turn-ended'])
    expect(JSON.stringify(first)).not.toContain(world.secret)
    expect((await store.findSession(FIRST))?.contextTokens).toBe(1_234)
  })
})

describe('recovery', () => {
  test('a new session in the worktree is told what an ended one did, once', async () => {
    await using bench = await aBench()
    await work(bench)
    await endOf(bench)
    const next = start('session-2', 2)
    expect(await told(bench, next)).toContain('keep blank lines')
    expect(await told(bench, anEvent('prompt-submitted', { sessionKey: SessionKey('session-2'), cwd: PROJECT }))).toBe(
      '',
    )
  })

  test('what the start could not deliver comes with the first prompt', async () => {
    await using bench = await aBench()
    await work(bench)
    await endOf(bench)
    const next = { ...start('session-2', 2), at: bench.world.time.now() }
    await bench.continuity.record(next)
    await bench.continuity.inject({ event: next, maxChars: 9_500 })
    const prompt = anEvent('prompt-submitted', { sessionKey: SessionKey('session-2'), cwd: PROJECT, prompt: 'Hello.' })
    expect(await told(bench, prompt)).toContain('keep blank lines')
  })

  test('what is being prepared when a start gives up is what the prompt gets, not begun anew', async () => {
    await using bench = await aBench()
    await work(bench)
    await endOf(bench)
    const next = { ...start('session-2', 2), at: bench.world.time.now() }
    await bench.continuity.record(next)
    const tooLate = await bench.continuity.inject({ event: next, maxChars: 9_500 })
    bench.world.files.set(`${PROJECT}/src/parser.ts`, 'changed in between')
    const prompt = anEvent('prompt-submitted', { sessionKey: SessionKey('session-2'), cwd: PROJECT, prompt: 'Hello.' })
    expect(await told(bench, prompt)).toBe(tooLate?.text)
  })

  test('a live session’s state is never told to another', async () => {
    await using bench = await aBench()
    await work(bench)
    expect(await told(bench, start('session-2', 2))).toBe('')
  })

  test('a session that was recovered from and is live again is told to nobody', async () => {
    await using bench = await aBench()
    const { continuity, world } = bench
    await work(bench)
    world.dead.add(1)
    const second = { sessionKey: SessionKey('session-2'), cwd: PROJECT, process: { pid: 2 } }
    expect(await told(bench, start('session-2', 2))).toContain('keep blank lines')
    await continuity.record(anEvent('prompt-submitted', { ...second, at: world.time.now(), prompt: 'Just looking.' }))
    await continuity.record(anEvent('session-ended', { ...second, at: world.time.now() }))
    await told(bench, start('session-1', 3, 'resume'))
    const live = { cwd: PROJECT, process: { pid: 3 }, at: world.time.now() }
    await continuity.record(anEvent('prompt-submitted', { ...live, prompt: 'The present of somebody else.' }))
    await continuity.checkpoint(FIRST, 'explicit')
    const said = await told(bench, start('session-4', 4))
    expect(said).toContain('Just looking.')
    expect(said).not.toContain('The present of somebody else.')
  })

  test('a session resumed in another project takes nothing of the first one there', async () => {
    await using bench = await aBench()
    await work(bench)
    await bench.continuity.checkpoint(FIRST, 'explicit')
    const elsewhere = { ...start('session-1', 1, 'resume'), cwd: '/another' }
    expect(await told(bench, elsewhere)).toBe('')
    await bench.continuity.record(anEvent('session-ended', { ...here, cwd: '/another', at: bench.world.time.now() }))
    const next = { ...start('session-2', 2), cwd: '/another' }
    expect(await told(bench, next)).not.toContain('keep blank lines')
  })

  test('a killed session speaks at once, with everything since its last checkpoint', async () => {
    await using bench = await aBench()
    await work(bench)
    bench.world.dead.add(1)
    expect(await told(bench, start('session-2', 2))).toContain('keep blank lines')
    expect((await bench.store.findSession(FIRST))?.phase).toBe('interrupted')
  })

  test('compaction brings back the session’s own state, whatever its age', async () => {
    await using bench = await aBench()
    await work(bench)
    bench.world.time.advance(30 * 24 * 3_600_000)
    expect(await told(bench, start('session-1', 1, 'compact'))).toContain('keep blank lines')
  })

  test('another worktree’s state is offered by name and never told', async () => {
    await using bench = await aBench()
    await work(bench)
    await endOf(bench)
    await bench.continuity.drain()
    const block = await bench.continuity.previewRecovery({ cwd: `${PROJECT}#sibling` })
    expect([block.text, block.offered.map((offer) => offer.worktree)]).toEqual(['', [PROJECT]])
  })

  test('a session that ended more than four hours ago is silent, unless it is named as the one before', async () => {
    await using bench = await aBench()
    await work(bench)
    await endOf(bench)
    bench.world.time.advance(4 * 3_600_000 + 60_000)
    expect(await told(bench, start('session-2', 2))).toBe('')
    const named = { ...start('session-3', 3), previousSessionKey: SessionKey('session-1') }
    expect(await told(bench, named)).toContain('keep blank lines')
  })

  test('a session that only asked where it was passes on what it was told', async () => {
    await using bench = await aBench()
    await work(bench)
    await endOf(bench)
    await told(bench, start('session-2', 2))
    const second = {
      sessionKey: SessionKey('session-2'),
      cwd: PROJECT,
      process: { pid: 2 },
      at: bench.world.time.now(),
    }
    await bench.continuity.recordAll([
      anEvent('prompt-submitted', { ...second, prompt: 'Hm.' }),
      anEvent('session-ended', second),
    ])
    expect(await told(bench, start('session-3', 3))).toContain('keep blank lines')
  })

  test('a question asked in passing does not hide the work before it', async () => {
    await using bench = await aBench()
    await work(bench)
    bench.world.dead.add(1)
    const aside = { sessionKey: SessionKey('aside'), cwd: PROJECT, process: { pid: 2 }, at: bench.world.time.now() }
    await bench.continuity.recordAll([
      anEvent('session-started', aside),
      anEvent('prompt-submitted', { ...aside, prompt: 'What is the time?' }),
      anEvent('session-ended', aside),
    ])
    const said = await told(bench, start('session-3', 3))
    expect(said).toContain('What is the time?')
    expect(said).toContain('src/parser.ts')
  })

  test('a resumed conversation is not told again what it was told last', async () => {
    await using bench = await aBench()
    await work(bench)
    expect(await told(bench, start('session-1', 1, 'compact'))).toContain('keep blank lines')
    expect(await told(bench, start('session-1', 4, 'resume'))).toBe('')
    expect(await told(bench, start('session-1', 4, 'compact'))).toContain('keep blank lines')
  })

  test('the same state is told in the same bytes', async () => {
    await using bench = await aBench()
    await work(bench)
    await endOf(bench)
    const first = await bench.continuity.previewRecovery({ cwd: PROJECT })
    bench.world.time.advance(600_000)
    expect((await bench.continuity.previewRecovery({ cwd: PROJECT })).text).toBe(first.text)
  })

  test('switched off means silent', async () => {
    await using bench = await aBench()
    await work(bench)
    await endOf(bench)
    await bench.continuity.drain()
    bench.world.config = { ...bench.world.config, continuity: { ...bench.world.config.continuity, enabled: false } }
    expect(await told(bench, start('session-2', 2))).toBe('')
  })
})

describe('memories', () => {
  test('a memory with a secret is refused and nothing of it is kept', async () => {
    await using bench = await aBench()
    const content = `The key is ${bench.world.secret}.`
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
    const first = await told(bench, ask())
    expect(first).toContain('blank lines as separators')
    expect(first).not.toContain('Deployments')
    expect(await told(bench, ask())).toBe('')
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
  test('after a clock jump nothing is pruned until a second look agrees', async () => {
    await using bench = await aBench()
    const { continuity, store, world } = bench
    await work(bench)
    await continuity.checkpoint(FIRST, 'explicit')
    await continuity.record(anEvent('turn-ended', { ...here, at: world.time.now() }))
    await continuity.checkpoint(FIRST, 'explicit')
    await continuity.tick()
    world.time.jump(10 * 24 * 3_600_000)
    world.time.advance(3_600_000)
    await continuity.tick()
    expect(await store.listCheckpoints({ sessionId: FIRST, limit: 10 })).toHaveLength(2)
    world.time.advance(3_600_000)
    await continuity.tick()
    expect(await store.listCheckpoints({ sessionId: FIRST, limit: 10 })).toHaveLength(1)
  })

  test('only sessions that may still be worked in count as live', async () => {
    await using bench = await aBench()
    await work(bench)
    expect(await bench.continuity.liveSessions()).toBe(1)
    bench.world.dead.add(1)
    expect(await bench.continuity.liveSessions()).toBe(0)
  })
})
