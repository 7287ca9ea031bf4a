import { expect, test } from 'vitest'
import { view } from '../../../test/support/checked-disk.ts'
import { commandItems } from './rank-activity.ts'
import { toUncheckedView } from '../revalidate/revalidate.ts'

const ran = (command: string, lastOrder: number) =>
  ({ command, purpose: 'vcs', ok: true, runs: 1, failures: 0, lastOrder }) as const

test('build and test commands are listed, also of a folder; inspection of the repository is not', () => {
  const commands = [
    { ...ran('go test ./...', 1), purpose: 'test' as const },
    ran('git commit -m "x"', 2),
    ran('(cd packages/a && git status)', 3),
    ran('gh pr view 12', 4),
  ]
  expect(commandItems(toUncheckedView(view({ commands }))).map(({ text }) => text)).toEqual([
    '`gh pr view 12`',
    '`go test ./...`',
  ])
})

test('one of many commands is worth less than one of two', () => {
  const tests = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ ...ran(`run-${at} check`, at), purpose: 'test' as const }))
  const worth = (count: number) => commandItems(toUncheckedView(view({ commands: tests(count) })))[0]?.value ?? 0
  expect(worth(8)).toBeLessThan(worth(2))
})
