import type { Connector, Harness } from '../contract/connector.ts'
import type { HarnessEnvironment } from '../descriptor/environment.ts'

/** Roo Code does not name its session for what it starts. */
const rooEnvironment: HarnessEnvironment = { harness: 'roo', sessionKey: [], directory: [] }

export const ROO = 'roo'

/** Shut down by its makers on 2026-05-15; the repository is archived. It has no hooks: its agent calls the MCP tools. */
export const roo: Connector = {
  id: ROO,
  name: 'Roo Code (archived)',
  capabilities: {
    recovery: 'on-request',
    promptInjection: false,
    compactionEvents: false,
    mcpTools: true,
    httpHooks: false,
    maxOutputChars: 0,
  },
  environment: rooEnvironment,
  hooks: [],
  readEvent: () => undefined,
  canInject: () => false,
  writeInjection: () => undefined,
  emptyReply: '',
}

export const rooHarness: Harness = {
  id: roo.id,
  connector: roo,
  loadSetup: () => import('./setup.ts'),
}
