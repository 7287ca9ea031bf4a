import { describe, expect, test } from 'vitest'
import { EventId } from '../../kernel/id.ts'
import type { Arrival } from '../contract/connector.ts'
import { roo } from '../roo/index.ts'
import { windsurf } from './index.ts'

const arrival: Arrival = { id: EventId('arrival-1'), at: '2026-11-15T18:00:00.000Z', door: 'hook' }
/** Built from the vendor's page about Cascade hooks: the IDE needs a login and was not recorded. */
const read = (hook: string, tool_info: object, at = '2026-11-15T18:00:00Z') =>
  windsurf.readEvent(
    hook,
    { agent_action_name: hook, trajectory_id: 'traj-1', execution_id: 'exec-1', timestamp: at, tool_info },
    arrival,
  )

describe('what Windsurf tells', () => {
  test('a prompt, a file read, an edit, a command, a tool of a server, the last words', () => {
    const events = [
      read('pre_user_prompt', { user_prompt: 'Fix it.' }),
      read('post_read_code', { file_path: '/w/a.ts' }),
      read('post_write_code', { file_path: '/w/a.ts', edits: [{ old_string: 'x', new_string: 'y' }] }),
      read('post_run_command', { command_line: 'npm test', cwd: '/w' }),
      read('post_mcp_tool_use', { mcp_server_name: 'holdfast', mcp_tool_name: 'session_briefing', mcp_result: 'ok' }),
      read('post_cascade_response', { response: 'Done.' }),
    ]
    expect(events).toMatchObject([
      { kind: 'prompt-submitted', sessionKey: 'traj-1', prompt: 'Fix it.' },
      { tool: { kind: 'read', files: [{ path: '/w/a.ts', action: 'read' }] } },
      { tool: { kind: 'edit', files: [{ path: '/w/a.ts', action: 'edited' }], fragment: 'x\ny' } },
      { tool: { kind: 'shell', command: 'npm test' }, cwd: '/w' },
      { tool: { kind: 'mcp', name: 'holdfast__session_briefing' } },
      { kind: 'turn-ended', lastMessage: 'Done.' },
    ])
  })

  test('of edits that are longer than what is kept of them, the names', () => {
    const edit = { old_string: '', new_string: `${'readToken()\n'.repeat(100)}parseLine()\n${'\n'.repeat(300)}` }
    expect(read('post_write_code', { file_path: '/w/a.ts', edits: [edit] })).toMatchObject({
      tool: { names: ['readToken', 'parseLine'] },
    })
  })

  test('its transcript is where the turn’s other hook says, and is that session’s from then on', () => {
    const path = '/home/dev/.windsurf/transcripts/traj-1.jsonl'
    expect(read('post_cascade_response_with_transcript', { transcript_path: path })).toMatchObject({
      kind: 'turn-ended',
      sessionKey: 'traj-1',
      transcriptPath: path,
    })
    expect(read('post_cascade_response_with_transcript', {})).toBeUndefined()
    expect(read('post_cascade_response', { response: 'Done.', transcript_path: path })?.transcriptPath).toBeUndefined()
  })

  test('the same call by a user’s and a project’s entry is one fact, and two calls are two', () => {
    const command = { command_line: 'npm test' }
    expect(read('post_run_command', command)?.id).toBe(read('post_run_command', command)?.id)
    expect(read('post_run_command', command)?.id).not.toBe(
      read('post_run_command', command, '2026-11-15T18:00:09Z')?.id,
    )
  })
})

test('traps: no context injection and no session start, so the agent has to ask; Roo has no hooks at all', () => {
  for (const connector of [windsurf, roo]) {
    expect(connector.capabilities).toMatchObject({ recovery: 'on-request', promptInjection: false })
    expect(connector.writeInjection('pre_user_prompt', 'Where you were')).toBeUndefined()
  }
  expect(roo.hooks).toEqual([])
  expect(roo.name).toContain('archived')
})
