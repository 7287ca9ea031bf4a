import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HoldfastError } from '../../kernel/errors.ts'
import { EventId, SessionKey } from '../../kernel/id.ts'
import type { Arrival } from '../contract/connector.ts'
import { asObject } from '../../kernel/json-shape.ts'
import { readEvent } from './events.ts'

const arrival: Arrival = { id: EventId('arrival-1'), at: '2026-11-15T18:00:00.000Z', door: 'hook' }
const fixtures = join(import.meta.dirname, 'fixtures')

function payloadOf(file: string): unknown {
  return asObject(JSON.parse(readFileSync(join(fixtures, file), 'utf8'))).payload
}

function readFixture(name: string) {
  return readEvent(name.split('.')[0] ?? '', payloadOf(`${name}@2.1.325.json`), arrival)
}

function sessionBase(key: string) {
  return {
    harness: 'claude-code',
    sessionKey: SessionKey(key),
    at: arrival.at,
    door: arrival.door,
    cwd: '/home/dev/proj',
    transcriptPath: `/home/user/.claude/projects/-home-dev-proj/${key}.jsonl`,
  }
}

const MAIN = 'e56b24e6-9af1-4470-8112-13a3c4df3217'
const AUTO = 'f66aa3d9-c26e-4d01-839c-d2d6af8908e2'
const CLEARED = 'ff07fbf5-fd2a-4840-9147-8a985e1c0b82'
const AFTER_CLEAR = 'be809157-f442-4069-85fe-340b8162dd1e'
const base = { id: 'arrival-1', ...sessionBase(MAIN) }
const subagent = { id: 'acefdd1e6346dde5a', type: 'general-purpose' }
const idOf = (kind: string, key: string) => `claude-code/${MAIN}/${kind}/${key}`

const echo = {
  callId: 'toolu_000001fake',
  name: 'Bash',
  kind: 'shell',
  files: [],
  command: 'echo hello-from-fake',
  description: 'echo',
}
const write = {
  callId: 'toolu_000004fake',
  name: 'Write',
  kind: 'edit',
  files: [{ path: '/home/dev/proj/out.txt', action: 'created' }],
  fragment: 'hi',
}
const ping = { callId: 'toolu_000007fake', name: 'mcp__continuity__ping', kind: 'mcp', files: [] }
const agent = { callId: 'toolu_000001fake', name: 'Agent', kind: 'agent', files: [], description: 'sub' }
const inSubagent = { callId: 'toolu_000004fake', name: 'Bash', kind: 'shell', files: [], command: 'echo from-subagent' }

const EXPECTED: Readonly<Record<string, unknown>> = {
  'SessionStart.startup': { ...base, kind: 'session-started', source: 'startup' },
  'SessionStart.resume': { ...base, kind: 'session-started', source: 'resume' },
  'SessionStart.clear': { ...base, ...sessionBase(AFTER_CLEAR), kind: 'session-started', source: 'clear' },
  'SessionStart.compact': { ...base, kind: 'session-started', source: 'compact', model: 'claude-opus-5-5' },
  UserPromptSubmit: {
    ...base,
    id: idOf('prompt-submitted', '12283007-9629-4b43-860d-8e6e37d2a25b'),
    kind: 'prompt-submitted',
    prompt: String(asObject(payloadOf('UserPromptSubmit@2.1.325.json')).prompt),
    promptId: '12283007-9629-4b43-860d-8e6e37d2a25b',
  },
  'PreToolUse.Bash': { ...base, id: idOf('tool-started', 'toolu_000001fake'), kind: 'tool-started', tool: echo },
  'PreToolUse.Write': {
    ...base,
    id: idOf('tool-started', 'toolu_000004fake'),
    kind: 'tool-started',
    tool: { ...write, files: [{ path: '/home/dev/proj/out.txt', action: 'edited' }] },
  },
  'PreToolUse.mcp__continuity__ping': {
    ...base,
    id: idOf('tool-started', 'toolu_000007fake'),
    kind: 'tool-started',
    tool: ping,
  },
  'PreToolUse.Agent': { ...base, id: idOf('tool-started', 'toolu_000001fake'), kind: 'tool-started', tool: agent },
  'PreToolUse.Bash_in_subagent': {
    ...base,
    id: idOf('tool-started', 'toolu_000004fake'),
    subagent,
    kind: 'tool-started',
    tool: inSubagent,
  },
  'PostToolUse.Bash': {
    ...base,
    id: idOf('tool-finished', 'toolu_000001fake'),
    kind: 'tool-finished',
    tool: echo,
    outcome: { ok: true, output: 'hello-from-fake', durationMs: 49 },
  },
  'PostToolUse.Write': {
    ...base,
    id: idOf('tool-finished', 'toolu_000004fake'),
    kind: 'tool-finished',
    tool: write,
    outcome: { ok: true, durationMs: 6 },
  },
  'PostToolUse.mcp__continuity__ping': {
    ...base,
    id: idOf('tool-finished', 'toolu_000007fake'),
    kind: 'tool-finished',
    tool: ping,
    outcome: { ok: true, output: 'pong {"text":"yo"}', durationMs: 6 },
  },
  'PostToolUse.Agent': {
    ...base,
    id: idOf('tool-finished', 'toolu_000001fake'),
    kind: 'tool-finished',
    tool: agent,
    outcome: { ok: true, output: 'SUB-DONE', durationMs: 1326 },
  },
  'PostToolUse.Bash_in_subagent': {
    ...base,
    id: idOf('tool-finished', 'toolu_000004fake'),
    subagent,
    kind: 'tool-finished',
    tool: inSubagent,
    outcome: { ok: true, output: 'from-subagent', durationMs: 45 },
  },
  'PostToolUseFailure.Bash': {
    ...base,
    id: idOf('tool-finished', 'toolu_000010fake'),
    kind: 'tool-finished',
    tool: {
      callId: 'toolu_000010fake',
      name: 'Bash',
      kind: 'shell',
      files: [],
      command: 'exit 3',
      description: 'fail',
    },
    outcome: { ok: false, exitStatus: 3, durationMs: 17 },
  },
  Stop: { ...base, kind: 'turn-ended', lastMessage: 'ALL-DONE' },
  SubagentStart: {
    ...base,
    id: idOf('subagent-started', 'acefdd1e6346dde5a'),
    subagent,
    kind: 'subagent-started',
  },
  SubagentStop: {
    ...base,
    id: idOf('subagent-finished', 'acefdd1e6346dde5a'),
    subagent,
    kind: 'subagent-finished',
    lastMessage: 'SUB-DONE',
  },
  'SubagentStop.compaction_fork': undefined,
  'PreCompact.manual': { ...base, kind: 'compaction-started', trigger: 'manual', instructions: 'keep the marker' },
  'PreCompact.auto': { ...base, ...sessionBase(AUTO), kind: 'compaction-started', trigger: 'auto' },
  'PostCompact.manual': { ...base, kind: 'compaction-finished', trigger: 'manual', summary: 'RESUMED-DONE' },
  'PostCompact.auto': {
    ...base,
    ...sessionBase(AUTO),
    kind: 'compaction-finished',
    trigger: 'auto',
    summary:
      '<summary>\nFAKE-SUMMARY: 1. Primary request: exercise hooks. 2. Pending: none. 3. Next step: none.\n</summary>',
  },
  'SessionEnd.clear': { ...base, ...sessionBase(CLEARED), kind: 'session-ended', reason: 'clear' },
  'SessionEnd.other': { ...base, kind: 'session-ended', reason: 'other' },
  'SessionEnd.prompt_input_exit': {
    ...base,
    ...sessionBase(AFTER_CLEAR),
    kind: 'session-ended',
    reason: 'exit',
  },
  InstructionsLoaded: undefined,
  PostToolBatch: undefined,
  'PostToolBatch._in_subagent': undefined,
}

describe('recorded payloads', () => {
  test('every recording has an expectation', () => {
    const recorded = readdirSync(fixtures).filter((file) => file.endsWith('.json'))
    expect(recorded.map((file) => file.replace('@2.1.325.json', '')).sort()).toEqual(Object.keys(EXPECTED).sort())
  })

  test.each(Object.entries(EXPECTED))('%s reads as the expected event', (name, expected) => {
    expect(readFixture(name)).toEqual(expected)
  })

  test.each(readdirSync(join(fixtures, 'http')))('http/%s reads as what its command hook would have sent', (file) => {
    const name = file.replace('@2.1.325.json', '')
    const event = readEvent(name.split('.')[0] ?? '', payloadOf(join('http', file)), arrival)
    expect(event?.kind).toBe(asObject(EXPECTED[name]).kind)
  })
})

const minimal = { session_id: 's1', cwd: '/p' }

describe('readEvent', () => {
  test('says which process the session runs in when the hook knew', () => {
    const event = readEvent('Stop', minimal, { ...arrival, pid: 42, pidStartedAt: '77', harnessVersion: '2.1.325' })
    expect(event).toEqual({
      id: 'arrival-1',
      harness: 'claude-code',
      harnessVersion: '2.1.325',
      sessionKey: 's1',
      at: arrival.at,
      door: 'hook',
      cwd: '/p',
      process: { pid: 42, startedAt: '77' },
      kind: 'turn-ended',
    })
  })

  test('ignores hooks it does not know, whatever they carry', () => {
    expect(readEvent('MessageDisplay', null, arrival)).toBeUndefined()
    expect(readEvent('HoldfastProbe', { session_id: 's1' }, arrival)).toBeUndefined()
    expect(readEvent('toString', minimal, arrival)).toBeUndefined()
    expect(readEvent('__proto__', minimal, arrival)).toBeUndefined()
  })

  test('an unknown start source or end reason does not cost the event', () => {
    expect(readEvent('SessionStart', { ...minimal, source: 'teleport' }, arrival)).toMatchObject({ source: 'startup' })
    expect(readEvent('SessionEnd', { ...minimal, reason: 'toString' }, arrival)).toMatchObject({ reason: 'other' })
  })

  test('a field of the wrong type reads as absent', () => {
    expect(readEvent('Stop', { ...minimal, last_assistant_message: 7, agent_id: [] }, arrival)).toEqual({
      id: 'arrival-1',
      harness: 'claude-code',
      sessionKey: 's1',
      at: arrival.at,
      door: 'hook',
      cwd: '/p',
      kind: 'turn-ended',
    })
  })

  test('a prompt that only the harness wrote is dropped', () => {
    const machine = { ...minimal, prompt: '<task-notification>\n<task-id>a1</task-id>\n</task-notification>' }
    expect(readEvent('UserPromptSubmit', machine, arrival)).toBeUndefined()
    expect(readEvent('UserPromptSubmit', { ...minimal, source: 'system', prompt: 'go on' }, arrival)).toBeUndefined()
    expect(
      readEvent('UserPromptSubmit', { ...minimal, source: 'loop_wakeup', prompt: 'go on' }, arrival),
    ).toMatchObject({
      prompt: 'go on',
    })
  })

  test('a session of Cursor, which runs these hooks too, is not taken for one of Claude Code', () => {
    expect(readEvent('Stop', { ...minimal, cursor_version: '2.0' }, arrival)).toBeUndefined()
  })

  test.each([[null], ['text'], [{}], [{ session_id: '' }], [{ session_id: 'x'.repeat(300) }], [{ session_id: 5 }]])(
    'refuses a payload without a usable session: %j',
    (payload) => {
      expect(() => readEvent('Stop', payload, arrival)).toThrow(HoldfastError)
    },
  )

  test('bounds what it keeps', () => {
    const long = `start ${'word '.repeat(50_000)}end`
    const event = readEvent(
      'PostToolUse',
      { ...minimal, tool_name: 'Bash', tool_input: { command: long }, tool_response: { stdout: long } },
      arrival,
    )
    expect(JSON.stringify(event).length).toBeLessThan(8_000)
    expect(event).toMatchObject({ outcome: { output: expect.stringMatching(/^start .* end$|^start [\s\S]*end$/) } })
  })

  test('a key that is not a plain word cannot become part of an id', () => {
    const event = readEvent('UserPromptSubmit', { ...minimal, prompt: 'x', prompt_id: '../../etc' }, arrival)
    expect(event?.id).toBe('arrival-1')
  })
})
