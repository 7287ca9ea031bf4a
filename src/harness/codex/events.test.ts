import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EventId } from '../../kernel/id.ts'
import type { Arrival } from '../contract/connector.ts'
import { asObject } from '../../kernel/json-shape.ts'
import { isTranscriptMoreComplete, readEvent } from './events.ts'

const arrival: Arrival = { id: EventId('arrival-1'), at: '2026-11-15T18:00:00.000Z', door: 'hook', pid: 42 }
const fixtures = join(import.meta.dirname, 'fixtures')
const files = readdirSync(fixtures).toSorted()

function payloadOf(file: string): Readonly<Record<string, unknown>> {
  return asObject(asObject(JSON.parse(readFileSync(join(fixtures, file), 'utf8'))).payload)
}

const named = (name: string) => payloadOf(`${name}@0.166.0.json`)
const hookOf = (file: string) => file.split('.')[0]?.split('@')[0] ?? ''

/** Said by every event of these recordings alike. */
function withoutCommon(event: ReturnType<typeof readEvent>) {
  if (event === undefined) return undefined
  const { harness, at, door, cwd, process, ...own } = event
  expect({ harness, at, door, cwd, process }).toEqual({
    harness: 'codex',
    at: arrival.at,
    door: 'hook',
    cwd: '/home/dev/proj',
    process: { pid: 42 },
  })
  return own
}

test('every recorded payload is the event that it tells', () => {
  const told = files.map((file) => [file, withoutCommon(readEvent(hookOf(file), payloadOf(file), arrival))])
  expect(Object.fromEntries(told)).toMatchInlineSnapshot(`
    {
      "PostCompact.auto@0.166.0.json": {
        "id": "arrival-1",
        "kind": "compaction-finished",
        "sessionKey": "01a1e05d-8eb5-7293-ab35-f368b22d9575",
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T17-59-50-01a1e05d-8eb5-7293-ab35-f368b22d9575.jsonl",
        "trigger": "auto",
      },
      "PostToolUse.Bash@0.166.0.json": {
        "id": "codex/01a1e05d-8eb5-7293-ab35-f368b22d9575/tool-finished/call_mwi53bpbewah00003fake",
        "kind": "tool-finished",
        "outcome": {
          "ok": true,
          "output": "hi-codex
    ",
        },
        "sessionKey": "01a1e05d-8eb5-7293-ab35-f368b22d9575",
        "tool": {
          "callId": "call_mwi53bpbewah00003fake",
          "command": "echo hi-codex",
          "files": [],
          "kind": "shell",
          "name": "Bash",
        },
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T17-59-50-01a1e05d-8eb5-7293-ab35-f368b22d9575.jsonl",
      },
      "PostToolUse.Bash_failed@0.166.0.json": {
        "id": "codex/01a1e191-67ee-7ea2-9e85-86a1ae0ab25e/tool-finished/call_mwigrw90cb3a00104fake",
        "kind": "tool-finished",
        "outcome": {
          "ok": true,
          "output": "two failed
    ",
        },
        "sessionKey": "01a1e191-67ee-7ea2-9e85-86a1ae0ab25e",
        "tool": {
          "callId": "call_mwigrw90cb3a00104fake",
          "command": "echo two failed >&2; exit 4",
          "files": [],
          "kind": "shell",
          "name": "Bash",
        },
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T23-36-05-01a1e191-67ee-7ea2-9e85-86a1ae0ab25e.jsonl",
      },
      "PostToolUse.Bash_failed_in_subagent@0.166.0.json": {
        "id": "codex/01a1e190-d8a4-7a22-a1a9-c88bf167a7be/tool-finished/call_mwigrw90cb3a00086fake",
        "kind": "tool-finished",
        "outcome": {
          "ok": true,
          "output": "sub
    ",
        },
        "sessionKey": "01a1e190-d8a4-7a22-a1a9-c88bf167a7be",
        "subagent": {
          "id": "01a1e190-d937-7281-9e9d-fab767d1f605",
          "type": "default",
        },
        "tool": {
          "callId": "call_mwigrw90cb3a00086fake",
          "command": "echo sub; exit 2",
          "files": [],
          "kind": "shell",
          "name": "Bash",
        },
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T23-35-28-01a1e190-d937-7281-9e9d-fab767d1f605.jsonl",
      },
      "PostToolUse.apply_patch@0.166.0.json": {
        "id": "codex/01a1e191-67ee-7ea2-9e85-86a1ae0ab25e/tool-finished/call_mwigrw90cb3a00096fake",
        "kind": "tool-finished",
        "outcome": {
          "exitStatus": 0,
          "ok": true,
        },
        "sessionKey": "01a1e191-67ee-7ea2-9e85-86a1ae0ab25e",
        "tool": {
          "callId": "call_mwigrw90cb3a00096fake",
          "files": [
            {
              "action": "created",
              "path": "a.txt",
            },
          ],
          "fragment": "*** Begin Patch
    *** Add File: a.txt
    +hello
    *** End Patch",
          "kind": "edit",
          "name": "apply_patch",
        },
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T23-36-05-01a1e191-67ee-7ea2-9e85-86a1ae0ab25e.jsonl",
      },
      "PostToolUse.mcp__continuity__ping@0.166.0.json": {
        "id": "codex/01a1e05d-8eb5-7293-ab35-f368b22d9575/tool-finished/call_mwi53bpbewah00007fake",
        "kind": "tool-finished",
        "outcome": {
          "ok": true,
          "output": "pong {"text":"yo"}",
        },
        "sessionKey": "01a1e05d-8eb5-7293-ab35-f368b22d9575",
        "tool": {
          "callId": "call_mwi53bpbewah00007fake",
          "files": [],
          "kind": "mcp",
          "name": "mcp__continuity__ping",
        },
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T17-59-50-01a1e05d-8eb5-7293-ab35-f368b22d9575.jsonl",
      },
      "PostToolUse.spawn_agent@0.166.0.json": {
        "id": "codex/01a1e060-99a2-7751-8fee-9043b679285e/tool-finished/call_mwi579ysjf8600014fake",
        "kind": "tool-finished",
        "outcome": {
          "ok": true,
          "output": "{"agent_id":"01a1e060-a352-7081-8bbd-a18b33a1998c","nickname":"Parfit"}",
        },
        "sessionKey": "01a1e060-99a2-7751-8fee-9043b679285e",
        "tool": {
          "callId": "call_mwi579ysjf8600014fake",
          "files": [],
          "kind": "agent",
          "name": "spawn_agent",
        },
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T18-03-09-01a1e060-99a2-7751-8fee-9043b679285e.jsonl",
      },
      "PreCompact.auto@0.166.0.json": {
        "id": "arrival-1",
        "kind": "compaction-started",
        "sessionKey": "01a1e05d-8eb5-7293-ab35-f368b22d9575",
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T17-59-50-01a1e05d-8eb5-7293-ab35-f368b22d9575.jsonl",
        "trigger": "auto",
      },
      "PreToolUse.Bash@0.166.0.json": {
        "id": "codex/01a1e05d-8eb5-7293-ab35-f368b22d9575/tool-started/call_mwi53bpbewah00003fake",
        "kind": "tool-started",
        "sessionKey": "01a1e05d-8eb5-7293-ab35-f368b22d9575",
        "tool": {
          "callId": "call_mwi53bpbewah00003fake",
          "command": "echo hi-codex",
          "files": [],
          "kind": "shell",
          "name": "Bash",
        },
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T17-59-50-01a1e05d-8eb5-7293-ab35-f368b22d9575.jsonl",
      },
      "PreToolUse.apply_patch@0.166.0.json": {
        "id": "codex/01a1e191-67ee-7ea2-9e85-86a1ae0ab25e/tool-started/call_mwigrw90cb3a00096fake",
        "kind": "tool-started",
        "sessionKey": "01a1e191-67ee-7ea2-9e85-86a1ae0ab25e",
        "tool": {
          "callId": "call_mwigrw90cb3a00096fake",
          "files": [
            {
              "action": "created",
              "path": "a.txt",
            },
          ],
          "fragment": "*** Begin Patch
    *** Add File: a.txt
    +hello
    *** End Patch",
          "kind": "edit",
          "name": "apply_patch",
        },
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T23-36-05-01a1e191-67ee-7ea2-9e85-86a1ae0ab25e.jsonl",
      },
      "PreToolUse.mcp__continuity__ping@0.166.0.json": {
        "id": "codex/01a1e05d-8eb5-7293-ab35-f368b22d9575/tool-started/call_mwi53bpbewah00007fake",
        "kind": "tool-started",
        "sessionKey": "01a1e05d-8eb5-7293-ab35-f368b22d9575",
        "tool": {
          "callId": "call_mwi53bpbewah00007fake",
          "files": [],
          "kind": "mcp",
          "name": "mcp__continuity__ping",
        },
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T17-59-50-01a1e05d-8eb5-7293-ab35-f368b22d9575.jsonl",
      },
      "PreToolUse.multi_agent_v1wait_agent@0.166.0.json": {
        "id": "codex/01a1e060-99a2-7751-8fee-9043b679285e/tool-started/call_mwi579ysjf8600018fake",
        "kind": "tool-started",
        "sessionKey": "01a1e060-99a2-7751-8fee-9043b679285e",
        "tool": {
          "callId": "call_mwi579ysjf8600018fake",
          "files": [],
          "kind": "other",
          "name": "wait_agent",
        },
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T18-03-09-01a1e060-99a2-7751-8fee-9043b679285e.jsonl",
      },
      "PreToolUse.spawn_agent@0.166.0.json": {
        "id": "codex/01a1e060-99a2-7751-8fee-9043b679285e/tool-started/call_mwi579ysjf8600014fake",
        "kind": "tool-started",
        "sessionKey": "01a1e060-99a2-7751-8fee-9043b679285e",
        "tool": {
          "callId": "call_mwi579ysjf8600014fake",
          "files": [],
          "kind": "agent",
          "name": "spawn_agent",
        },
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T18-03-09-01a1e060-99a2-7751-8fee-9043b679285e.jsonl",
      },
      "SessionEnd.other@0.166.0.json": {
        "id": "arrival-1",
        "kind": "session-ended",
        "reason": "other",
        "sessionKey": "01a1e05d-8eb5-7293-ab35-f368b22d9575",
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T17-59-50-01a1e05d-8eb5-7293-ab35-f368b22d9575.jsonl",
      },
      "SessionStart.compact@0.166.0.json": {
        "id": "arrival-1",
        "kind": "session-started",
        "model": "fake-model",
        "sessionKey": "01a1e05d-8eb5-7293-ab35-f368b22d9575",
        "source": "compact",
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T17-59-50-01a1e05d-8eb5-7293-ab35-f368b22d9575.jsonl",
      },
      "SessionStart.resume@0.166.0.json": {
        "id": "arrival-1",
        "kind": "session-started",
        "model": "fake-model",
        "sessionKey": "01a1e05d-8eb5-7293-ab35-f368b22d9575",
        "source": "resume",
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T17-59-50-01a1e05d-8eb5-7293-ab35-f368b22d9575.jsonl",
      },
      "SessionStart.startup@0.166.0.json": {
        "id": "codex/01a1e05d-8eb5-7293-ab35-f368b22d9575/session-started/startup",
        "kind": "session-started",
        "model": "fake-model",
        "sessionKey": "01a1e05d-8eb5-7293-ab35-f368b22d9575",
        "source": "startup",
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T17-59-50-01a1e05d-8eb5-7293-ab35-f368b22d9575.jsonl",
      },
      "Stop@0.166.0.json": {
        "id": "codex/01a1e05d-8eb5-7293-ab35-f368b22d9575/turn-ended/01a1e05d-8f8f-7f50-98f1-aa342a3bb716.H8Gq_WpuV6fMWolMJd3qMx",
        "kind": "turn-ended",
        "lastMessage": "CODEX-DONE",
        "sessionKey": "01a1e05d-8eb5-7293-ab35-f368b22d9575",
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T17-59-50-01a1e05d-8eb5-7293-ab35-f368b22d9575.jsonl",
      },
      "SubagentStart@0.166.0.json": {
        "id": "codex/01a1e060-99a2-7751-8fee-9043b679285e/subagent-started/01a1e060-a352-7081-8bbd-a18b33a1998c",
        "kind": "subagent-started",
        "sessionKey": "01a1e060-99a2-7751-8fee-9043b679285e",
        "subagent": {
          "id": "01a1e060-a352-7081-8bbd-a18b33a1998c",
          "type": "default",
        },
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T18-03-12-01a1e060-a352-7081-8bbd-a18b33a1998c.jsonl",
      },
      "SubagentStop@0.166.0.json": {
        "id": "codex/01a1e076-cdfb-7f62-b0ec-b9e1e64e31cb/subagent-finished/01a1e076-ddaa-78c3-ad19-aa185fcf9b3f",
        "kind": "subagent-finished",
        "lastMessage": "SUB",
        "sessionKey": "01a1e076-cdfb-7f62-b0ec-b9e1e64e31cb",
        "subagent": {
          "id": "01a1e076-ddaa-78c3-ad19-aa185fcf9b3f",
          "type": "default",
        },
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T18-27-24-01a1e076-cdfb-7f62-b0ec-b9e1e64e31cb.jsonl",
      },
      "UserPromptSubmit._in_subagent@0.166.0.json": undefined,
      "UserPromptSubmit@0.166.0.json": {
        "id": "codex/01a1e05d-8eb5-7293-ab35-f368b22d9575/prompt-submitted/01a1e05d-8f8f-7f50-98f1-aa342a3bb716.v3V8KL_nap0w7XEgiu2ESN",
        "kind": "prompt-submitted",
        "prompt": "scripted
    @@tool exec_command {"cmd":"echo hi-codex"}
    @@tool mcp__continuity__ping {"text":"yo"}
    @@say CODEX-DONE",
        "sessionKey": "01a1e05d-8eb5-7293-ab35-f368b22d9575",
        "transcriptPath": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T17-59-50-01a1e05d-8eb5-7293-ab35-f368b22d9575.jsonl",
      },
    }
  `)
})

describe('traps of Codex 0.166', () => {
  test('UserPromptSubmit fires inside subagents with the session of their parent: that is nobody’s prompt', () => {
    const payload = named('UserPromptSubmit._in_subagent')
    expect(payload).toMatchObject({ session_id: expect.any(String), agent_id: expect.any(String) })
    expect(readEvent('UserPromptSubmit', payload, arrival)).toBeUndefined()
    const { agent_id: _agent, ...ofThePerson } = payload
    expect(readEvent('UserPromptSubmit', ofThePerson, arrival)).toMatchObject({ kind: 'prompt-submitted' })
  })

  test('PostToolUse of a command carries no exit status: the transcript is asked first', () => {
    expect(named('PostToolUse.Bash_failed')).toMatchObject({ tool_response: 'two failed\n' })
    expect(isTranscriptMoreComplete('PostToolUse', named('PostToolUse.Bash_failed'))).toBe(true)
    expect(isTranscriptMoreComplete('PostToolUse', named('PostToolUse.apply_patch'))).toBe(false)
    expect(isTranscriptMoreComplete('PreToolUse', named('PreToolUse.Bash'))).toBe(false)
  })

  test('transcript_path may be null: then the hook’s own word is all there is', () => {
    const payload = { ...named('PostToolUse.Bash'), transcript_path: null }
    expect(isTranscriptMoreComplete('PostToolUse', payload)).toBe(false)
    expect(readEvent('PostToolUse', payload, arrival)).not.toHaveProperty('transcriptPath')
  })

  test('two messages sent within one turn are two prompts, and the same one told twice is one', () => {
    const first = named('UserPromptSubmit')
    const id = (payload: unknown) => readEvent('UserPromptSubmit', payload, arrival)?.id
    expect(id({ ...first, prompt: 'and then stop' })).not.toBe(id(first))
    expect(id({ ...first, permission_mode: 'default' })).toBe(id(first))
  })

  test('a turn that a hook sent on stops again', () => {
    const stop = named('Stop')
    const again = { ...stop, stop_hook_active: true, last_assistant_message: 'Now it is done.' }
    expect(readEvent('Stop', again, arrival)?.id).not.toBe(readEvent('Stop', stop, arrival)?.id)
  })
})

test('a prompt that only contains text of ours or of Codex is dropped', () => {
  const ours = '## Session Recovery Context\n[holdfast 0123456789abcdef: data]\n| goal\n[/holdfast 0123456789abcdef]'
  const ask = (prompt: string) => readEvent('UserPromptSubmit', { ...named('UserPromptSubmit'), prompt }, arrival)
  expect(ask(ours)).toBeUndefined()
  expect(ask('<environment_context>\n<cwd>/p</cwd></environment_context>')).toBeUndefined()
  expect(ask(`${ours}\nfix the parser`)).toMatchObject({ prompt: 'fix the parser' })
})

test('unknown hooks and unknown fields are tolerated', () => {
  expect(readEvent('Interrupt', named('Stop'), arrival)).toBeUndefined()
  expect(readEvent('toString', named('Stop'), arrival)).toBeUndefined()
  expect(readEvent('Stop', { ...named('Stop'), brand_new: { deep: [1] } }, arrival)).toMatchObject({
    kind: 'turn-ended',
  })
  expect(readEvent('SessionStart', { ...named('SessionStart.startup'), source: 'teleport' }, arrival)).toMatchObject({
    source: 'startup',
  })
})
