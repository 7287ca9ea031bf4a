import type { Connector } from '../contract/connector.ts'
import { rooEnvironment } from './environment.ts'

export const ROO = 'roo'

/** Its makers shut it down on 2026-05-15 and archived the repository. It has no hooks: what there is comes by MCP, asked for by its agent. */
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
