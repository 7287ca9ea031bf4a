import type { Connector } from '../contract/connector.ts'
import { openClawEnvironment } from './environment.ts'
import { OPENCLAW, readEvent } from './events.ts'
import { MAX_CONTEXT_CHARS, output } from './output.ts'

export const openClaw: Connector = {
  id: OPENCLAW,
  name: 'OpenClaw',
  capabilities: {
    recovery: 'at-session-start',
    promptInjection: true,
    compactionEvents: true,
    mcpTools: true,
    contextMeasured: true,
    httpHooks: false,
    maxOutputChars: MAX_CONTEXT_CHARS,
    forgetsInjections: true,
  },
  environment: openClawEnvironment,
  hooks: [
    { hook: 'session_start', isRoutine: true },
    { hook: 'before_prompt_build', isRoutine: true },
    { hook: 'before_tool_call', isRoutine: false },
    { hook: 'after_tool_call', isRoutine: false },
    { hook: 'agent_end', isRoutine: true },
    { hook: 'before_compaction', isRoutine: false },
    { hook: 'after_compaction', isRoutine: false },
    { hook: 'subagent_spawned', isRoutine: false },
    { hook: 'subagent_ended', isRoutine: false },
    { hook: 'session_end', isRoutine: false },
    { hook: 'gateway_stop', isRoutine: false },
  ],
  readEvent,
  ...output,
}
