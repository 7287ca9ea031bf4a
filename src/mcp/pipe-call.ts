import { HEADER } from '../protocol/headers.ts'

// What the pipe and the daemon agree on. No library here: the pipe loads this file.

/** Upgraded on the Unix socket to lines of JSON-RPC, both ways. */
export const PIPE_PATH = '/mcp/stdio'
export const PIPE_PROTOCOL = 'holdfast-mcp'

/** Variables by which harnesses tell a server that they start which session it is for. */
const SESSION_VARIABLES: readonly { readonly variable: string; readonly harness: string }[] = [
  { variable: 'CLAUDE_CODE_SESSION_ID', harness: 'claude-code' },
]

/** The request that opens a pipe, with what the environment says about who is calling. */
export function openingRequest(env: NodeJS.ProcessEnv, cwd: string): string {
  const named = SESSION_VARIABLES.find(({ variable }) => env[variable])
  const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
  const facts = [
    [HEADER.client, 'mcp'],
    [HEADER.cwd, encoded(env['CLAUDE_PROJECT_DIR'] || cwd)],
    ...(named === undefined
      ? []
      : [
          [HEADER.sessionKey, encoded(env[named.variable] ?? '')],
          [HEADER.harness, named.harness],
        ]),
  ]
  const lines = [
    `GET ${PIPE_PATH} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    `Upgrade: ${PIPE_PROTOCOL}`,
    ...facts.map(([name, value]) => `${name}: ${value}`),
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}
