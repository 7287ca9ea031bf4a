import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SessionKey } from '../../kernel/id.ts'
import { parseLine } from '../transcript/append-log.ts'
import { createClaudeCodeReader } from './transcript.ts'

const recorded = readFileSync(
  join(import.meta.dirname, '..', 'transcript', 'fixtures', 'claude-code-autocompact@2.1.325.jsonl'),
  'utf8',
)
  .split('\n')
  .flatMap((line) => {
    const record = parseLine(line)
    return record === undefined ? [] : [record]
  })

test('a recorded session with an automatic compaction reads as what happened', () => {
  const reader = createClaudeCodeReader({ mode: 'history', sessionKey: SessionKey('s1') })
  expect([...recorded.flatMap((record) => reader.read(record)), ...reader.end()]).toMatchInlineSnapshot(`
    [
      {
        "event": {
          "at": "2026-11-15T17:51:58.058Z",
          "cwd": "/home/dev/proj",
          "door": "transcript",
          "harness": "claude-code",
          "harnessVersion": "2.1.325",
          "id": "claude-code/s1/prompt-submitted/37c04f16-5809-4b20-8da4-e5924b78e539",
          "kind": "prompt-submitted",
          "prompt": "auto compact test
    @@usage 180000
    @@tool Bash {"command":"echo one","description":"echo"}
    @@tool Bash {"command":"echo two","description":"echo"}
    @@say AFTER",
          "promptId": "37c04f16-5809-4b20-8da4-e5924b78e539",
          "sessionKey": "s1",
        },
        "type": "event",
      },
      {
        "note": {
          "at": "2026-11-15T17:51:58.625Z",
          "kind": "statement",
          "text": "calling Bash",
        },
        "type": "note",
      },
      {
        "event": {
          "at": "2026-11-15T17:51:59.448Z",
          "cwd": "/home/dev/proj",
          "door": "transcript",
          "harness": "claude-code",
          "harnessVersion": "2.1.325",
          "id": "claude-code/s1/tool-finished/toolu_mwi4t6bo4vrd00001fake",
          "kind": "tool-finished",
          "outcome": {
            "ok": true,
            "output": "one",
          },
          "sessionKey": "s1",
          "tool": {
            "callId": "toolu_mwi4t6bo4vrd00001fake",
            "command": "echo one",
            "description": "echo",
            "files": [],
            "kind": "shell",
            "name": "Bash",
          },
        },
        "type": "event",
      },
      {
        "note": {
          "at": "2026-11-15T17:52:00.131Z",
          "kind": "statement",
          "text": "calling Bash",
        },
        "type": "note",
      },
      {
        "event": {
          "at": "2026-11-15T17:52:00.830Z",
          "cwd": "/home/dev/proj",
          "door": "transcript",
          "harness": "claude-code",
          "harnessVersion": "2.1.325",
          "id": "claude-code/s1/tool-finished/toolu_mwi4t6bo4vrd00004fake",
          "kind": "tool-finished",
          "outcome": {
            "ok": true,
            "output": "two",
          },
          "sessionKey": "s1",
          "tool": {
            "callId": "toolu_mwi4t6bo4vrd00004fake",
            "command": "echo two",
            "description": "echo",
            "files": [],
            "kind": "shell",
            "name": "Bash",
          },
        },
        "type": "event",
      },
      {
        "event": {
          "at": "2026-11-15T17:52:02.667Z",
          "cwd": "/home/dev/proj",
          "door": "transcript",
          "harness": "claude-code",
          "harnessVersion": "2.1.325",
          "id": "claude-code/s1/compaction-finished/da2555c3-262c-4c39-87d2-065ad24cfa1c",
          "kind": "compaction-finished",
          "sessionKey": "s1",
          "tokensAfter": 2842,
          "tokensBefore": 180168,
          "trigger": "auto",
        },
        "type": "event",
      },
      {
        "note": {
          "kind": "summary-shown",
          "text": "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.

    <system … [trimmed 957 chars]",
        },
        "type": "note",
      },
      {
        "note": {
          "at": "2026-11-15T17:52:02.809Z",
          "kind": "statement",
          "text": "FAKE-OK",
        },
        "type": "note",
      },
      {
        "event": {
          "at": "2026-11-15T17:52:03.213Z",
          "cwd": "/home/dev/proj",
          "door": "transcript",
          "harness": "claude-code",
          "harnessVersion": "2.1.325",
          "id": "claude-code/s1/turn-ended/c3bfac7e-ae85-4b8d-8235-32efab9c6ac3",
          "kind": "turn-ended",
          "lastMessage": "FAKE-OK",
          "sessionKey": "s1",
        },
        "type": "event",
      },
      {
        "note": {
          "contextTokens": 1225,
          "kind": "context-measured",
          "model": "claude-opus-5-5",
        },
        "type": "note",
      },
    ]
  `)
})
