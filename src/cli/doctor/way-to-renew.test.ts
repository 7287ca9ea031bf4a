import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findSetup } from '../../harness/registry.ts'
import { describeRenewal } from './connection.ts'

test('names the scope, and the project with it, where they are not what `init` would take by itself', async () => {
  const here = tmpdir()
  const gone = join(here, 'no such project')
  const records = [
    { harness: 'claude-code', scope: 'user' } as const,
    { harness: 'roo', scope: 'user' } as const,
    { harness: 'claude-code', scope: 'project', cwd: here } as const,
    { harness: 'codex', scope: 'project', cwd: gone } as const,
  ]
  const described = records.map(async (record) => describeRenewal(record, await findSetup(record.harness)))
  expect(await Promise.all(described)).toEqual([
    'run `holdfast init --harness claude-code`',
    'run `holdfast init --harness roo`',
    `run \`holdfast init --harness claude-code --scope project\` in ${here}`,
    `${gone} no longer exists; \`holdfast uninstall --harness codex --project '${gone}'\` removes its record`,
  ])
})
