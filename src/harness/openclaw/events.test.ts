import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../kernel/event.ts'
import { EventId } from '../../kernel/id.ts'
import type { Arrival } from '../contract/connector.ts'
import { isObject, asText } from '../../kernel/json-shape.ts'
import { readEvent } from './events.ts'

const folder = join(import.meta.dirname, 'fixtures')
const arrival: Arrival = { id: EventId('arrival-1'), at: '2026-11-15T18:00:00.000Z', door: 'hook', pid: 42 }

/** As the recorder wrote it; it put `internal:` or `legacy:` before events of the older kind. */
function recorded(name: string) {
  const payload: unknown = JSON.parse(readFileSync(join(folder, `${name}@2026.9.6.json`), 'utf8'))
  if (!isObject(payload)) throw new Error(`${name} is not a payload`)
  return { hook: (asText(payload.hook) ?? '').replace(/^(?:internal|legacy):/, ''), payload }
}

function read(name: string, added: object = {}): SessionEvent | undefined {
  const { hook, payload } = recorded(name)
  return readEvent(hook, { ...payload, ...added }, arrival)
}

const names = readdirSync(folder).map((file) => file.replace(/@2026\.9\.6\.json$/, ''))
const LOCAL = '28f25dc6-b9c3-451e-b186-1f93ec6a67b5'
const SESSION = 'c9672525-2a03-4543-bbbd-ae80f500d633'
const RUN = 'af04b45d-f821-4598-9810-29bd8f1bd877'
const common = { harness: 'openclaw', at: arrival.at, door: 'hook', process: { pid: 42 } }

/** Recorded calls that tell nothing by themselves. */
const SILENT = [
  'agent_turn_prepare',
  'before_agent_finalize',
  'before_agent_run',
  'before_model_resolve',
  'before_reset',
  'gateway_stop',
  'llm_input',
  'llm_output',
  'subagent_ended',
]

describe('what was recorded of OpenClaw 2026.9.6', () => {
  test.each(SILENT)('%s is not an event', (name) => {
    expect(read(name)).toBeUndefined()
  })

  test('everything else is one', () => {
    const events = names.filter((name) => !SILENT.includes(name)).map((name) => [name, read(name)?.kind])
    expect(Object.fromEntries(events)).toEqual({
      after_compaction: 'compaction-finished',
      after_tool_call: 'tool-finished',
      agent_end: 'turn-ended',
      before_compaction: 'compaction-started',
      before_prompt_build: 'prompt-submitted',
      before_tool_call: 'tool-started',
      internal_agent_bootstrap: 'session-started',
      internal_command_new: 'session-ended',
      internal_session_compact_after: 'compaction-finished',
      internal_session_compact_before: 'compaction-started',
      legacy_agent_bootstrap: 'session-started',
      legacy_command_new: 'session-ended',
      legacy_session_compact_after: 'compaction-finished',
      legacy_session_compact_before: 'compaction-started',
      session_end: 'session-ended',
      session_start: 'session-started',
    })
  })

  test('a command keeps its line, its status, its output and its time', () => {
    expect(read('after_tool_call', { session: { id: LOCAL, root: LOCAL, workspace: '/home/dev/ws' } })).toEqual({
      ...common,
      kind: 'tool-finished',
      id: `openclaw/${LOCAL}/tool-finished/call_mwi5f76p2gg00002fake`,
      sessionKey: LOCAL,
      cwd: '/home/dev/ws',
      tool: {
        callId: 'call_mwi5f76p2gg00002fake',
        name: 'exec',
        kind: 'shell',
        files: [],
        command: 'echo hi-claw',
      },
      outcome: { ok: true, exitStatus: 0, output: 'hi-claw', durationMs: 612 },
    })
  })

  test('a prompt is known by its run, a turn too', () => {
    expect(read('before_prompt_build')).toMatchObject({
      id: `openclaw/${LOCAL}/prompt-submitted/${RUN}`,
      promptId: RUN,
      cwd: '/home/dev/ws',
    })
    expect(read('agent_end')).toMatchObject({ id: `openclaw/${LOCAL}/turn-ended/${RUN}` })
  })

  test('what an older hook says of a compaction is how much it took', () => {
    expect(read('internal_session_compact_after')).toMatchObject({ tokensBefore: 58525, tokensAfter: 248 })
    expect(read('after_compaction', { tokensBefore: 58532 })).toMatchObject({ tokensBefore: 58532, tokensAfter: 248 })
  })
})

describe('traps', () => {
  test('/new kept the same sessionId: the session ends and starts again, and does not follow itself', () => {
    expect(read('session_end')).toMatchObject({ sessionKey: SESSION, reason: 'clear' })
    const started = read('session_start', { source: 'clear' })
    expect(started).toMatchObject({ sessionKey: SESSION, source: 'clear' })
    expect(started).not.toHaveProperty('previousSessionKey')
  })

  test('a session that follows another names it', () => {
    const { payload } = recorded('session_start')
    const event = { sessionId: SESSION, resumedFrom: LOCAL }
    expect(readEvent('session_start', { ...payload, event }, arrival)).toMatchObject({
      source: 'resume',
      previousSessionKey: LOCAL,
    })
  })

  test('session_start and session_end fire only in gateway mode: the plugin opens an embedded session itself', () => {
    const opened = { event: {}, ctx: {}, session: { id: LOCAL, root: LOCAL, workspace: '/w' }, source: 'startup' }
    expect(readEvent('session_start', opened, arrival)).toMatchObject({
      sessionKey: LOCAL,
      source: 'startup',
      cwd: '/w',
    })
    const stopped = { event: {}, session: { id: LOCAL, root: LOCAL } }
    expect(readEvent('gateway_stop', stopped, arrival)).toMatchObject({ kind: 'session-ended', reason: 'exit' })
  })

  test('before_compaction has neither messages nor a file: it is an event all the same', () => {
    expect(read('before_compaction')).toMatchObject({ kind: 'compaction-started', sessionKey: LOCAL, trigger: 'auto' })
  })

  test('after_compaction.sessionFile is not a file: nothing reads it as a transcript', () => {
    expect(read('after_compaction')).not.toHaveProperty('transcriptPath')
  })

  test("subagent_ended is said of a user's own session that was reset", () => {
    expect(read('subagent_ended')).toBeUndefined()
  })

  test('MCP and plugin tools sit behind tool_call: the tool is the one that was called', () => {
    const event = {
      toolName: 'tool_call',
      params: { name: 'continuity__ping', arguments: { text: 'yo' } },
      toolCallId: 'c',
    }
    expect(readEvent('before_tool_call', { event, ctx: { sessionId: LOCAL } }, arrival)).toMatchObject({
      tool: { name: 'continuity__ping', kind: 'mcp' },
    })
  })

  test('a subagent works for the session that spawned it, and its prompts are not the user’s', () => {
    const key = 'agent:main:subagent:77'
    const session = { id: 'child', key, root: LOCAL, isChild: true }
    expect(read('before_tool_call', { session })).toMatchObject({ sessionKey: LOCAL, subagent: { id: key } })
    expect(read('before_prompt_build', { session })).toBeUndefined()
    const spawned = {
      event: { childSessionKey: key, runId: 'run-1' },
      ctx: {},
      session: { key, root: LOCAL, isChild: true },
    }
    expect(readEvent('subagent_spawned', spawned, arrival)).toMatchObject({
      kind: 'subagent-started',
      sessionKey: LOCAL,
    })
    expect(
      readEvent('before_tool_call', { event: { toolName: 'exec' }, ctx: { sessionKey: key } }, arrival),
    ).toBeUndefined()
  })

  test("prompts of a heartbeat, a timer or another session are not the user's", () => {
    const { payload } = recorded('before_prompt_build')
    for (const ctx of [{ trigger: 'heartbeat' }, { trigger: 'user', inputProvenance: { kind: 'inter_session' } }])
      expect(
        readEvent('before_prompt_build', { ...payload, ctx: { ...objectIn(payload.ctx), ...ctx } }, arrival),
      ).toBeUndefined()
  })

  test('the time that OpenClaw puts before a message is removed', () => {
    const event = { prompt: '[Sun 2026-11-15 18:09 UTC] Fix it.' }
    expect(readEvent('before_prompt_build', { event, ctx: { sessionId: LOCAL } }, arrival)).toMatchObject({
      prompt: 'Fix it.',
    })
  })

  function objectIn(value: unknown): object {
    return isObject(value) ? value : {}
  }
})
