import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SessionKey } from '../../kernel/id.ts'
import { readTranscriptFile, createTranscripts } from '../transcripts.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-windsurf-'))
  path = join(folder, 'traj-1.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('beside Windsurf only what was said is read: its schema is promised by nobody, and its hooks tell the rest', async () => {
  const steps = [
    { status: 'done', type: 'user_input', user_input: { user_response: 'Fix it.' } },
    { status: 'done', type: 'planner_response', planner_response: { response: 'The lexer drops the last line.' } },
    { status: 'done', type: 'code_action', code_action: { path: '/w/a.ts', new_content: 'x' } },
    { type: 'something_new', something_new: [1] },
    { type: 'PLANNER_RESPONSE', content: 'Fixed.' },
    { type: 7 },
  ]
  writeFileSync(path, steps.map((step) => `${JSON.stringify(step)}\n`).join(''))
  const source = { harness: 'windsurf', path, sessionKey: SessionKey('traj-1') }
  const { items } = await createTranscripts().readFrom(source, 0)
  expect(items.map((item) => (item.type === 'note' ? item.note : item.event))).toMatchObject([
    { kind: 'statement', text: 'The lexer drops the last line.' },
    { kind: 'statement', text: 'Fixed.' },
  ])
})

test('a transcript of Windsurf, as its vendor shows one, read as a whole', async () => {
  const steps = [
    { status: 'done', type: 'user_input', user_input: { user_response: 'Fix it.' } },
    { status: 'done', type: 'run_command', run_command: { command_line: 'npm test', exit_code: 1, output: 'boom' } },
    { status: 'done', type: 'code_action', code_action: { path: '/w/a.ts', new_content: 'x' } },
    { status: 'done', type: 'planner_response', planner_response: { response: 'Fixed.' } },
  ]
  writeFileSync(path, steps.map((step) => JSON.stringify(step)).join('\n'))
  const { items, sessionKey } = await readTranscriptFile(path, 'windsurf')
  expect(sessionKey).toBe('traj-1')
  expect(items.map((item) => (item.type === 'note' ? item.note : item.event))).toMatchObject([
    { kind: 'prompt-submitted', prompt: 'Fix it.' },
    { kind: 'tool-finished', tool: { command: 'npm test' }, outcome: { ok: false, exitStatus: 1, output: 'boom' } },
    { kind: 'tool-finished', tool: { files: [{ path: '/w/a.ts', action: 'edited' }] } },
    { kind: 'statement', text: 'Fixed.' },
  ])
})
