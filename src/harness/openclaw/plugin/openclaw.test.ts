import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { waitUntil } from '../../../../test/support/product.ts'
import { StandInDaemon } from '../../../../test/support/stand-in-daemon.ts'
import { type TempDir, tempDir } from '../../../../test/support/temp-dir.ts'
import { asObject } from '../../../kernel/json-shape.ts'
import { createHook } from './hook.ts'
import { PLUGIN_MARK } from './sessions.ts'
import { plugin } from './openclaw.ts'

const RECOVERY =
  '## Session Recovery Context\n[holdfast 0123456789abcdef: recovered]\n| Goal: x\n[/holdfast 0123456789abcdef]'
/** Nothing is spooled here, and no event is sent at the end of the test run. */
const NO_NODE = '/nonexistent/node'
const ID = 'c9672525-2a03-4543-bbbd-ae80f500d633'
const context = { sessionId: ID, sessionKey: 'agent:main:main', workspaceDir: '/w', runId: 'run-1', trigger: 'user' }

let dir: TempDir
let budget: string | undefined

beforeEach(() => {
  dir = tempDir()
  budget = process.env.HOLDFAST_HOOK_BUDGET_MS
  // These tests check what is reported, not how soon.
  process.env.HOLDFAST_HOOK_BUDGET_MS = '20000'
  Reflect.deleteProperty(globalThis, PLUGIN_MARK)
})
afterEach(() => {
  if (budget === undefined) delete process.env.HOLDFAST_HOOK_BUDGET_MS
  else process.env.HOLDFAST_HOOK_BUDGET_MS = budget
  Reflect.deleteProperty(globalThis, PLUGIN_MARK)
  dir[Symbol.dispose]()
})

type Handler = (event: unknown, context: unknown) => unknown

/** OpenClaw's side: registers, and calls every handler that was registered for a hook. */
function gateway() {
  const handlers: [string, Handler][] = []
  const api = {
    pluginConfig: { home: dir.path, node: NO_NODE },
    on: (hook: string, handler: Handler) => void handlers.push([hook, handler]),
  }
  plugin.register(api)
  const emit = async (hook: string, event: unknown, about: unknown = context) =>
    Promise.all(handlers.filter(([name]) => name === hook).map(([, handler]) => handler(event, about)))
  return { api, emit, handlers }
}

describe('the plugin in OpenClaw', () => {
  test('says what a start is answered with at every prompt: the history does not keep it', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    daemon.answers.set('session_start', RECOVERY)
    const { emit } = gateway()
    await emit('session_start', { sessionId: ID })
    expect(await emit('before_prompt_build', { prompt: 'Fix it.', messages: [] })).toEqual([
      { prependContext: RECOVERY },
    ])
    expect(await emit('before_prompt_build', { prompt: 'And now?', messages: [{}] })).toEqual([
      { prependContext: RECOVERY },
    ])
    expect(daemon.hooks).toEqual(['session_start', 'before_prompt_build', 'before_prompt_build'])
  })

  test('session_start fires only in gateway mode: an embedded run is opened at its first prompt', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    const { emit } = gateway()
    await emit('before_prompt_build', { prompt: 'Fix it.', messages: [{ role: 'user' }] })
    expect(daemon.told[0]).toMatchObject({
      hook: 'session_start',
      payload: { source: 'resume', session: { id: ID, workspace: '/w' } },
    })
  })

  test('before_agent_start is never called any more: prompts are heard at before_prompt_build', () => {
    const heard = gateway().handlers.map(([hook]) => hook)
    expect(heard).not.toContain('before_agent_start')
    expect(heard).toContain('before_prompt_build')
  })

  test('before_tool_call fails closed: a tool runs unless the daemon says why not, and one that reads is not waited for', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    const { emit } = gateway()
    const exec = { toolName: 'exec', params: {}, toolCallId: 'c' }
    expect(await emit('before_tool_call', exec)).toEqual([undefined])
    daemon.answers.set('before_tool_call', 'Sandbox: only reading passes.')
    expect(await emit('before_tool_call', { ...exec, toolCallId: 'd' })).toEqual([
      { block: true, blockReason: 'Sandbox: only reading passes.' },
    ])
    expect(await emit('before_tool_call', { ...exec, toolName: 'read', toolCallId: 'e' })).toEqual([undefined])
    await emit('gateway_stop', { reason: 'stop' })
    expect(daemon.hooks).toEqual(['before_tool_call', 'before_tool_call', 'before_tool_call'])
  })

  test('without a daemon a tool runs, whatever the plugin could not ask', async () => {
    process.env.HOLDFAST_HOOK_BUDGET_MS = '50'
    const { emit } = gateway()
    expect(await emit('before_tool_call', { toolName: 'exec', params: {}, toolCallId: 'c' })).toEqual([undefined])
  })

  test('before_compaction carries no messages: its count is reported with the result, and the session continues', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    const { emit } = gateway()
    await emit('before_prompt_build', { prompt: 'Fix it.', messages: [] })
    daemon.answers.set('session_start', RECOVERY)
    await emit('before_compaction', { messageCount: 10, tokenCount: 58_532 })
    await emit('after_compaction', { messageCount: 2, tokenCount: 248 })
    expect(await emit('before_prompt_build', { prompt: 'And now?', messages: [] })).toEqual([
      { prependContext: RECOVERY },
    ])
    const after = daemon.told.find(({ hook }) => hook === 'after_compaction')
    expect(after?.payload).toMatchObject({ tokensBefore: 58_532 })
    expect(daemon.told.findLast(({ hook }) => hook === 'session_start')?.payload).toMatchObject({ source: 'compact' })
  })

  test("the context's size and limit go with the next event", async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    const { emit } = gateway()
    const usage = { input: 4_800, totalTokens: 4_900 }
    await emit('llm_output', { contextTokenBudget: 60_000, lastAssistant: { usage }, usage: { total: 99_000 } })
    await emit('agent_end', { messages: [], runId: 'run-1' })
    await emit('agent_end', { messages: [], runId: 'run-2' })
    await emit('agent_end', { messages: [{ usage }, { usage: { totalTokens: 5_100 } }, {}], runId: 'run-3' })
    await waitUntil(() => daemon.told.length === 3, 'all three ends are reported')
    expect(daemon.told.map(({ payload }) => asObject(payload).context)).toEqual([
      { tokens: 4_900, window: 60_000 },
      undefined,
      { tokens: 5_100, window: 60_000 },
    ])
  })

  test('/new with the same sessionId is a new start, not a resumed session', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    const { emit } = gateway()
    await emit('session_start', { sessionId: ID })
    await emit('session_end', { sessionId: ID, reason: 'new', nextSessionId: ID })
    await emit('session_start', { sessionId: ID, resumedFrom: ID })
    await emit('gateway_stop', {})
    expect(daemon.told.map(({ hook }) => hook)).toEqual([
      'session_start',
      'session_end',
      'session_start',
      'gateway_stop',
    ])
    expect(daemon.told[2]?.payload).toMatchObject({ source: 'clear' })
  })

  test('a subagent works for the session that spawned it', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    const { emit } = gateway()
    await emit('before_prompt_build', { prompt: 'Fix it.', messages: [] })
    const key = 'agent:main:subagent:7'
    const about = { childSessionKey: key, requesterSessionKey: context.sessionKey }
    await emit('subagent_spawned', { childSessionKey: key, runId: 'r', agentId: 'main' }, about)
    const child = { sessionKey: key, sessionId: 'child', workspaceDir: '/w' }
    expect(await emit('before_prompt_build', { prompt: 'Count.', messages: [] }, child)).toEqual([undefined])
    await emit('after_tool_call', { toolName: 'exec', params: {}, toolCallId: 'c' }, child)
    await emit('gateway_stop', {})
    const call = daemon.told.find(({ hook }) => hook === 'after_tool_call')
    expect(call?.payload).toMatchObject({ session: { id: 'child', key, root: ID, isChild: true } })
  })

  test('registered twice, by two copies even, it tells everything once', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    const { api, emit, handlers } = gateway()
    plugin.register(api)
    expect(handlers.filter(([hook]) => hook === 'after_tool_call')).toHaveLength(2)
    await emit('after_tool_call', { toolName: 'exec', params: {}, toolCallId: 'c' })
    await emit('gateway_stop', {})
    expect(daemon.hooks).toEqual(['after_tool_call'])
  })

  test('whatever OpenClaw hands over, nothing is thrown into it', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    const { emit, handlers } = gateway()
    const names = handlers.map(([hook]) => hook).filter((hook) => hook !== 'gateway_stop')
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.anything(), fc.anything(), async (hook, event, about) => {
        await emit(hook, event, about)
        await emit(hook, event, { ...context, extra: about })
      }),
      { numRuns: 150, seed: 5 },
    )
    expect(daemon.told.length).toBeGreaterThan(0)
    for (const api of [undefined, null, 7, {}, { on: 'x' }]) plugin.register(api)
  })
})

describe('the hook of the older kind', () => {
  function bootstrap() {
    const bootstrapFiles: unknown[] = []
    const event = { type: 'agent', action: 'bootstrap', sessionKey: 'agent:main:main' }
    return { event: { ...event, context: { workspaceDir: '/w', sessionId: ID, bootstrapFiles } }, bootstrapFiles }
  }

  test('gives a run its recovery as a file that exists in its context only', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    daemon.answers.set('agent:bootstrap', RECOVERY)
    const hook = createHook({ home: dir.path, node: NO_NODE })
    for (const { event, bootstrapFiles } of [bootstrap(), bootstrap()]) {
      await hook(event)
      expect(bootstrapFiles).toEqual([
        { name: 'HOLDFAST.md', path: '/w/HOLDFAST.md', content: RECOVERY, missing: false },
      ])
    }
    expect(daemon.hooks).toEqual(['agent:bootstrap'])
    await hook({ type: 'command', action: 'new', context: { sessionEntry: { sessionId: ID } } })
    await hook({ type: 'gateway', action: 'shutdown', context: {} })
    expect(daemon.hooks).toEqual(['agent:bootstrap', 'command:new'])
  })

  test('is silent where the plugin speaks', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    gateway()
    const { event, bootstrapFiles } = bootstrap()
    await createHook({ home: dir.path })(event)
    expect([bootstrapFiles, daemon.told]).toEqual([[], []])
  })

  test('never throws', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    const hook = createHook({ home: dir.path, node: NO_NODE })
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (event) => {
        await hook(event)
        await hook({ type: 'session', action: 'compact:after', context: event })
      }),
      { numRuns: 80, seed: 5 },
    )
    const { event, bootstrapFiles } = bootstrap()
    daemon.answers.set('agent:bootstrap', RECOVERY)
    await hook(event)
    expect(bootstrapFiles).toHaveLength(1)
  })
})
