import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { waitUntil } from '../../../../test/support/product.ts'
import { StandInDaemon } from '../../../../test/support/stand-in-daemon.ts'
import { type TempDir, tempDir } from '../../../../test/support/temp-dir.ts'
import { asObject } from '../../../kernel/json-shape.ts'
import { holdfast } from './opencode.ts'

const RECOVERY =
  '## Session Recovery Context\n[holdfast 0123456789abcdef: recovered]\n| Goal: x\n[/holdfast 0123456789abcdef]'
const MAIN = 'ses_main'
const CHILD = 'ses_child'

let dir: TempDir
let budget: string | undefined

beforeEach(() => {
  dir = tempDir()
  budget = process.env.HOLDFAST_HOOK_BUDGET_MS
  // These tests check what is reported, not how soon.
  process.env.HOLDFAST_HOOK_BUDGET_MS = '20000'
})
afterEach(() => {
  if (budget === undefined) delete process.env.HOLDFAST_HOOK_BUDGET_MS
  else process.env.HOLDFAST_HOOK_BUDGET_MS = budget
  dir[Symbol.dispose]()
})

let instances = 0

/** A plugin in a folder of its own: two in one folder are one. */
function load(client: unknown = {}, home = dir.path) {
  instances += 1
  const directory = `/w/${instances}`
  const hooks = holdfast({ client, directory, worktree: directory }, { home, node: process.execPath })
  const call = async (name: string, input: unknown, output: unknown = {}) => void (await hooks[name]?.(input, output))
  const event = (type: string, properties: object) => call('event', { event: { type, properties } })
  return { hooks, call, event, directory }
}

function created(id: string, parentID?: string) {
  return { sessionID: id, info: { id, parentID, directory: '/w', version: '1.18.33', agent: 'general' } }
}

function message(text: string) {
  return { message: { id: 'msg_1' }, parts: [{ id: 'prt_1', sessionID: MAIN, messageID: 'msg_1', type: 'text', text }] }
}

describe('the plugin in OpenCode', () => {
  test('puts the recovery of a start behind the first prompt, hidden from the title and shown to the agent', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    daemon.answers.set('session.created', RECOVERY)
    const { call, event } = load()
    await event('session.created', created(MAIN))
    const output = message('Fix it.')
    await call('chat.message', { sessionID: MAIN }, output)
    const hidden = { id: 'prt_1z', sessionID: MAIN, messageID: 'msg_1', type: 'text', text: RECOVERY, synthetic: true }
    expect(output.parts[1]).toEqual({ ...hidden, ignored: true })
    const seen = { messages: [{ info: { role: 'user', sessionID: MAIN }, parts: [...output.parts] }] }
    await call('experimental.chat.messages.transform', {}, seen)
    expect(seen.messages[0]?.parts[1]).toEqual({ ...hidden, ignored: false })
    expect(daemon.hooks).toEqual(['session.created', 'chat.message'])
    expect(daemon.told[0]).toMatchObject({ pid: String(process.pid), payload: { session: { id: MAIN, root: MAIN } } })
  })

  test('a resumed session, of which OpenCode says nothing, is opened at its first prompt and once', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    daemon.answers.set('session.opened', RECOVERY)
    const client = { session: { get: async () => ({ data: { id: MAIN, directory: '/w', version: '1.18.33' } }) } }
    const { call } = load(client)
    const [first, second] = [message('Where were we?'), message('And now?')]
    await call('chat.message', { sessionID: MAIN }, first)
    await call('chat.message', { sessionID: MAIN }, second)
    expect(daemon.hooks).toEqual(['session.opened', 'chat.message', 'chat.message'])
    expect([first.parts.length, second.parts.length]).toEqual([2, 1])
  })

  test('what is owed after a compaction goes with every call until there is a prompt to keep it in', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    const { call, event } = load()
    await event('session.created', created(MAIN))
    await call('chat.message', { sessionID: MAIN }, message('Fix it.'))
    daemon.answers.set('session.opened', RECOVERY)
    await event('message.part.updated', {
      sessionID: MAIN,
      part: { type: 'compaction', messageID: 'msg_c', auto: true },
    })
    const summarizer = { context: [] }
    daemon.answers.set('experimental.session.compacting', 'Keep the ids.')
    await call('experimental.session.compacting', { sessionID: MAIN }, summarizer)
    expect(summarizer.context).toEqual(['Keep the ids.'])
    await event('session.compacted', { sessionID: MAIN })
    const turn = () => ({
      messages: [{ info: { role: 'user', sessionID: MAIN }, parts: [...message('Continue.').parts] }],
    })
    for (const seen of [turn(), turn()]) {
      await call('experimental.chat.messages.transform', {}, seen)
      expect(seen.messages[0]?.parts.map((part) => asObject(part).text)).toEqual(['Continue.', RECOVERY])
    }
    const next = message('And now?')
    await call('chat.message', { sessionID: MAIN }, next)
    expect(next.parts.map((part) => part.text)).toEqual(['And now?', RECOVERY])
    const after = turn()
    await call('experimental.chat.messages.transform', {}, after)
    expect(after.messages[0]?.parts).toHaveLength(1)
    const compacted = daemon.told.find(({ hook }) => hook === 'session.compacted')
    expect(compacted?.payload).toMatchObject({ id: 'msg_c', auto: true })
  })

  test('output.system goes to the title generator too: nothing is put there', () => {
    const { hooks } = load()
    expect(hooks).not.toHaveProperty('experimental.chat.system.transform')
  })

  test('a tool runs unless the daemon says why not: then the reason is thrown, which OpenCode hands to the agent', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    const { call, event } = load()
    await event('session.created', created(MAIN))
    const before = (tool: string) => call('tool.execute.before', { tool, sessionID: MAIN, callID: 'c' }, { args: {} })
    await before('bash')
    daemon.answers.set('tool.execute.before', 'Sandbox: only reading passes.')
    await expect(before('bash')).rejects.toThrow('Sandbox: only reading passes.')
    await before('read')
    await waitUntil(() => daemon.hooks.length === 4, 'every call is reported')
  })

  test('without a daemon a tool runs, whatever the plugin could not ask', async () => {
    process.env.HOLDFAST_HOOK_BUDGET_MS = '50'
    const { call } = load({}, join(dir.path, 'nobody'))
    await call('tool.execute.before', { tool: 'bash', sessionID: MAIN, callID: 'c' }, { args: {} })
  })

  test("the context's size and limit go with the next event, once; a summary does not count", async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    const { call, event } = load()
    const answered = (tokens: object, more: object = {}) =>
      event('message.updated', {
        sessionID: MAIN,
        info: { id: 'msg_2', role: 'assistant', modelID: 'big', tokens, ...more },
      })
    await event('session.created', created(MAIN))
    await call('chat.params', { sessionID: MAIN, agent: 'build', model: { id: 'big', limit: { context: 200_000 } } })
    await call('chat.params', { sessionID: MAIN, agent: 'title', model: { id: 'small', limit: { context: 8_000 } } })
    await answered({ input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } })
    await answered({ input: 1_200, output: 25, reasoning: 5, cache: { read: 40_000, write: 70 } })
    await event('session.idle', { sessionID: MAIN })
    await event('session.idle', { sessionID: MAIN })
    await answered({ input: 190_000, output: 900 })
    await answered({ input: 190_000, output: 900 }, { id: 'msg_3', summary: true })
    await event('session.compacted', { sessionID: MAIN })
    await waitUntil(() => daemon.told.length === 5, 'all five are reported')
    expect(daemon.told.map(({ payload }) => asObject(payload).context)).toEqual([
      undefined,
      { tokens: 41_300, window: 200_000 },
      undefined,
      undefined,
      undefined,
    ])
    expect(daemon.told[3]).toMatchObject({
      hook: 'session.compacted',
      payload: { tokensBefore: 190_000, tokensAfter: 900 },
    })
  })

  test('a subagent is reported with the session it works for, and nothing is injected into it', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    daemon.answers.set('chat.message', RECOVERY)
    const { call, event } = load()
    await event('session.created', created(MAIN))
    await event('session.created', created(CHILD, MAIN))
    const output = message('Count files.')
    await call('chat.message', { sessionID: CHILD }, output)
    expect(output.parts).toHaveLength(1)
    await call('tool.execute.before', { sessionID: CHILD, tool: 'bash', callID: 'c' }, { args: {} })
    await call('dispose', {})
    expect(daemon.hooks).toEqual(['session.created', 'session.created', 'tool.execute.before', 'dispose'])
    expect(daemon.told[2]?.payload).toMatchObject({ session: { id: CHILD, root: MAIN, agent: 'general' } })
  })

  test('two copies in one process speak with one voice, and a folder that was let go of can be taken again', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    const options = { home: dir.path, node: process.execPath }
    const first = holdfast({ directory: '/w/shared' }, options)
    expect(holdfast({ directory: '/w/shared' }, options)).toEqual({})
    await first.dispose?.({}, {})
    expect(Object.keys(holdfast({ directory: '/w/shared' }, options))).not.toEqual([])
    expect(daemon.told).toEqual([])
  })

  test('without a daemon, and without a way to keep anything, prompts go on as they are', async () => {
    process.env.HOLDFAST_HOOK_BUDGET_MS = '50'
    const { call } = load({}, join(dir.path, 'nowhere'))
    const output = message('Fix it.')
    await call('chat.message', { sessionID: MAIN }, output)
    expect(output.parts).toHaveLength(1)
  })

  test('whatever OpenCode hands over, nothing is thrown into it', async () => {
    await using daemon = await StandInDaemon.start(dir.path)
    const { hooks, event } = load()
    await event('session.created', created(MAIN))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(hooks)),
        fc.anything(),
        fc.anything(),
        async (name, input, output) => {
          if (name === 'dispose') return
          await hooks[name]?.(input, output)
          await hooks[name]?.({ sessionID: MAIN, event: { type: 'session.idle', properties: input } }, output)
        },
      ),
      { numRuns: 150, seed: 5 },
    )
    expect(daemon.hooks[0]).toBe('session.created')
  })
})

test('while the daemon is away, each event is handed to the client that spools, with who it is from', async () => {
  const log = join(dir.path, 'calls.txt')
  const script = join(dir.path, 'hook.cjs')
  writeFileSync(
    script,
    `const fs=require('fs');fs.appendFileSync(${JSON.stringify(log)},process.argv.slice(2).join(' ')+' '+process.env.HOLDFAST_PID+' '+fs.readFileSync(0).length+'\\n')`,
  )
  const hooks = holdfast(
    { directory: '/w/away' },
    { home: join(dir.path, 'home'), node: process.execPath, hook: script },
  )
  await hooks['tool.execute.before']?.({ sessionID: MAIN, tool: 'bash', callID: 'c1' }, { args: { command: 'ls' } })
  await hooks['tool.execute.after']?.({ sessionID: MAIN, tool: 'bash', callID: 'c1' }, { output: 'a' })
  const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
  await waitUntil(() => lines().length === 2, 'both were handed over', 60_000)
  expect(lines().map((line) => line.split(' ').slice(0, 3))).toEqual([
    ['opencode', 'tool.execute.before', String(process.pid)],
    ['opencode', 'tool.execute.after', String(process.pid)],
  ])
})
