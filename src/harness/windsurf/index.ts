import type { Connector, Harness } from '../contract/connector.ts'
import { windsurfTranscript } from './transcript.ts'
import { readEvent, WINDSURF } from './events.ts'
import type { HarnessEnvironment } from '../descriptor/environment.ts'

/** Windsurf does not name its session for what it starts. */
const windsurfEnvironment: HarnessEnvironment = { harness: 'windsurf', sessionKey: [], directory: [] }

/** Windsurf, now Devin Desktop. Not tested, because it needs a login. Its hooks cannot inject, so its agent calls the MCP tools. */
export const windsurf: Connector = {
  id: WINDSURF,
  name: 'Windsurf',
  capabilities: {
    recovery: 'on-request',
    promptInjection: false,
    compactionEvents: false,
    mcpTools: true,
    httpHooks: false,
    maxOutputChars: 0,
  },
  environment: windsurfEnvironment,
  hooks: [
    { hook: 'pre_user_prompt', isRoutine: true },
    { hook: 'post_read_code', isRoutine: false },
    { hook: 'post_write_code', isRoutine: false },
    { hook: 'post_run_command', isRoutine: false },
    { hook: 'post_mcp_tool_use', isRoutine: false },
    { hook: 'post_cascade_response', isRoutine: true },
    { hook: 'post_cascade_response_with_transcript', isRoutine: false },
  ],
  readEvent,
  canInject: () => false,
  writeInjection: () => undefined,
  emptyReply: '',
}

export const windsurfHarness: Harness = {
  id: windsurf.id,
  connector: windsurf,
  transcript: windsurfTranscript,
  loadSetup: () => import('./setup.ts'),
}
