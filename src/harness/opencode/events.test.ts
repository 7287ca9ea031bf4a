import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../kernel/event.ts'
import { EventId } from '../../kernel/id.ts'
import type { Arrival } from '../contract/connector.ts'
import { isObject, asText } from '../../kernel/json-shape.ts'
import { readEvent } from './events.ts'
import { openCode } from './index.ts'

const folder = join(import.meta.dirname, 'fixtures')
const arrival: Arrival = { id: EventId('arrival-1'), at: '2026-11-15T18:00:00.000Z', door: 'hook', pid: 42 }

interface Recorded {
  readonly hook: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** As the recorder wrote it; it put `event:` before the events of the bus. */
function recorded(name: string): Recorded {
  const payload: unknown = JSON.parse(readFileSync(join(folder, `${name}@1.18.33.json`), 'utf8'))
  if (!isObject(payload)) throw new Error(`${name} is not a payload`)
  return { hook: (asText(payload.hook) ?? '').replace(/^event:/, ''), payload }
}

function read(name: string, added: object = {}): SessionEvent | undefined {
  const { hook, payload } = recorded(name)
  return readEvent(hook, { ...payload, ...added }, arrival)
}

const names = readdirSync(folder).map((file) => file.replace(/@1\.18\.33\.json$/, ''))
const MAIN = 'ses_e1fa63125ffeVzT155XiIiMSqu'
const PARENT = 'ses_e1fa3e385ffe0QjPUSidZSspb7'
const CHILD = 'ses_e1fa2fc4cffecv24WkfDQ56kaQ'
const common = { harness: 'opencode', at: arrival.at, door: 'hook', process: { pid: 42 } }

/** Recorded calls that tell nothing by themselves. */
const SILENT = [
  '__init',
  'chat.params',
  'config',
  'dispose',
  'event_catalog.updated',
  'event_integration.updated',
  'event_message.part.delta',
  'event_message.part.updated.compaction',
  'event_message.part.updated.step-finish',
  'event_message.part.updated.step-start',
  'event_message.part.updated.text',
  'event_message.part.updated.tool',
  'event_message.updated.assistant',
  'event_message.updated.assistant.done',
  'event_message.updated.assistant.summary',
  'event_message.updated.assistant.summary.done',
  'event_message.updated.user',
  'event_plugin.added',
  'event_reference.updated',
  'event_session.diff',
  'event_session.status',
  'event_session.updated',
  'experimental.chat.messages.transform',
  'experimental.chat.system.transform',
  'experimental.compaction.autocontinue',
  'experimental.text.complete',
  'shell.env',
]

describe('what was recorded of OpenCode 1.18.33', () => {
  test.each(SILENT)('%s is not an event', (name) => {
    expect(read(name)).toBeUndefined()
  })

  test('everything else is one', () => {
    const events = names.filter((name) => !SILENT.includes(name)).map((name) => [name, read(name)?.kind])
    expect(Object.fromEntries(events)).toEqual({
      'chat.message': 'prompt-submitted',
      'event_session.compacted': 'compaction-finished',
      'event_session.created': 'session-started',
      'event_session.created.child': 'subagent-started',
      'event_session.idle': 'turn-ended',
      'experimental.session.compacting': 'compaction-started',
      'tool.execute.after.bash': 'tool-finished',
      'tool.execute.after.continuity_ping': 'tool-finished',
      'tool.execute.after.task': 'tool-finished',
      'tool.execute.before.bash': 'tool-started',
      'tool.execute.before.continuity_ping': 'tool-started',
      'tool.execute.before.task': 'tool-started',
    })
  })

  test('a new session starts where it was created, in the version that created it', () => {
    expect(read('event_session.created', { transcript: '/home/user/opencode.db' })).toEqual({
      ...common,
      kind: 'session-started',
      source: 'startup',
      id: `opencode/${MAIN}/session-started/created`,
      harnessVersion: '1.18.33',
      sessionKey: MAIN,
      cwd: '/home/dev/proj',
      transcriptPath: '/home/user/opencode.db',
    })
  })

  test('a command keeps its line, its status and its output', () => {
    const session = { id: PARENT, root: PARENT, directory: '/home/dev/proj', version: '1.18.33' }
    expect(read('tool.execute.after.bash', { session })).toEqual({
      ...common,
      kind: 'tool-finished',
      id: `opencode/${PARENT}/tool-finished/call_mwi516v48l4p00004fake`,
      harnessVersion: '1.18.33',
      sessionKey: PARENT,
      cwd: '/home/dev/proj',
      tool: {
        callId: 'call_mwi516v48l4p00004fake',
        name: 'bash',
        kind: 'shell',
        files: [],
        command: 'echo hi-oc',
        description: 'echo',
      },
      outcome: { ok: true, exitStatus: 0, output: 'hi-oc\n' },
    })
  })
})

describe('traps', () => {
  test('no session-start hook: a resumed session is opened by the plugin', () => {
    const opened = { input: { sessionID: MAIN }, source: 'resume', session: { id: MAIN, root: MAIN } }
    expect(readEvent('session.opened', opened, arrival)).toEqual({
      ...common,
      kind: 'session-started',
      source: 'resume',
      id: arrival.id,
      sessionKey: MAIN,
    })
  })

  test('subagent = child session: its work belongs to the session it runs in', () => {
    expect(read('event_session.created.child')).toMatchObject({
      kind: 'subagent-started',
      sessionKey: PARENT,
      subagent: { id: CHILD, type: 'general' },
    })
    const session = { id: CHILD, root: PARENT, agent: 'general', directory: '/home/dev/proj' }
    expect(read('tool.execute.before.bash', { session })).toMatchObject({
      kind: 'tool-started',
      sessionKey: PARENT,
      subagent: { id: CHILD, type: 'general' },
    })
  })

  test("a child session's prompt and its session.idle are not the user's", () => {
    const session = { id: CHILD, root: PARENT, agent: 'general' }
    expect(read('chat.message', { session })).toBeUndefined()
    const idle = read('event_session.idle', { session, last: { messageID: 'msg_1', text: 'SUB-OK' } })
    expect(idle).toMatchObject({ kind: 'subagent-finished', sessionKey: PARENT, lastMessage: 'SUB-OK' })
  })

  test('tool.execute.after has {title, output, metadata} for built-in tools and raw {content} for MCP tools', () => {
    expect(read('tool.execute.after.continuity_ping')).toMatchObject({
      tool: { name: 'continuity_ping', kind: 'mcp' },
      outcome: { ok: true, output: 'pong {}' },
    })
    expect(read('tool.execute.after.task')).toMatchObject({
      tool: { name: 'task', kind: 'agent' },
      outcome: { ok: true, output: expect.stringContaining('SUB-OK') },
    })
  })

  test('tool.execute.after is not called when a tool throws or its arguments are wrong: the message part reports it', () => {
    const part = {
      type: 'tool',
      tool: 'edit',
      callID: 'call_1',
      state: {
        status: 'error',
        input: { filePath: '/home/dev/proj/a.ts', oldString: 'x', newString: 'y' },
        error: 'Could not find oldString in the file.',
        time: { start: 1_000, end: 1_250 },
      },
    }
    const event = { type: 'message.part.updated', properties: { sessionID: MAIN, part } }
    expect(readEvent('message.part.updated', { input: { event } }, arrival)).toEqual({
      ...common,
      kind: 'tool-finished',
      id: `opencode/${MAIN}/tool-finished/call_1`,
      sessionKey: MAIN,
      tool: {
        callId: 'call_1',
        name: 'edit',
        kind: 'edit',
        files: [{ path: '/home/dev/proj/a.ts', action: 'edited' }],
        fragment: 'x\ny',
      },
      outcome: { ok: false, output: 'Could not find oldString in the file.', durationMs: 250 },
    })
  })

  test('compaction: asked for, done and gone on from are three facts with one key', () => {
    const asked = { id: 'msg_c', auto: true }
    const session = { id: PARENT, root: PARENT }
    const facts = [
      read('experimental.session.compacting', { ...asked, session }),
      read('event_session.compacted', { ...asked, session, summary: 'What was done.' }),
      readEvent('session.opened', { input: {}, source: 'compact', ...asked, session }, arrival),
    ]
    expect(facts.map((event) => event?.id)).toEqual([
      `opencode/${PARENT}/compaction-started/msg_c`,
      `opencode/${PARENT}/compaction-finished/msg_c`,
      `opencode/${PARENT}/session-started/compact-msg_c`,
    ])
    expect(facts[0]).toMatchObject({ trigger: 'auto' })
    expect(facts[1]).toMatchObject({ trigger: 'auto', summary: 'What was done.' })
    expect(facts[2]).toMatchObject({ source: 'compact' })
  })

  test("a synthetic part is not the user's", () => {
    const { payload } = recorded('chat.message')
    const part = (text: string, synthetic: boolean) => ({ type: 'text', text, synthetic })
    const output = { message: { id: 'msg_9' }, parts: [part('Fix it.', false), part('Recovered context.', true)] }
    expect(readEvent('chat.message', { ...payload, output }, arrival)).toMatchObject({
      prompt: 'Fix it.',
      promptId: 'msg_9',
    })
  })

  test("the write tool's new files are distinguished from replaced ones", () => {
    const call = (exists: boolean) =>
      readEvent(
        'tool.execute.after',
        {
          input: { tool: 'write', sessionID: MAIN, callID: 'c', args: { filePath: '/w/a.ts', content: 'x' } },
          output: { output: 'Wrote file successfully.', metadata: { exists } },
        },
        arrival,
      )
    expect(call(false)).toMatchObject({ tool: { files: [{ path: '/w/a.ts', action: 'created' }] } })
    expect(call(true)).toMatchObject({ tool: { files: [{ path: '/w/a.ts', action: 'edited' }] } })
  })

  test('a non-zero exit status is a failure, though OpenCode calls it completed', () => {
    const output = { output: 'boom', metadata: { exit: 3 } }
    const { payload } = recorded('tool.execute.after.bash')
    expect(readEvent('tool.execute.after', { ...payload, output }, arrival)).toMatchObject({
      outcome: { ok: false, exitStatus: 3, output: 'boom' },
    })
  })

  test('the todo list of todowrite is the list', () => {
    const args = { todos: [{ content: 'Fix the parser', status: 'in_progress', priority: 'high' }] }
    const input = { tool: 'todowrite', sessionID: MAIN, callID: 'c', args }
    expect(readEvent('tool.execute.after', { input, output: { output: '[]' } }, arrival)).toMatchObject({
      tool: { kind: 'todo', todo: { kind: 'list', todos: [{ text: 'Fix the parser', status: 'in_progress' }] } },
    })
  })
})

describe('what is put before the agent', () => {
  test('is plain text, for the hooks that have a way', () => {
    expect(openCode.writeInjection('chat.message', 'Where you were')).toBe('Where you were')
    expect(openCode.writeInjection('session.idle', 'Where you were')).toBeUndefined()
    expect(openCode.writeInjection('chat.message', 'x'.repeat(20_000))).toBeUndefined()
    const answered = hooks().filter(
      (hook) => openCode.writeInjection(hook, 'x') !== undefined && openCode.canInject(hook, {}),
    )
    expect(answered).toEqual(['session.created', 'session.opened', 'chat.message', 'experimental.session.compacting'])
    expect(hooks().filter((hook) => openCode.writeRefusal?.(hook, 'No.') === 'No.')).toEqual(['tool.execute.before'])
  })

  function hooks() {
    return openCode.hooks.map(({ hook }) => hook)
  }
})
