import { expect, test } from 'vitest'
import { view } from '../../../test/support/checked-disk.ts'
import { commandItems } from './rank-activity.ts'
import { unchecked } from './recheck.ts'

test('how to build and test is told, also in a folder; looking at the repository is not', () => {
  const ran = (command: string, lastOrder: number) =>
    ({ command, purpose: 'vcs', ok: true, runs: 1, failures: 0, lastOrder }) as const
  const commands = [
    { ...ran('go test ./...', 1), purpose: 'test' as const },
    ran('git commit -m "x"', 2),
    ran('(cd packages/a && git status)', 3),
    ran('gh pr view 12', 4),
  ]
  expect(commandItems(unchecked(view({ commands }))).map(({ text }) => text)).toEqual([
    '`gh pr view 12`',
    '`go test ./...`',
  ])
})
