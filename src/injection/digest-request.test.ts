import { describe, expect, test } from 'vitest'
import { AgentApiSetup, type EventBody, ROOT } from '../../test/support/agent-api-setup.ts'
import { anEvent } from '../../test/support/events.ts'
import { SessionKey, toSessionId } from '../kernel/id.ts'
import { createDigestRequest } from './digest-request.ts'

const ID = toSessionId('claude-code', SessionKey('me'))

async function aSession({ hasTools = true } = {}) {
  const world = await AgentApiSetup.open()
  world.config = { ...world.config, digest: { ...world.config.digest, askAfterCalls: 5 } }
  const request = createDigestRequest({
    ...world.deps(world.store),
    hasTools: () => hasTools,
    getContextWindow: () => 1_000,
  })
  const happen = (event: EventBody) => world.happen('me', event)
  await happen({ kind: 'session-started', source: 'startup' })
  return {
    world,
    happen,
    async work(calls: number) {
      for (let call = 0; call < calls; call += 1)
        await happen({ kind: 'tool-finished', tool: { name: 'Read', kind: 'read', files: [] }, outcome: { ok: true } })
    },
    measure: (tokens: number) => happen({ kind: 'prompt-submitted', prompt: 'Go on.', context: { tokens } }),
    async ask({ isRead = true, subagent = false } = {}) {
      world.time.advance(5_000)
      const session = await world.store.findSession(ID)
      if (session === undefined) throw new Error('The session is not stored.')
      const event = anEvent('prompt-submitted', {
        sessionKey: SessionKey('me'),
        cwd: ROOT,
        ...(subagent && { subagent: { id: 'one' } }),
      })
      const injected = await request({ event, session, maxChars: 9_500 })
      if (injected !== undefined && isRead) await world.engine.confirmInjection(injected.injection)
      return injected?.text
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

describe('the request for a digest', () => {
  test('comes when the context passes its share, once, and again after the next compaction', async () => {
    await using bench = await aSession()
    await bench.work(2)
    await bench.measure(640)
    expect(await bench.ask()).toBeUndefined()
    await bench.measure(650)
    expect(await bench.ask()).toMatchInlineSnapshot(`
      "## Holdfast asks for a handoff
      The context is 65 % full. Before you go on, call the Holdfast tool \`session_digest\` once (session_id "me"), so that a session after a compaction or a crash can continue. Fields: goal, rules (what the user said that still binds, in their words), done, in_progress, next_action, fails (what does not work), decisions (with reasons). State only what you saw; leave out what is empty. Then continue as you would have."
    `)
    await bench.measure(800)
    expect(await bench.ask()).toBeUndefined()
    await bench.happen({ kind: 'compaction-finished' })
    await bench.happen({ kind: 'session-started', source: 'compact' })
    expect(await bench.ask()).toBeUndefined()
    await bench.measure(700)
    expect(await bench.ask()).toContain('70 % full')
  })

  test('comes when much was done since the last digest, and counts from the digest or the request', async () => {
    await using bench = await aSession()
    await bench.work(4)
    expect(await bench.ask()).toBeUndefined()
    await bench.work(1)
    expect(await bench.ask()).toContain('5 tool calls were made')
    await bench.work(4)
    expect(await bench.ask()).toBeUndefined()
    await bench.happen({ kind: 'digest-written', summary: 'Half done.' })
    await bench.work(4)
    expect(await bench.ask()).toBeUndefined()
    await bench.work(1)
    expect(await bench.ask()).toContain('14 tool calls')
  })

  test('stays due until it has arrived', async () => {
    await using bench = await aSession()
    await bench.work(5)
    expect(await bench.ask({ isRead: false })).toBeDefined()
    expect(await bench.ask()).toBeDefined()
    expect(await bench.ask()).toBeUndefined()
  })

  test('does not come right after a digest, to a subagent, without the tools, or where the user set 0', async () => {
    await using bench = await aSession()
    await bench.work(3)
    await bench.happen({ kind: 'digest-written', summary: 'Half done.' })
    await bench.measure(900)
    expect(await bench.ask()).toBeUndefined()
    await bench.work(1)
    expect(await bench.ask({ subagent: true })).toBeUndefined()
    const { config } = bench.world
    bench.world.config = { ...config, digest: { ...config.digest, askPercent: 0, askAfterCalls: 0 } }
    expect(await bench.ask()).toBeUndefined()
    bench.world.config = config
    expect(await bench.ask()).toContain('90 % full')

    await using other = await aSession({ hasTools: false })
    await other.work(9)
    await other.measure(900)
    expect(await other.ask()).toBeUndefined()
  })

  test('a digest that a program wrote does not stand in for the agent’s own', async () => {
    await using bench = await aSession()
    await bench.work(5)
    await bench.happen({ kind: 'digest-written', summary: 'Seen from outside.', author: 'command' })
    expect(await bench.ask()).toContain('5 tool calls')
  })
})
