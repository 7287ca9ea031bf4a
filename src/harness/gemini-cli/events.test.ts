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

const named = (name: string) => payloadOf(`${name}@0.61.0.json`)
const hookOf = (file: string) => file.split('.')[0]?.split('@')[0] ?? ''

/** Said by every event of these recordings alike. */
function withoutCommon(event: ReturnType<typeof readEvent>) {
  if (event === undefined) return undefined
  const { harness, at, door, cwd, process, ...own } = event
  expect({ harness, at, door, cwd, process }).toEqual({
    harness: 'gemini-cli',
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
      "AfterAgent@0.61.0.json": {
        "id": "gemini-cli/ebbd49b6-d998-4535-9ccf-4c9c9f78e94f/turn-ended/2026-11-15T18:05:09.372Z",
        "kind": "turn-ended",
        "lastMessage": "GEM-DONE",
        "sessionKey": "ebbd49b6-d998-4535-9ccf-4c9c9f78e94f",
        "transcriptPath": "/home/user/.gemini/tmp/proj/chats/session-2026-11-15T18-04-ebbd49b6.jsonl",
      },
      "AfterModel@0.61.0.json": undefined,
      "AfterTool.mcp_continuity_ping@0.61.0.json": {
        "id": "gemini-cli/ebbd49b6-d998-4535-9ccf-4c9c9f78e94f/tool-finished/2026-11-15T18:05:06.023Z.UbLuDWfXeXaxjMgoVQJYuh",
        "kind": "tool-finished",
        "outcome": {
          "ok": true,
          "output": "pong {"text":"yo"}",
        },
        "sessionKey": "ebbd49b6-d998-4535-9ccf-4c9c9f78e94f",
        "tool": {
          "files": [],
          "kind": "mcp",
          "name": "mcp_continuity_ping",
        },
        "transcriptPath": "/home/user/.gemini/tmp/proj/chats/session-2026-11-15T18-04-ebbd49b6.jsonl",
      },
      "AfterTool.read_file_failed@0.61.0.json": {
        "id": "gemini-cli/93812b36-4b5b-42bb-99f8-008bfb7376fd/tool-finished/2026-11-15T23:28:13.994Z.L-DNDHb8unNE89GZII42wA",
        "kind": "tool-finished",
        "outcome": {
          "ok": false,
          "output": "File not found: /home/dev/proj/none.txt",
        },
        "sessionKey": "93812b36-4b5b-42bb-99f8-008bfb7376fd",
        "tool": {
          "files": [
            {
              "action": "read",
              "path": "/home/dev/proj/none.txt",
            },
          ],
          "kind": "read",
          "name": "read_file",
        },
        "transcriptPath": "/home/user/.gemini/tmp/proj/chats/session-2026-11-15T23-28-93812b36.jsonl",
      },
      "AfterTool.run_shell_command@0.61.0.json": {
        "id": "gemini-cli/ebbd49b6-d998-4535-9ccf-4c9c9f78e94f/tool-finished/2026-11-15T18:05:01.554Z.AvJHU6CZWr7IzVaB3EbgfO",
        "kind": "tool-finished",
        "outcome": {
          "ok": true,
          "output": "hi-gem",
        },
        "sessionKey": "ebbd49b6-d998-4535-9ccf-4c9c9f78e94f",
        "tool": {
          "command": "echo hi-gem",
          "description": "e",
          "files": [],
          "kind": "shell",
          "name": "run_shell_command",
        },
        "transcriptPath": "/home/user/.gemini/tmp/proj/chats/session-2026-11-15T18-04-ebbd49b6.jsonl",
      },
      "AfterTool.run_shell_command_failed@0.61.0.json": {
        "id": "gemini-cli/93812b36-4b5b-42bb-99f8-008bfb7376fd/tool-finished/2026-11-15T23:28:13.058Z.ZWMY0wgFMVGAU1PYnu1ZIi",
        "kind": "tool-finished",
        "outcome": {
          "exitStatus": 3,
          "ok": false,
          "output": "out
    err",
        },
        "sessionKey": "93812b36-4b5b-42bb-99f8-008bfb7376fd",
        "tool": {
          "command": "echo out; echo err >&2; exit 3",
          "description": "e",
          "files": [],
          "kind": "shell",
          "name": "run_shell_command",
        },
        "transcriptPath": "/home/user/.gemini/tmp/proj/chats/session-2026-11-15T23-28-93812b36.jsonl",
      },
      "AfterTool.write_file@0.61.0.json": {
        "id": "gemini-cli/93812b36-4b5b-42bb-99f8-008bfb7376fd/tool-finished/2026-11-15T23:28:13.420Z._SCF9DRmjdJWhe2ifYo87L",
        "kind": "tool-finished",
        "outcome": {
          "ok": true,
        },
        "sessionKey": "93812b36-4b5b-42bb-99f8-008bfb7376fd",
        "tool": {
          "files": [
            {
              "action": "created",
              "path": "/home/dev/proj/a.txt",
            },
          ],
          "fragment": "hello",
          "kind": "edit",
          "name": "write_file",
        },
        "transcriptPath": "/home/user/.gemini/tmp/proj/chats/session-2026-11-15T23-28-93812b36.jsonl",
      },
      "BeforeAgent@0.61.0.json": {
        "id": "gemini-cli/ebbd49b6-d998-4535-9ccf-4c9c9f78e94f/prompt-submitted/2026-11-15T18:04:58.687Z",
        "kind": "prompt-submitted",
        "prompt": "scripted
    @@tool run_shell_command {"command":"echo hi-gem","description":"e"}
    @@tool mcp_continuity_ping {"text":"yo"}
    @@say GEM-DONE",
        "sessionKey": "ebbd49b6-d998-4535-9ccf-4c9c9f78e94f",
        "transcriptPath": "/home/user/.gemini/tmp/proj/chats/session-2026-11-15T18-04-ebbd49b6.jsonl",
      },
      "BeforeModel@0.61.0.json": undefined,
      "BeforeTool.mcp_continuity_ping@0.61.0.json": {
        "id": "gemini-cli/ebbd49b6-d998-4535-9ccf-4c9c9f78e94f/tool-started/2026-11-15T18:05:05.270Z.UbLuDWfXeXaxjMgoVQJYuh",
        "kind": "tool-started",
        "sessionKey": "ebbd49b6-d998-4535-9ccf-4c9c9f78e94f",
        "tool": {
          "files": [],
          "kind": "mcp",
          "name": "mcp_continuity_ping",
        },
        "transcriptPath": "/home/user/.gemini/tmp/proj/chats/session-2026-11-15T18-04-ebbd49b6.jsonl",
      },
      "BeforeTool.run_shell_command@0.61.0.json": {
        "id": "gemini-cli/ebbd49b6-d998-4535-9ccf-4c9c9f78e94f/tool-started/2026-11-15T18:05:00.976Z.AvJHU6CZWr7IzVaB3EbgfO",
        "kind": "tool-started",
        "sessionKey": "ebbd49b6-d998-4535-9ccf-4c9c9f78e94f",
        "tool": {
          "command": "echo hi-gem",
          "description": "e",
          "files": [],
          "kind": "shell",
          "name": "run_shell_command",
        },
        "transcriptPath": "/home/user/.gemini/tmp/proj/chats/session-2026-11-15T18-04-ebbd49b6.jsonl",
      },
      "BeforeTool.write_file@0.61.0.json": {
        "id": "gemini-cli/93812b36-4b5b-42bb-99f8-008bfb7376fd/tool-started/2026-11-15T23:28:13.269Z._SCF9DRmjdJWhe2ifYo87L",
        "kind": "tool-started",
        "sessionKey": "93812b36-4b5b-42bb-99f8-008bfb7376fd",
        "tool": {
          "files": [
            {
              "action": "edited",
              "path": "/home/dev/proj/a.txt",
            },
          ],
          "fragment": "hello",
          "kind": "edit",
          "name": "write_file",
        },
        "transcriptPath": "/home/user/.gemini/tmp/proj/chats/session-2026-11-15T23-28-93812b36.jsonl",
      },
      "BeforeToolSelection@0.61.0.json": undefined,
      "PreCompress.auto@0.61.0.json": undefined,
      "SessionEnd.exit@0.61.0.json": {
        "id": "gemini-cli/ebbd49b6-d998-4535-9ccf-4c9c9f78e94f/session-ended/2026-11-15T18:05:09.661Z",
        "kind": "session-ended",
        "reason": "exit",
        "sessionKey": "ebbd49b6-d998-4535-9ccf-4c9c9f78e94f",
        "transcriptPath": "/home/user/.gemini/tmp/proj/chats/session-2026-11-15T18-04-ebbd49b6.jsonl",
      },
      "SessionStart.resume@0.61.0.json": {
        "id": "gemini-cli/ebbd49b6-d998-4535-9ccf-4c9c9f78e94f/session-started/2026-11-15T18:05:39.545Z",
        "kind": "session-started",
        "sessionKey": "ebbd49b6-d998-4535-9ccf-4c9c9f78e94f",
        "source": "resume",
      },
      "SessionStart.startup@0.61.0.json": {
        "id": "gemini-cli/ebbd49b6-d998-4535-9ccf-4c9c9f78e94f/session-started/2026-11-15T18:04:58.061Z",
        "kind": "session-started",
        "sessionKey": "ebbd49b6-d998-4535-9ccf-4c9c9f78e94f",
        "source": "startup",
        "transcriptPath": "/home/user/.gemini/tmp/proj/chats/session-2026-11-15T18-04-ebbd49b6.jsonl",
      },
    }
  `)
})

describe('traps of Gemini CLI 0.61', () => {
  test('PreCompress fires before every model call though nothing is compressed: it starts no compaction', () => {
    expect(named('PreCompress.auto')).toMatchObject({ trigger: 'auto' })
    expect(readEvent('PreCompress', named('PreCompress.auto'), arrival)).toBeUndefined()
    const manual = { ...named('PreCompress.auto'), trigger: 'manual' }
    expect(readEvent('PreCompress', manual, arrival)).toMatchObject({ kind: 'compaction-started', trigger: 'manual' })
  })

  test('real compression is only seen afterwards: the transcript is asked where recovery could be told', () => {
    const asked = ['SessionStart', 'BeforeAgent', 'AfterTool', 'AfterAgent', 'SessionEnd']
    expect(asked.filter((hook) => isTranscriptMoreComplete(hook))).toEqual(['BeforeAgent', 'AfterTool'])
  })

  test('in headless mode BeforeAgent’s prompt begins with our own SessionStart context: it is stripped', () => {
    const recorded = named('BeforeAgent')
    expect(recorded.prompt).toMatch(/^<hook_context>CMD-CTX-SessionStart<\/hook_context>/)
    const event = readEvent('BeforeAgent', recorded, arrival)
    expect(event?.kind === 'prompt-submitted' && event.prompt).toMatch(/^scripted\n/)
    const ours = '## Session Recovery Context\n[holdfast 0123456789abcdef: data]\n| goal\n[/holdfast 0123456789abcdef]'
    const prompt = `<hook_context>${ours}</hook_context>\n\nfix the parser`
    expect(readEvent('BeforeAgent', { ...recorded, prompt }, arrival)).toMatchObject({ prompt: 'fix the parser' })
    const alone = { ...recorded, prompt: `<hook_context>${ours}</hook_context>` }
    expect(readEvent('BeforeAgent', alone, arrival)).toBeUndefined()
  })

  test('on resume SessionStart names a transcript that is never written: it is left out', () => {
    const resumed = named('SessionStart.resume')
    const started = named('SessionStart.startup')
    expect(resumed.session_id).toBe(started.session_id)
    expect(resumed.transcript_path).not.toBe(started.transcript_path)
    expect(readEvent('SessionStart', resumed, arrival)).not.toHaveProperty('transcriptPath')
    expect(readEvent('SessionStart', started, arrival)).toMatchObject({ transcriptPath: started.transcript_path })
  })

  test('there is no tool_use_id: the moment and the arguments tell calls apart, told twice they are one', () => {
    const call = named('AfterTool.run_shell_command')
    const id = (payload: unknown) => readEvent('AfterTool', payload, arrival)?.id
    expect(id({ ...call })).toBe(id(call))
    expect(id({ ...call, tool_input: { command: 'echo other' } })).not.toBe(id(call))
    expect(id({ ...call, timestamp: '2026-11-15T18:05:01.555Z' })).not.toBe(id(call))
    expect(id({ ...call, timestamp: undefined })).toBe('arrival-1')
  })
})

test('unknown hooks and unknown fields are tolerated', () => {
  expect(readEvent('Notification', named('AfterAgent'), arrival)).toBeUndefined()
  expect(readEvent('constructor', named('AfterAgent'), arrival)).toBeUndefined()
  expect(readEvent('AfterAgent', { ...named('AfterAgent'), brand_new: { deep: [1] } }, arrival)).toMatchObject({
    kind: 'turn-ended',
  })
})
