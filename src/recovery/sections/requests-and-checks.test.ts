import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { aCheckpointOf } from '../../../test/support/checkpoints.ts'
import type { CommandRun, DialogueMessage, WorkSummary } from '../../kernel/checkpoint.ts'
import { composeRecovery } from '../compose.ts'
import { mergeCheckpoints } from '../merge/merge-checkpoints.ts'
import { toUncheckedView } from '../revalidate/revalidate.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function compose(work: Partial<WorkSummary>): readonly string[] {
  const view = toUncheckedView(mergeCheckpoints([aCheckpointOf(work)]))
  return composeRecovery(view, { budgetChars: 2_000, sha256 }).text.split('\n').slice(3, -1)
}

function user(text: string, order: number, about?: string): DialogueMessage {
  return { speaker: 'user', kind: 'request', text, order, ...(about === undefined ? {} : { about }) }
}

const work: DialogueMessage = user('Bound the cache of the reader to 100 entries, please.', 1)
const done: DialogueMessage = {
  speaker: 'agent',
  kind: 'turn-final',
  text: 'The cache is bounded to 100 entries.',
  order: 2,
}
const guide =
  '# Code review\n\nYou review changes of code and name what is wrong in them.\n\nInput: main...feature/cache\n'

test('a command that stands for a text is the request under way, with what it was given', () => {
  const lines = compose({ dialogue: [work, done, user('/review', 3, guide)], lastOrder: 3 })
  expect(lines).toContain('| User, not answered yet: "/review"')
  expect(lines[0]).toBe(
    '| The task: /review (its text names: main...feature/cache): Code review: You review changes of code and name what is wrong in them',
  )
  expect(lines.join('\n')).not.toContain('Which answered')
})

test('a commit command does not take the place of the work', () => {
  const lines = compose({ dialogue: [work, done, user('/commit', 3, guide)], lastOrder: 3 })
  expect(lines.join('\n')).toContain('"Bound the cache of the reader to 100 entries, please."')
  expect(lines.join('\n')).not.toContain('User, not answered yet: "/commit"')
})

test('a green run is marked once the user says that it fails', () => {
  const run = { command: 'npm test', purpose: 'test', verdict: 'passed', order: 2 } as const
  const said = user('The tests are failing on my machine.', 3)
  const find = (dialogue: readonly DialogueMessage[]) =>
    compose({ dialogue, checks: [run], lastOrder: 3 }).find((line) => line.startsWith('| Checks'))
  expect(find([work, done, said])).toBe('| Checks: `npm test` passed (before the user said that it fails)')
  expect(find([work, done])).toBe('| Checks: `npm test` passed')
  for (const text of [
    'Add tests for failed payments, please.',
    'Great, tests pass now. The login page is broken on mobile though.',
    'Run the tests again, and tell me if the tests are failing.',
  ])
    expect(find([work, done, user(text, 3)])).toBe('| Checks: `npm test` passed')
  expect(
    find([
      { ...said, order: 1 },
      { ...done, order: 1.5 },
    ]),
  ).toBe('| Checks: `npm test` passed')
})

test('a command that the user calls failing is not listed as one that passed', () => {
  const command: CommandRun = {
    command: 'just verify-all',
    purpose: 'other',
    ok: true,
    runs: 3,
    failures: 0,
    lastOrder: 2,
  }
  const find = (dialogue: readonly DialogueMessage[]) =>
    compose({ dialogue, commands: [command], lastOrder: 3 }).some((line) => line.includes('just verify-all`'))
  expect(find([work, done])).toBe(true)
  expect(find([work, done, user('just verify-all is failing', 3)])).toBe(false)
})

test.each([
  'The reader in src/a.ts needs to be renamed to a scanner.',
  'The reader in src/a.ts currently drops the last token of a file.',
])('is not repeated once the agent has edited since: %s', (text) => {
  const said: DialogueMessage = { speaker: 'agent', kind: 'message', text, order: 3 }
  const later: DialogueMessage = {
    speaker: 'agent',
    kind: 'message',
    text: 'The tokens carry their line now.',
    order: 6,
  }
  const shows = (lastEditOrder: number) =>
    compose({ dialogue: [work, said, later], lastEditOrder, lastOrder: 7 })
      .join('\n')
      .includes(text)
  expect([shows(2), shows(5)]).toEqual([true, false])
})
