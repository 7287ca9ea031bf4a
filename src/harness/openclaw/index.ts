import type { Connector, Harness } from '../contract/connector.ts'
import { OPENCLAW, readEvent } from './events.ts'
import { pluginOutput } from '../payload/plugin-output.ts'
import type { HarnessEnvironment } from '../descriptor/environment.ts'

/** OpenClaw (2026.9) does not name its session for what it starts. */
const openClawEnvironment: HarnessEnvironment = { harness: 'openclaw', sessionKey: [], directory: [] }

/** OpenClaw 2026.9.6 prepends a plugin's text unchanged and allows 20,000 characters per bootstrap file; this limit is ours. */
const MAX_CONTEXT_CHARS = 12_000

const output = pluginOutput({
  maxChars: MAX_CONTEXT_CHARS,
  // The prompt itself or, for the legacy hook, the files that a run begins with.
  answered: ['session_start', 'before_prompt_build', 'agent:bootstrap'],
  toolHook: 'before_tool_call',
})

const openClaw: Connector = {
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

export const openClawHarness: Harness = {
  id: openClaw.id,
  connector: openClaw,
  loadSetup: () => import('./setup.ts'),
}
