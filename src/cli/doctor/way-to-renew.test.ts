import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { wayToRenew } from './way-to-renew.ts'

test('names the scope, and the project with it, where they are not what `init` would take by itself', () => {
  const here = tmpdir()
  const gone = join(here, 'no such project')
  expect(
    [
      { harness: 'claude-code', scope: 'user' } as const,
      { harness: 'roo', scope: 'user' } as const,
      { harness: 'claude-code', scope: 'project', cwd: here } as const,
      { harness: 'codex', scope: 'project', cwd: gone } as const,
    ].map(wayToRenew),
  ).toEqual([
    'run `holdfast init --harness claude-code`',
    'run `holdfast init --harness roo --scope user`',
    `run \`holdfast init --harness claude-code --scope project\` in ${here}`,
    `${gone} is gone; \`holdfast uninstall --harness codex --project '${gone}'\` forgets what was connected there`,
  ])
})
