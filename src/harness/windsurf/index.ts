import type { Connector } from '../contract/connector.ts'
import { windsurfEnvironment } from './environment.ts'
import { readEvent, WINDSURF } from './events.ts'

/** Windsurf, now Devin Desktop. Never run here: it needs a login. It has no way in for a hook's words, so its agent asks for them by MCP. */
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
