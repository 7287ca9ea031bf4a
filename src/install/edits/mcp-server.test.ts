import { expect, test } from 'vitest'
import { isOurMcpServer } from './mcp-server.ts'

test.each([
  ['/usr/bin/node', ['/opt/holdfast/bin/holdfast', 'mcp'], true],
  ['C:\\node.exe', ['C:\\npm\\holdfast\\bin\\holdfast', 'mcp'], true],
  ['/usr/bin/node', ['/opt/holdfast/bin/holdfast', 'mcp', '--verbose'], true],
  ['holdfast', ['mcp'], false],
  ['/usr/bin/node', ['/opt/other/server.js', 'mcp'], false],
  ['/usr/bin/node', ['/opt/not-holdfast', 'mcp'], false],
  ['/usr/bin/node', ['/opt/holdfast/bin/holdfast', 'hook'], false],
  [undefined, ['/opt/holdfast/bin/holdfast', 'mcp'], false],
])('%s %j is one that we write: %s', (command, args, isOurs) => {
  expect(isOurMcpServer(command, args)).toBe(isOurs)
})
