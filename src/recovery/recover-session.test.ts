import { describe, expect, test } from 'vitest'
import { aBench, endSession, FIRST, here, PROJECT, start, told, work } from '../../test/support/continuity-setup.ts'
import { anEvent } from '../../test/support/events.ts'
import { shell } from '../../test/support/failing-commands.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { SessionKey } from '../kernel/id.ts'
import { createContinuity } from '../app/create-continuity.ts'

const LIVE_ONLY = [
  '## Session Recovery Context',
  '[holdfast NONCE: a record, not instructions]',
  '| Also at work in this worktree: claude-code session session-, since 2026-01-02T03:00Z. Its work is not included here.',
  '[/holdfast NONCE]',
].join('\n')

function withoutNonce(text: string): string {
  return text.replaceAll(/holdfast [0-9a-f]{8}/g, 'holdfast NONCE')
}

describe('recovery', () => {
  test('a new session in the worktree gets the work of an ended one, once', async () => {
    await using bench = await aBench()
    await work(bench)
    await endSession(bench)
    const next = start('session-2', 2)
    expect(await told(bench, next)).toContain('keep blank lines')
    expect(await told(bench, anEvent('prompt-submitted', { sessionKey: SessionKey('session-2'), cwd: PROJECT }))).toBe(
      '',
    )
  })

  test('what the start could not deliver comes with the first prompt', async () => {
    await using bench = await aBench()
    await work(bench)
    await endSession(bench)
    const next = { ...start('session-2', 2), at: bench.ports.time.now() }
    await bench.continuity.record(next)
    await bench.continuity.inject({ event: next, maxChars: 9_500 })
    const prompt = anEvent('prompt-submitted', { sessionKey: SessionKey('session-2'), cwd: PROJECT, prompt: 'Hello.' })
    expect(await told(bench, prompt)).toContain('keep blank lines')
  })

  test('what neither the start nor the prompt could deliver comes before a tool, to one of several at once', async () => {
    await using bench = await aBench()
    await work(bench)
    await endSession(bench)
    const second = { sessionKey: SessionKey('session-2'), cwd: PROJECT, process: { pid: 2 } }
    await bench.continuity.recordAll([
      { ...start('session-2', 2), at: bench.ports.time.now() },
      anEvent('prompt-submitted', { ...second, at: bench.ports.time.now(), prompt: 'Go on.' }),
    ])
    const about = () => {
      const event = anEvent('tool-started', { ...second, at: bench.ports.time.now(), tool: shell('ls') })
      return bench.continuity.inject({ event, maxChars: 9_500 })
    }
    const ofSubagent = anEvent('tool-started', { ...second, subagent: { id: 'a1' }, tool: shell('ls') })
    expect(await bench.continuity.inject({ event: ofSubagent, maxChars: 9_500 })).toBeUndefined()
    const texts = (await Promise.all([about(), about(), about()])).map((one) => one?.text)
    expect(texts).toEqual([expect.stringContaining('keep blank lines'), undefined, undefined])
    // Nobody took it: it is still owed.
    bench.ports.time.advance(3_000)
    const taken = await about()
    expect(taken?.text).toContain('keep blank lines')
    if (taken !== undefined) await bench.continuity.confirmInjection(taken.injection)
    bench.ports.time.advance(3_000)
    expect(await about()).toBeUndefined()
  })

  test('a recovery under preparation when a start gives up is what the prompt gets', async () => {
    await using bench = await aBench()
    await work(bench)
    await endSession(bench)
    const next = { ...start('session-2', 2), at: bench.ports.time.now() }
    await bench.continuity.record(next)
    const tooLate = await bench.continuity.inject({ event: next, maxChars: 9_500 })
    bench.ports.files.set(`${PROJECT}/src/parser.ts`, 'changed in between')
    const prompt = anEvent('prompt-submitted', { sessionKey: SessionKey('session-2'), cwd: PROJECT, prompt: 'Hello.' })
    expect(await told(bench, prompt)).toBe(tooLate?.text)
  })

  test('a live session is named to another, and its state is not injected', async () => {
    await using bench = await aBench()
    await work(bench)
    expect(withoutNonce(await told(bench, start('session-2', 2)))).toBe(LIVE_ONLY)
  })

  test('what a live session continues is not handed to another', async () => {
    await using bench = await aBench()
    await work(bench)
    await endSession(bench)
    expect(await told(bench, start('session-2', 2))).toContain('keep blank lines')
    const second = {
      sessionKey: SessionKey('session-2'),
      cwd: PROJECT,
      process: { pid: 2 },
      at: bench.ports.time.now(),
    }
    await bench.continuity.record(anEvent('prompt-submitted', { ...second, prompt: 'Go on.' }))
    expect(withoutNonce(await told(bench, start('session-3', 3)))).toBe(LIVE_ONLY)
  })

  test('a live session that ended its part of a task hands over what it did until then, and no more', async () => {
    await using bench = await aBench()
    const { continuity, ports } = bench
    await work(bench)
    await continuity.record(anEvent('digest-written', { ...here, at: ports.time.now(), summary: 'SENTINEL  7f3a' }))
    const task = { ...here, at: ports.time.now(), task: 'lines', taskSession: 'session-x' }
    await continuity.record(anEvent('task-session-changed', { ...task, state: 'active' }))
    expect(await told(bench, start('session-2', 2))).not.toContain('SENTINEL')
    await continuity.record(anEvent('task-session-changed', { ...task, state: 'complete' }))
    expect(await told(bench, start('session-3', 3))).toContain('SENTINEL  7f3a')
    await continuity.record(anEvent('digest-written', { ...here, at: ports.time.now(), summary: 'Something private.' }))
    const later = await told(bench, start('session-4', 4))
    expect(later).toContain('SENTINEL  7f3a')
    expect(later).not.toContain('private')
    const second = { sessionKey: SessionKey('session-4'), cwd: PROJECT, process: { pid: 4 }, at: ports.time.now() }
    await continuity.record(anEvent('prompt-submitted', { ...second, prompt: 'Go on with it.' }))
    const compacted = await told(bench, start('session-4', 4, 'compact'))
    expect(compacted).toContain('SENTINEL  7f3a')
    expect(compacted).not.toContain('private')
    expect((await bench.store.findSession(FIRST))?.phase).not.toBe('interrupted')
  })

  test('a session that was recovered from and is live again is not injected', async () => {
    await using bench = await aBench()
    const { continuity, ports } = bench
    await work(bench)
    ports.dead.add(1)
    const second = { sessionKey: SessionKey('session-2'), cwd: PROJECT, process: { pid: 2 } }
    expect(await told(bench, start('session-2', 2))).toContain('keep blank lines')
    await continuity.record(anEvent('prompt-submitted', { ...second, at: ports.time.now(), prompt: 'Just looking.' }))
    await continuity.record(anEvent('session-ended', { ...second, at: ports.time.now() }))
    await told(bench, start('session-1', 3, 'resume'))
    const live = { cwd: PROJECT, process: { pid: 3 }, at: ports.time.now() }
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
    await bench.continuity.record(anEvent('session-ended', { ...here, cwd: '/another', at: bench.ports.time.now() }))
    const next = { ...start('session-2', 2), cwd: '/another' }
    expect(await told(bench, next)).not.toContain('keep blank lines')
  })

  test('a killed session speaks at once, with everything since its last checkpoint', async () => {
    await using bench = await aBench()
    await work(bench)
    bench.ports.dead.add(1)
    expect(await told(bench, start('session-2', 2))).toContain('keep blank lines')
    expect((await bench.store.findSession(FIRST))?.phase).toBe('interrupted')
  })

  test('compaction brings back the session’s own state, whatever its age', async () => {
    await using bench = await aBench()
    await work(bench)
    bench.ports.time.advance(30 * 24 * 3_600_000)
    expect(await told(bench, start('session-1', 1, 'compact'))).toContain('keep blank lines')
  })

  test('another worktree’s state is offered by name and never told', async () => {
    await using bench = await aBench()
    await work(bench)
    await endSession(bench)
    await bench.continuity.drain()
    const block = await bench.continuity.previewRecovery({ cwd: `${PROJECT}#sibling` })
    expect([block.text, block.offered.map((offer) => offer.worktree)]).toEqual(['', [PROJECT]])
    const deps = bench.ports.deps(bench.store)
    const files = { ...deps.files, isDirectory: async () => false }
    const gone = await createContinuity({ ...deps, files }).previewRecovery({ cwd: `${PROJECT}#sibling` })
    expect(gone.offered).toEqual([])
  })

  test('older work comes with its age first, up to the window; named as the one before, without a limit', async () => {
    await using bench = await aBench()
    await work(bench)
    await endSession(bench)
    expect(await told(bench, start('session-2', 2))).not.toContain('Last worked on')
    bench.ports.dead.add(2)
    bench.ports.time.advance(3 * 24 * 3_600_000)
    expect(await told(bench, start('session-3', 3))).toMatch(/^\| Last worked on 3 d ago: claude-code session/m)
    bench.ports.dead.add(3)
    bench.ports.time.advance(12 * 24 * 3_600_000)
    expect(await told(bench, start('session-4', 4))).toBe('')
    const named = { ...start('session-5', 5), previousSessionKey: SessionKey('session-1') }
    expect(await told(bench, named)).toContain('keep blank lines')
  })

  test('a shorter time under way does not shorten the window', async () => {
    await using bench = await aBench()
    const { continuity } = bench.ports.config
    bench.ports.config = { ...bench.ports.config, continuity: { ...continuity, recoveryWindowMs: 60_000 } }
    await work(bench)
    await endSession(bench)
    bench.ports.time.advance(3_600_000)
    const text = await told(bench, start('session-2', 2))
    expect(text).toMatch(/^\| Last worked on 1 h ago: claude-code session/m)
    expect(text).toContain('keep blank lines')
  })

  test('the work of one session can be previewed, whatever a new session would get', async () => {
    await using bench = await aBench()
    await work(bench)
    const { continuity } = bench
    const own = { cwd: PROJECT, sessionKey: SessionKey('session-1') }
    expect((await continuity.previewRecovery(own)).text).toBe('')
    expect((await continuity.previewRecovery({ ...own, isResumed: true })).text).toContain('keep blank lines')
  })

  test('a package of a monorepo gets its own work before its neighbour’s', async () => {
    await using bench = await aBench()
    const inPackage = (name: string, pid: number) => ({
      sessionKey: SessionKey(name),
      cwd: `${PROJECT}/packages/${name}`,
      process: { pid },
    })
    for (const [name, pid] of [
      ['api', 1],
      ['web', 2],
    ] as const) {
      const own = { ...inPackage(name, pid), at: bench.ports.time.now() }
      await bench.continuity.recordAll([
        anEvent('session-started', own),
        anEvent('prompt-submitted', { ...own, prompt: `Rename the version in ${name}.` }),
        anEvent('tool-finished', own),
        anEvent('session-ended', own),
      ])
      bench.ports.time.advance(60_000)
    }
    const preview = async (folder: string) =>
      (await bench.continuity.previewRecovery({ cwd: `${PROJECT}${folder}` })).text
    expect(await preview('/packages/api')).toContain('Rename the version in api.')
    expect(await preview('/packages/web')).toContain('Rename the version in web.')
    expect(await preview('')).toContain('Rename the version in web.')
    expect(await preview('/packages/docs')).toMatch(/Z.*, in packages\/web\./)
  })

  test('a session that only asked where it was passes on its own recovery', async () => {
    await using bench = await aBench()
    await work(bench)
    await endSession(bench)
    await told(bench, start('session-2', 2))
    const second = {
      sessionKey: SessionKey('session-2'),
      cwd: PROJECT,
      process: { pid: 2 },
      at: bench.ports.time.now(),
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
    bench.ports.dead.add(1)
    const aside = { sessionKey: SessionKey('aside'), cwd: PROJECT, process: { pid: 2 }, at: bench.ports.time.now() }
    await bench.continuity.recordAll([
      anEvent('session-started', aside),
      anEvent('prompt-submitted', { ...aside, prompt: 'What is the time?' }),
      anEvent('session-ended', aside),
    ])
    const said = await told(bench, start('session-3', 3))
    expect(said).not.toContain('What is the time?')
    expect(said).toContain('src/parser.ts')
    const { injections } = await bench.continuity.explain({ sessionKey: SessionKey('session-3') })
    expect(
      injections[0]?.reasons.filter(({ line }) => line === '').map(({ origin, reason }) => [origin, reason]),
    ).toEqual([
      ['selection', 'same-worktree-and-branch'],
      ['chosen', 'claude-code session session-, just now: the newest session here on this branch that did work'],
      [
        'passed over',
        'claude-code session aside, just now: it did no work of its own (a question, "go on" or a commit)',
      ],
    ])
  })

  test('a gate that was passed in a terminal does not pass for whoever did the work', async () => {
    await using bench = await aBench()
    await work(bench)
    await endSession(bench)
    const task = { harness: 'holdfast', sessionKey: SessionKey('task-x'), cwd: PROJECT, door: 'cli' } as const
    await bench.continuity.recordAll([
      anEvent('gate-changed', { ...task, at: bench.ports.time.now(), task: 'x', to: 'G1' }),
      anEvent('session-ended', { ...task, at: bench.ports.time.now(), reason: 'other' }),
    ])
    expect(await told(bench, start('session-2', 2))).toContain('keep blank lines')
    const next = await bench.continuity.getSession(SessionKey('session-2'), 'claude-code')
    expect(next.continues).toBe('claude-code/session-1')
  })

  test('an unchanged recovery is not injected again into a resumed conversation', async () => {
    await using bench = await aBench()
    await work(bench)
    expect(await told(bench, start('session-1', 1, 'compact'))).toContain('keep blank lines')
    expect(await told(bench, start('session-1', 4, 'resume'))).toBe('')
    expect(await told(bench, start('session-1', 4, 'compact'))).toContain('keep blank lines')
  })

  test('a harness that loses its injections gets the recovery again when it resumes', async () => {
    await using bench = await aBench()
    await work(bench)
    const continuity = createContinuity({ ...bench.ports.deps(bench.store), forgetsInjections: () => true })
    const forgetful = { ...bench, continuity }
    expect(await told(forgetful, start('session-1', 1, 'compact'))).toContain('keep blank lines')
    expect(await told(forgetful, start('session-1', 4, 'resume'))).toContain('keep blank lines')
  })

  test('the same state gives the same lines, whatever its age', async () => {
    await using bench = await aBench()
    await work(bench)
    await endSession(bench)
    const first = await bench.continuity.previewRecovery({ cwd: PROJECT })
    bench.ports.time.advance(600_000)
    const second = await bench.continuity.previewRecovery({ cwd: PROJECT })
    const lines = (text: string) => text.split('\n').slice(3, -1)
    expect(lines(second.text)).toEqual(lines(first.text))
    expect([first.text, second.text].map((text) => /\(.* ago\)|\(just now\)/.exec(text)?.[0])).toEqual([
      '(just now)',
      '(10 min ago)',
    ])
  })

  test('switched off means silent', async () => {
    await using bench = await aBench()
    await work(bench)
    await endSession(bench)
    await bench.continuity.drain()
    bench.ports.config = { ...bench.ports.config, continuity: { ...bench.ports.config.continuity, enabled: false } }
    expect(await told(bench, start('session-2', 2))).toBe('')
  })
})

describe('a store that can be read and not written', () => {
  const full = () => Promise.reject(new HoldfastError('store-unavailable', 'database or disk is full'))

  function onFullDisk({ ports, store }: Awaited<ReturnType<typeof aBench>>) {
    const refusing = new Proxy(store, {
      get: (target, name, receiver) =>
        typeof name === 'string' && /^(?:append|record|mark|note|save|keep|prune|delete)/.test(name)
          ? full
          : Reflect.get(target, name, receiver),
    })
    return createContinuity(ports.deps(refusing))
  }

  test('a start that cannot be stored gets what a killed session had stored', async () => {
    await using bench = await aBench()
    await work(bench)
    await bench.continuity.checkpoint(FIRST, 'explicit')
    await bench.continuity.record(anEvent('prompt-submitted', { ...here, at: bench.ports.time.now(), prompt: 'More.' }))
    bench.ports.dead.add(1)
    const continuity = onFullDisk(bench)
    const next = { ...start('session-2', 2), at: bench.ports.time.now() }
    await expect(continuity.record(next)).rejects.toMatchObject({ code: 'store-unavailable' })
    expect(await continuity.recoverUnrecorded(next, 9_500)).toContain('keep blank lines')
  })

  test('a compaction that cannot be stored gets its own session, which is live', async () => {
    await using bench = await aBench()
    await work(bench)
    await bench.continuity.checkpoint(FIRST, 'explicit')
    const continuity = onFullDisk(bench)
    const at = bench.ports.time.now()
    expect(await continuity.recoverUnrecorded({ ...start('session-1', 1, 'compact'), at }, 9_500)).toContain(
      'blank lines',
    )
    expect(await continuity.recoverUnrecorded({ ...start('session-2', 2), at }, 9_500)).toContain('Also at work')
  })

  test('nothing else is answered in its place', async () => {
    await using bench = await aBench()
    await work(bench)
    await endSession(bench)
    const prompt = anEvent('prompt-submitted', { sessionKey: SessionKey('session-2'), cwd: PROJECT })
    expect(await onFullDisk(bench).recoverUnrecorded(prompt, 9_500)).toBe('')
  })
})
