import { readEnvironment } from '../../harness/contract/environment.ts'
import { harnessEnvironments } from '../../harness/environments.ts'
import { HEADER } from '../../wire/headers.ts'

// What the pipe and the daemon agree on. No library here: the pipe loads this file.

/** Upgraded on the Unix socket to lines of JSON-RPC, both ways. */
export const PIPE_PATH = '/mcp/stdio'
export const PIPE_PROTOCOL = 'holdfast-mcp'

/** The request that opens a pipe, with what the environment says about who is calling. */
export function openingRequest(env: NodeJS.ProcessEnv, cwd: string): string {
  const { harness, sessionKey, directory = cwd } = readEnvironment(harnessEnvironments, env)
  const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
  const facts = [
    [HEADER.client, 'mcp'],
    [HEADER.cwd, encoded(directory)],
    ...(harness === undefined || sessionKey === undefined
      ? []
      : [
          [HEADER.sessionKey, encoded(sessionKey)],
          [HEADER.harness, harness],
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
