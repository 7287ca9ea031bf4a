import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { aCheckpointOf } from '../../../test/support/checkpoints.ts'
import type { DialogueMessage } from '../../kernel/checkpoint.ts'
import { composeRecovery } from '../compose.ts'
import { mergeCheckpoints } from '../merge/merge-checkpoints.ts'
import { toUncheckedView } from '../revalidate/revalidate.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function compose(dialogue: readonly DialogueMessage[]): string {
  const view = toUncheckedView(mergeCheckpoints([aCheckpointOf({ dialogue, lastOrder: dialogue.length })]))
  return composeRecovery(view, { budgetChars: 2_000, sha256 }).text
}

/** Messages in turn: the user, the agent, the user … */
function talk(...texts: readonly string[]): readonly DialogueMessage[] {
  return texts.map((text, index) =>
    index % 2 === 0
      ? { speaker: 'user', kind: 'request', text, order: index + 1 }
      : { speaker: 'agent', kind: 'turn-final', text, order: index + 1 },
  )
}

test('questions that were answered, commits and orders without an object are not repeated', () => {
  const text = compose(
    talk(
      'Make the cache of src/store.ts bounded, it grows without limit today.',
      'The cache is bounded to 100 entries now.',
      'where is the eviction called?',
      'In put(), after each write.',
      'commit the changes',
      'Committed as 1a2b3c4.',
      'ok do that too',
      'Done for src/index.ts as well.',
      "let's do length only",
      'The check compares lengths only now.',
      'Now the same for the query cache in src/query.ts, please.',
    ),
  )
  expect(text).not.toContain('where is the eviction called')
  expect(text).not.toContain('commit the changes')
  expect(text).not.toContain('ok do that too')
  expect(text).toContain("let's do length only")
})

test('a prohibition in a short order stays', () => {
  const text = compose(
    talk(
      'Write down how the importer works, in docs/importer.md.',
      'Written.',
      "good, don't commit it",
      'Left uncommitted.',
      'Then look at why the second import of the same file fails.',
    ),
  )
  expect(text).toContain("good, don't commit it")
})

test('what a queued message adds to is rendered before it', () => {
  const [ask, said] = talk('Address all five comments of the review.', 'I read the five files first.')
  if (ask === undefined || said === undefined) throw new Error('two messages')
  const text = compose([
    ask,
    { ...said, kind: 'message' },
    { speaker: 'user', kind: 'queued', text: 'and make sure that this is tested', order: 3 },
  ])
  expect(text).toContain('"Address all five comments of the review." "and make sure that this is tested"')
})

test('no item of a list in the last words is skipped, and a short list is whole or absent', () => {
  const long = Array.from(
    { length: 9 },
    (_, index) => `${index + 1}. Step ${index + 1} reads the file of part ${index + 1} and merges it into the table`,
  )
  const text = compose([
    ...talk('Explain and repair the import.', 'First look.', 'Go on with the repair of the import, please.'),
    {
      speaker: 'agent',
      kind: 'turn-final',
      text: `The import is repaired.\n\n**Steps**\n${long.join('\n')}\n\n**Result**\n- Unit tests pass\n- Lint is clean\n- Integration tests are failing\n\nThe cause is not known.`,
      order: 9,
    },
  ])
  const steps = [...text.matchAll(/(\d)\. Step/g)].map(([, number]) => Number(number))
  expect(steps).toEqual(steps.map((_, index) => index + 1))
  if (text.includes('Lint is clean')) expect(text).toContain('Integration tests are failing')
})

test('what introduced code that is left out, and exclamations, are not quoted', () => {
  const text = compose([
    ...talk('Why is the second commit lost?', 'Good question! You are right.'),
    {
      speaker: 'agent',
      kind: 'message',
      text: 'I see the issue! The list is cleared after each commit. This would detect it:\n\n```go\nif hash != other {\n```\n\nKeep the entry for the next commit.',
      order: 4,
    },
  ])
  expect(text).toContain('The list is cleared after each commit. ')
  expect(text).not.toContain('I see the issue')
  expect(text).not.toContain('This would detect it')
})

test('a short answer has the question that it answered, unless that offered only to go on', () => {
  const text = compose(
    talk(
      'Find out why the export writes each row twice.',
      'The iterator is consumed by two readers. Should I clone the iterator, or read once into a list?',
      'the list',
      'Both readers get the list now. Want me to continue?',
      'yes',
      'The header row is not doubled either.',
      'Now look at the import: it skips the last row of every file.',
    ),
  )
  expect(text).toContain('"the list" (asked: Should I clone the iterator, or read once into a list?)')
  expect(text).not.toContain('Want me to continue')
})

test('a slash command after the last words is a request, not an answer to them', () => {
  const text = compose(
    talk(
      'Why did the review say that there were no changes?',
      'It compared the branch to itself. The target should be main...feature.',
      '/review',
    ),
  )
  expect(text).toContain('User earlier: "Why did the review say that there were no changes?"')
  expect(text).toContain('User: "/review"')
  expect(text).not.toContain('User answered')
})

test('a sentence about "this situation" keeps the one that says which, also of the user', () => {
  const filler = 'The tests of this part are in redact_test.go and must stay green while you work on it. '
  const text = compose(
    talk(
      `Four things.\n\n${filler.repeat(4)}\n\n- In jsonEncode we return an empty string if encoding fails. I think we should error out in this situation.\n- Arrays at the top level pass unredacted, which must not happen. ${filler.repeat(3)}`,
    ),
  )
  if (text.includes('error out in this situation'))
    expect(text).toContain('we return an empty string if encoding fails')
  expect(text).toContain('error out in this situation')
})

test('what follows left-out code is not joined to what stood before it', () => {
  const text = compose([
    ...talk('How does CI handle several runs?', 'I look it up.'),
    {
      speaker: 'agent',
      kind: 'turn-final',
      text: 'Several runs measure reliability, not CI gating.\n\nFor CI your model is right:\n```text\none run -> gate\n```\nThat is simpler and cheaper.',
      order: 4,
    },
  ])
  expect(text).not.toContain('not CI gating. That is simpler')
})

test('output that was pasted without a word is not repeated after the next request', () => {
  const text = compose(
    talk(
      'Write an end-to-end test of the export command.',
      'It is in test/export.test.ts.',
      '--- FAIL: TestExport (0.20s)\n    export_test.go:34: expected 3 rows, got 0\n    export_test.go:40: no header\nFAIL',
      'The hook was missing; fixed.',
      'Now add the same for the import command of the tool.',
    ),
  )
  expect(text).not.toContain('TestExport')
})

test('"1+2" is followed by both options, and the request before the answer is not called the one under way', () => {
  const text = compose(
    talk(
      'Move the notes of the tests to the ignored folder, they are not to be committed.',
      'Moved. Would you like to:\n1. Run the tests and watch them fail\n2. Begin the implementation\n3. Review the design',
      '1+2',
    ),
  )
  expect(text).toContain('| User, before the answer below: "Move the notes')
  expect(text).toContain('1. Run the tests and watch them fail; 2. Begin the implementation')
  expect(text).not.toContain('3. Review the design')
})

test('a problem that was remedied in the same breath is quoted with its remedy', () => {
  const text = compose([
    ...talk('Scaffold the project in this folder.'),
    {
      speaker: 'agent',
      kind: 'message',
      text: 'It created a folder named --strict. Let me remove that and scaffold properly.',
      order: 2,
    },
    { speaker: 'agent', kind: 'message', text: 'Now the dependencies.', order: 3 },
  ])
  expect(text).toContain('It created a folder named --strict. Let me remove that and scaffold properly.')
})
